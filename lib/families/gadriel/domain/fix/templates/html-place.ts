/** Where in a page its values stand: escaping for HTML helps in text and in quoted attributes of plain meaning, nowhere else. */
import type { Piece } from './built-string.ts';

/** Attributes whose value is code, style, a document or a list of addresses. */
const unsafeAttribute = /^(?:on\w*|style|srcdoc|srcset|imagesrcset|ping|content|archive|data-bind|x-\S*|v-\S*|ng-\S*|@\S*|:\S*|\*\S*|\(\S*)$/i;
/** Attributes whose value is an address: what follows a fixed site or path can not change where it leads. */
const addressAttribute = /^(?:href|src|action|formaction|data|poster|background|cite|manifest|codebase|classid|longdesc|usemap|profile|dynsrc|lowsrc|xlink:href|hx-\w+)$/i;
const fixedAddress = /^(?:https?:\/\/[^/?#\s]+[/?#]|\/[^/\\\s]|[?#])/i;
/** Elements whose text is not HTML; a browser reads no references in it. */
const rawElement = /^(?:script|style|xmp|iframe|noembed|noframes|noscript|plaintext|template|svg|math)$/i;

/** A name that no page has: stands for a value in its text. */
const hole = '\0';

/** Why values of a page can not be made safe by escaping; undefined where they can. */
export function whyNotEscaped(pieces: readonly Piece[]): string | undefined {
  const page = pieces.map((piece) => (piece.kind === 'text' ? piece.text.replaceAll(hole, ' ') : hole)).join('');
  const lower = page.toLowerCase();
  let at = 0;
  while (at < page.length) {
    const open = page.indexOf('<', at);
    if (open < 0) return undefined;
    const comment = page.startsWith('<!', open) || page.startsWith('<?', open);
    const name = /^<\/?([a-zA-Z][\w:-]{0,60}|\0)?/.exec(page.slice(open, open + 64))![1];
    if (name?.includes(hole) || (name === undefined && page[open + 1] === '/')) return 'A value stands where the name of a tag does.';
    if (comment) {
      const end = page.indexOf(page.startsWith('<!--', open) ? '-->' : '>', open);
      if (page.slice(open, end < 0 ? page.length : end).includes(hole)) return 'A value stands in a comment.';
      if (end < 0) return undefined;
      at = end + 1;
    } else if (name === undefined) at = open + 1;
    else {
      const tag = readTag(page, open + 1 + name.length + (page[open + 1] === '/' ? 1 : 0));
      if ('why' in tag) return tag.why;
      at = tag.end;
      if (page[open + 1] !== '/' && rawElement.test(name)) {
        const end = lower.indexOf(`</${name.toLowerCase()}`, at);
        if (page.slice(at, end < 0 ? page.length : end).includes(hole)) return `A value stands in ${name}, where escaping for HTML does not help.`;
        if (end < 0) return undefined;
        at = end;
      }
    }
  }
  return undefined;
}

/** Reads the attributes of a tag up to its end. */
function readTag(page: string, from: number): { readonly end: number } | { readonly why: string } {
  const attribute = /[\s/]*([^\s=>/]*)(?:\s*=\s*(?:"([^"]*)("|$)|'([^']*)('|$)|([^\s>"']*)))?/y;
  let at = from;
  while (at < page.length && page[at] !== '>') {
    attribute.lastIndex = at;
    const found = attribute.exec(page)!;
    const [all, name = '', double, , single, , bare] = found;
    if (all === '') at += 1;
    else at += all.length;
    if (name.includes(hole) || bare?.includes(hole)) return { why: 'A value stands in a tag without quotes around it.' };
    const value = double ?? single;
    if (value === undefined || !value.includes(hole)) continue;
    if (unsafeAttribute.test(name)) return { why: `A value stands in ${name}, where escaping for HTML does not help.` };
    if (addressAttribute.test(name) && !fixedAddress.test(value.slice(0, value.indexOf(hole)))) return { why: `A value is the address in ${name}, which may begin with javascript:.` };
  }
  return { end: Math.min(page.length, at + 1) };
}
