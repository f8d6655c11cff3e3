/**
 * Code points that can move the cursor, reorder, hide or forge text: controls, format characters, private use, line and
 * paragraph separators, noncharacters, blank braille, and whatever Unicode says to show as nothing, but for the two
 * variation selectors of emoji. Lone surrogates too, which no terminal can show.
 */
// Made at first use: V8 builds the sets of Unicode properties when the literal is evaluated, which a start need not wait for.
let unsafe: RegExp | undefined;
const unsafePattern = (): RegExp =>
  (unsafe ??= /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/u);

/** Whether a code point is shown as an escape only. */
export function isUnsafe(codePoint: number): boolean {
  return unsafePattern().test(String.fromCodePoint(codePoint));
}

/** Whether a text holds a code point that is unsafe to show. */
export function hasUnsafe(text: string): boolean {
  return unsafePattern().test(text);
}

/** Whether a text is nothing but marks: with no letter to sit on they land on what is printed before them. */
export function isMarksAlone(text: string): boolean {
  return /^\p{M}+$/u.test(text);
}
