const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Printable ASCII, by far the most text, is as wide as it is long. */
const PLAIN = /^[\x20-\x7e]*$/;
/** East Asian wide and fullwidth blocks of Unicode (EastAsianWidth.txt), emoji, and the selector that makes one of a sign. */
const WIDE =
  /[\p{Emoji_Presentation}\ufe0f\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;
const NOTHING = /^[\p{M}\p{Cf}\p{Cc}]+$/u;

/** How many columns of a terminal a text takes: wide characters two, combining ones none. It must hold no escapes. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += clusterWidth(segment);
  return width;
}

/** Cuts a text to `width` columns, between characters as people see them; a cut text ends with `…`. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += clusterWidth(segment);
    // One column is for the ellipsis.
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}…`;
}

function clusterWidth(cluster: string): number {
  if (WIDE.test(cluster)) return 2;
  return NOTHING.test(cluster) ? 0 : 1;
}
