import path from 'node:path';
import { compileSchema } from '../../../../schema/validate.ts';
import { readOrigin } from './relay-origin.ts';
import type { Home } from './home.ts';
import { fileVersion, problemOf } from './shape-problem.ts';
import { changeState, readState } from './state-file.ts';
import type { WritableStateFile } from './state-file.ts';

/** What a person has set, with the defaults filled in. */
export type Config = {
  /** Push to buddies alone whose words were compared; default false. */
  readonly pushNeedsConfirmed: boolean;
  /** Origin of the relay, such as `https://relay.example`; undefined where none is set. */
  readonly relay: string | undefined;
  /** Absolute folders that files may be sent from; undefined: the working folder. */
  readonly sendRoots: readonly string[] | undefined;
  /** Withhold the payload of keys that are not on the list until a person accepts; default false. */
  readonly withholdStrangers: boolean;
};

const validator = compileSchema({
  type: 'object',
  properties: {
    push_needs_confirmed: { type: 'boolean' },
    relay: { type: 'string', maxLength: 300 },
    send_roots: { type: 'array', items: { type: 'string', maxLength: 4_096 }, maxItems: 100 },
    v: fileVersion,
    withhold_strangers: { type: 'boolean' },
  },
  required: ['v'],
  additionalProperties: false,
});

const file: WritableStateFile<Config> = {
  name: 'config.json',
  maxBytes: 1024 * 1024,
  missing: { pushNeedsConfirmed: false, relay: undefined, sendRoots: undefined, withholdStrangers: false },
  parse(value) {
    const checked = validator.validate(value);
    if (!checked.valid) return { problem: problemOf(checked.issues) };
    const { push_needs_confirmed = false, relay, send_roots, withhold_strangers = false } = checked.value;
    const read = relay === undefined ? undefined : readOrigin(relay);
    if (read !== undefined && !('origin' in read && read.origin === relay)) return { problem: `/relay: ${'problem' in read ? read.problem : `it must be ${read.origin}`}` };
    const relative = send_roots?.findIndex((each) => !isFullPath(each)) ?? -1;
    if (relative >= 0) return { problem: `/send_roots/${relative} must be an absolute path` };
    return { content: { pushNeedsConfirmed: push_needs_confirmed, relay, sendRoots: send_roots, withholdStrangers: withhold_strangers } };
  },
  // What is at its default is left out, so that a file says what somebody set.
  encode: ({ pushNeedsConfirmed, relay, sendRoots, withholdStrangers }) => ({
    ...(pushNeedsConfirmed && { push_needs_confirmed: true }),
    ...(relay !== undefined && { relay }),
    ...(sendRoots !== undefined && { send_roots: sendRoots }),
    v: 1,
    ...(withholdStrangers && { withhold_strangers: true }),
  }),
};

/** The settings of config.json; the defaults where there is no file. Throws Refused that names the key of a broken one. */
export function loadConfig(home: Home): Config {
  return readState(home, file);
}

/** Changes the settings under their lock and returns the new ones; what stays equal is not written. Throws Refused. */
export function changeConfig(home: Home, change: (config: Config) => Config): Promise<Config> {
  return changeState(home, file, (config) => {
    const next = change(config);
    return next === config ? { result: config } : { next, result: next };
  });
}

/** Whether a path is absolute and says its folder in one way only. */
export function isFullPath(text: string): boolean {
  return path.isAbsolute(text) && path.resolve(text) === text && !text.includes('\0');
}
