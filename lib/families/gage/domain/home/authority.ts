import { compileSchema } from '../../../../schema/validate.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { isRefused } from '../refused.ts';
import type { Home } from './home.ts';
import { fileVersion, problemOf } from './shape-problem.ts';
import { readState } from './state-file.ts';
import type { StateFile } from './state-file.ts';
import { parseTime } from '../identity/time.ts';

/** What a person lets a signing key (base64) ask for: types of bundles, until a moment where one is given. */
export type Grant = { readonly key: string; readonly types: readonly string[]; readonly expires_at?: string };

/** Whether a grant covers a bundle, and why not where that is worth a word. */
export type GrantAnswer = { readonly authorised: boolean; readonly reason?: 'authority_unreadable' };

const validator = compileSchema({
  type: 'object',
  properties: {
    grants: {
      type: 'array',
      maxItems: 1_000,
      items: {
        type: 'object',
        properties: {
          expires_at: { type: 'string' },
          key: { type: 'string', maxLength: 44 },
          types: { type: 'array', items: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,31}$' }, minItems: 1, maxItems: 100 },
        },
        required: ['key', 'types'],
        additionalProperties: false,
      },
    },
    v: fileVersion,
  },
  required: ['grants', 'v'],
  additionalProperties: false,
});

// Without a way to write it: no command makes grants, so that no agent can be talked into granting itself something.
const file: StateFile<readonly Grant[]> = {
  name: 'authority.json',
  maxBytes: 1024 * 1024,
  missing: [],
  parse(value) {
    const checked = validator.validate(value);
    if (!checked.valid) return { problem: problemOf(checked.issues) };
    const { grants } = checked.value;
    for (const [index, { key, expires_at }] of grants.entries()) {
      if (fromBase64(key, 32) === undefined) return { problem: `/grants/${index}/key must be a signing key in base64` };
      if (expires_at !== undefined && parseTime(expires_at) === undefined) return { problem: `/grants/${index}/expires_at must be a time such as 2030-01-31T00:00:00Z` };
    }
    return { content: grants };
  },
};

/** The grants of authority.json as a person wrote them; none where there is no file. Throws Refused that names the key of a broken one. */
export function loadGrants(home: Home): readonly Grant[] {
  return readState(home, file);
}

/**
 * Whether a grant covers bundles of `type` from the signing key `key` (base64) at `now` (ms since 1970). To be asked for the
 * verdict `verified` alone. A file that is broken or that others may write grants nothing and gives the reason.
 */
export function grantFor(home: Home, { key, type, now }: { readonly key: string; readonly type: string; readonly now: number }): GrantAnswer {
  try {
    return { authorised: loadGrants(home).some((grant) => covers(grant, { key, type, now })) };
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { authorised: false, reason: 'authority_unreadable' };
  }
}

/** Whether one grant covers a bundle of this type from this key at this moment (ms since 1970). */
export function covers(grant: Grant, { key, type, now }: { readonly key: string; readonly type: string; readonly now: number }): boolean {
  const until = grant.expires_at === undefined ? Infinity : (parseTime(grant.expires_at) as number);
  return grant.key === key && grant.types.includes(type) && now < until;
}
