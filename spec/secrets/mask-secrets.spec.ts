import assert from 'node:assert/strict';
import { it } from 'node:test';
import { maskSecrets } from '../../lib/secrets/mask-secrets.ts';
import { githubToken } from '../families/gadriel/support/sample-secrets.ts';

it('masks each secret of a text, and leaves the rest as it is', () => {
  const [one, two] = [githubToken(1), githubToken(2)];
  assert.equal(maskSecrets(`first ${one}, then\n${two}.`), 'first ***, then\n***.');
  for (const text of ['', 'no secret here', 'a\u202eb']) assert.equal(maskSecrets(text), text);
});
