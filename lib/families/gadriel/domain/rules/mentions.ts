import type { Scene } from '../analysis/model.types.ts';

/** Answers given, by module or function and by pattern. */
const answers = new WeakMap<object, Map<string, boolean>>();

/**
 * Whether the text of the module, or of the function around an event, holds a pattern. The text is searched once for each
 * pattern however often it is asked, so that many events in a large file stay cheap.
 */
export const mentions = (scene: Scene, where: 'module' | 'function', pattern: RegExp): boolean => {
  const around = where === 'function' ? scene.function?.node : undefined;
  const owner = around ?? scene.module;
  const known = answers.get(owner) ?? new Map<string, boolean>();
  answers.set(owner, known);
  let answer = known.get(pattern.source);
  if (answer === undefined) {
    answer = pattern.test(scene.module.module.text.slice(around?.start ?? 0, around?.end));
    known.set(pattern.source, answer);
  }
  return answer;
};
