/** Names at an event as rules look them up and as messages show them. */
import type { CallEvent, Scene } from '../analysis/model.types.ts';

/** The called thing as people know it: the resolved name without call marks, else as written. */
export const sinkName = (event: CallEvent): string =>
  (event.name ?? (event.written || event.last)).replaceAll('()', '').replaceAll('[]', '').replace(/^\.+/, '');

/** The resolved name of the called thing, '' when it has none: no table holds that. */
export const calleeOf = (event: CallEvent): string => event.name ?? '';

/** Name of the function an event stands in, '' at module level. */
export const functionName = (scene: Scene): string => scene.function?.name ?? '';

/** Name of the class an event stands in, '' outside. */
export const className = (scene: Scene): string => scene.class?.name ?? '';

/** The distinct last segments of qualified names: the index keys of a matcher. */
export const lastSegments = (names: Iterable<string>): readonly string[] =>
  [...new Set([...names].map((name) => name.slice(name.lastIndexOf('.') + 1)))];
