import { compileSchema } from '../../../../schema/validate.ts';
import { fromBase64 } from '../crypto/base64.ts';
import { isFullPath } from './config.ts';
import type { Home } from './home.ts';
import { fileVersion, problemOf } from './shape-problem.ts';
import { changeState, readState } from './state-file.ts';
import type { WritableStateFile } from './state-file.ts';

/** Where bundles to a key are put on this machine: its signing key in base64, and an absolute folder. */
export type Route = { readonly key: string; readonly path: string };

const text = (maxLength: number) => ({ type: 'string', maxLength }) as const;

const validator = compileSchema({
  type: 'object',
  properties: {
    routes: {
      type: 'array',
      maxItems: 1_000,
      items: { type: 'object', properties: { key: text(44), path: text(4_096) }, required: ['key', 'path'], additionalProperties: false },
    },
    v: fileVersion,
  },
  required: ['routes', 'v'],
  additionalProperties: false,
});

const file: WritableStateFile<readonly Route[]> = {
  name: 'routes.json',
  maxBytes: 1024 * 1024,
  missing: [],
  parse(value) {
    const checked = validator.validate(value);
    if (!checked.valid) return { problem: problemOf(checked.issues) };
    const { routes } = checked.value;
    for (const [index, { key, path }] of routes.entries()) {
      if (fromBase64(key, 32) === undefined) return { problem: `/routes/${index}/key must be a signing key in base64` };
      if (!isFullPath(path)) return { problem: `/routes/${index}/path must be an absolute path` };
      if (routes.findIndex((other) => other.key === key) !== index) return { problem: `/routes/${index}/key has a route already` };
    }
    return { content: routes };
  },
  encode: (routes) => ({ routes: routes.map(({ key, path }) => ({ key, path })), v: 1 }),
};

/** The routes of routes.json; none where there is no file. Throws Refused that names the key of a broken one. */
export function loadRoutes(home: Home): readonly Route[] {
  return readState(home, file);
}

/** The folder that bundles to a signing key (base64) are delivered to, undefined where they go to the outbox. Throws Refused as loadRoutes. */
export function routeTo(home: Home, key: string): string | undefined {
  return loadRoutes(home).find((route) => route.key === key)?.path;
}

/** Changes the routes under their lock and returns the new ones; the same list is not written. Throws Refused. */
export function changeRoutes(home: Home, change: (routes: readonly Route[]) => readonly Route[]): Promise<readonly Route[]> {
  return changeState(home, file, (routes) => {
    const next = change(routes);
    return next === routes ? { result: routes } : { next, result: next };
  });
}
