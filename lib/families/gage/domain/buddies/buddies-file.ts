import { compileSchema } from '../../../../schema/validate.ts';
import { fileVersion, problemOf } from '../home/shape-problem.ts';
import type { WritableStateFile } from '../home/state-file.ts';
import { parseTime } from '../identity/time.ts';
import { checkBuddyName, foldName } from '../identity/names.ts';
import { parseToken } from '../identity/token.ts';
import type { Buddy } from './buddies.types.ts';

const time = { type: 'string', maxLength: 20 } as const;

const validator = compileSchema({
  type: 'object',
  properties: {
    buddies: {
      type: 'array',
      maxItems: 2_000,
      items: {
        type: 'object',
        properties: {
          added_at: time,
          added_by: { enum: ['cli', 'mcp'] },
          confirmed: {
            type: ['object', 'null'],
            properties: { at: time, token_sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
            required: ['at', 'token_sha256'],
            additionalProperties: false,
          },
          name: { type: 'string', maxLength: 64 },
          state: { enum: ['listed', 'blocked'] },
          token: { type: 'string', maxLength: 89 },
        },
        required: ['added_at', 'added_by', 'confirmed', 'name', 'state', 'token'],
        additionalProperties: false,
      },
    },
    v: fileVersion,
  },
  required: ['buddies', 'v'],
  additionalProperties: false,
});

/** buddies.json: `{"buddies":[{added_at, added_by, confirmed, name, state, token}],"v":1}`, names and signing keys unique. */
export const buddiesFile: WritableStateFile<readonly Buddy[]> = {
  name: 'buddies.json',
  maxBytes: 8 * 1024 * 1024,
  missing: [],
  parse(value) {
    const checked = validator.validate(value);
    if (!checked.valid) return { problem: problemOf(checked.issues) };
    const content: Buddy[] = [];
    const names = new Set<string>();
    const keys = new Set<string>();
    for (const [index, { added_at, added_by, confirmed, name, state, token }] of checked.value.buddies.entries()) {
      const at = `/buddies/${index}`;
      const bad = checkBuddyName(name) ?? (names.has(foldName(name)) ? 'is the name of another buddy too' : undefined);
      if (bad !== undefined) return { problem: `${at}/name ${bad}` };
      const parts = splitToken(token);
      if (parts === undefined) return { problem: `${at}/token must be a gage token` };
      if (keys.has(parts.key)) return { problem: `${at}/token has the signing key of another buddy` };
      if (parseTime(added_at) === undefined) return { problem: `${at}/added_at must be a time such as 2030-01-31T00:00:00Z` };
      if (confirmed !== null && parseTime(confirmed.at) === undefined) return { problem: `${at}/confirmed/at must be a time such as 2030-01-31T00:00:00Z` };
      names.add(foldName(name));
      keys.add(parts.key);
      const compared = confirmed === null ? undefined : { at: confirmed.at, tokenSha256: confirmed.token_sha256 };
      content.push({ name, token, ...parts, state, addedAt: added_at, addedBy: added_by, confirmed: compared });
    }
    return { content: content.sort(byName) };
  },
  encode: (buddies) => ({
    buddies: [...buddies].sort(byName).map(({ name, token, state, addedAt, addedBy, confirmed }) => ({
      added_at: addedAt,
      added_by: addedBy,
      confirmed: confirmed === undefined ? null : { at: confirmed.at, token_sha256: confirmed.tokenSha256 },
      name,
      state,
      token,
    })),
    v: 1,
  }),
};

const byName = (a: Buddy, b: Buddy): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Checking the points of a key costs a good part of a millisecond, and the list is read at every call: good tokens are remembered. */
const good = new Map<string, { readonly key: string; readonly box: string }>();
const maxRemembered = 10_000;

function splitToken(token: string): { readonly key: string; readonly box: string } | undefined {
  const known = good.get(token);
  if (known !== undefined) return known;
  if ('problem' in parseToken(token)) return undefined;
  const parts = { key: token.slice(0, 44), box: token.slice(45) };
  if (good.size >= maxRemembered) good.clear();
  good.set(token, parts);
  return parts;
}
