/**
 * Code points that can move the cursor, colour, reorder, hide or forge text: controls, format characters (bidi overrides, zero
 * width, tags), private use, line and paragraph separators, noncharacters, blank braille, and whatever Unicode says to show as
 * nothing (fillers, joiners, variation selectors), but for the two variation selectors of emoji. Lone surrogates too, which no
 * terminal can show.
 */
// Made at first use: V8 builds the sets of Unicode properties when the literal is evaluated, which costs a start 5 ms.
let unsafe: RegExp | undefined;

/** Matches each of them, the one set of the whole project; global, so take it for `replace` and `search`, which keep no place in it. */
export const unsafePattern = (): RegExp =>
  (unsafe ??= /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800](?<![\ufe0e\ufe0f])/gu);

/** Whether a code point is shown as an escape only. */
export function isUnsafe(codePoint: number): boolean {
  return hasUnsafe(String.fromCodePoint(codePoint));
}

/** Whether a text holds a code point that is unsafe to show. */
export function hasUnsafe(text: string): boolean {
  return text.search(unsafePattern()) >= 0;
}

/** Whether a text is nothing but marks: with no letter to sit on they land on what is printed before them. */
export function isMarksAlone(text: string): boolean {
  return /^\p{M}+$/u.test(text);
}
