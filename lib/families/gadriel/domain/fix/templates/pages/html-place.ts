/** Where in a page its values stand: escaping for HTML helps in text and in quoted attributes of plain meaning, nowhere else. */
import type { Piece } from '../code/built-string.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Elements that do nothing with their attributes but show them. */
const plainElements = words('html body div span p h1 h2 h3 h4 h5 h6 hr br a img ul ol li dl dt dd menu table caption colgroup col thead tbody tfoot tr th td form fieldset legend '
  + 'label input button select option optgroup textarea datalist output progress meter data time header footer main nav section article aside address figure figcaption '
  + 'hgroup search blockquote q cite em strong b i u s small big sub sup mark code pre kbd samp var abbr dfn del ins bdi bdo wbr ruby rt rp center font tt strike picture details summary dialog area map');
/** The others of HTML; what a page may have besides is code of a framework, or of the page, that reads what is in it. */
const otherElements = words('head title base link meta style script noscript template slot iframe frame frameset noframes noembed embed object param applet audio video source track canvas svg math xmp plaintext');
/** Elements whose text is not HTML; a browser reads no references in it. */
const rawElements = words('script style xmp iframe noembed noframes noscript plaintext template svg math');

/** Attributes that are only shown, or told to a reader, on plain elements. */
const shownAttribute = /^(?:title|alt|placeholder|class|label|lang|dir|abbr|datetime|width|height|colspan|rowspan|min|max|step|size|rows|cols|aria-(?:label|description|valuetext|placeholder|roledescription)|data-(?:id|key|index))$/;
/** Names that scripts go by; with a beginning of their own they are none of a script's. */
const namingAttribute = /^(?:id|for|name|aria-labelledby|aria-describedby)$/;
const withValue = words('input option button li data meter progress');
const withAddress: Readonly<Record<string, string>> = { a: 'href', area: 'href', img: 'src' };
/** What follows a fixed site or path can not change where an address leads. */
const fixedAddress = /^(?:https?:\/\/[^/?#\s]+[/?#]|\/[^/\\\s]|[?#])/i;
/** What a page says of itself; other contents of meta are settings. */
const plainMeta = /^(?:description|author|keywords|(?:og|twitter):(?:title|description|site_name))$/i;

/** Marks of what reads the text of a page as code in the browser: its brackets, attributes, and the names of its scripts. */
const frameworkMark = /\{\{|\[\[|\{%|<%|\$\{|\b(?:new Vue|createApp)\(|<script[^>]{0,300}(?:angular|vue|alpine|handlebars|mustache|knockout|riot|ractive|polymer|ember|hyperscript)/i;
const frameworkAttribute = /^(?:[@:*#([_.{]|(?:data-|x-)?(?:ng|v|x|bind|on|text|html)(?:$|[-:.]))/i;

/** A name that no page has: stands for a value in its text. */
const hole = '\0';

/** An attribute of a tag; without `value` where it has none. */
type Attribute = { readonly name: string; readonly value?: string };

/** Why values of a page can not be made safe by escaping; undefined where they can. */
export function whyNotEscaped(pieces: readonly Piece[]): string | undefined {
  const page = pieces.map((piece) => (piece.kind === 'text' ? piece.text.replaceAll(hole, ' ') : hole)).join('');
  const lower = page.toLowerCase();
  const framework = 'The page may be read by a framework in the browser, which takes escaped text for code as well.';
  if (frameworkMark.test(page)) return framework;
  let at = 0;
  while (at < page.length) {
    const open = page.indexOf('<', at);
    if (open < 0) return undefined;
    const comment = page.startsWith('<!', open) || page.startsWith('<?', open);
    const name = /^<\/?([a-zA-Z][^\s/>]{0,60}|\0)?/.exec(page.slice(open, open + 64))![1]?.toLowerCase();
    if (name?.includes(hole) || (name === undefined && page[open + 1] === '/')) return 'A value stands where the name of a tag does.';
    if (comment) {
      const end = page.indexOf(page.startsWith('<!--', open) ? '-->' : '>', open);
      if (page.slice(open, end < 0 ? page.length : end).includes(hole)) return 'A value stands in a comment.';
      if (end < 0) return undefined;
      at = end + 1;
    } else if (name === undefined) at = open + 1;
    else {
      if (!plainElements.has(name) && !otherElements.has(name)) return `What a page does with the text of ${name} is not known.`;
      const tag = readTag(page, open + 1 + name.length + (page[open + 1] === '/' ? 1 : 0));
      if (typeof tag === 'string') return tag;
      if (tag.attributes.some((each) => frameworkAttribute.test(each.name))) return framework;
      const why = tag.attributes.map((each) => whyNotIn(name, each, tag.attributes)).find((each) => each !== undefined);
      if (why !== undefined) return why;
      at = tag.end;
      if (page[open + 1] !== '/' && rawElements.has(name)) {
        const end = lower.indexOf(`</${name}`, at);
        if (page.slice(at, end < 0 ? page.length : end).includes(hole)) return `A value stands in ${name}, where escaping for HTML does not help.`;
        if (end < 0) return undefined;
        at = end;
      }
    }
  }
  return undefined;
}

/** Reads the attributes of a tag up to its end; a text says why a value in it can not be escaped. */
function readTag(page: string, from: number): { readonly end: number; readonly attributes: readonly Attribute[] } | string {
  const attribute = /[\s/]*([^\s=>/]*)(?:\s*=\s*(?:"([^"]*)("|$)|'([^']*)('|$)|([^\s>"']*)))?/y;
  const attributes: Attribute[] = [];
  let at = from;
  while (at < page.length && page[at] !== '>') {
    attribute.lastIndex = at;
    const [all, name = '', double, , single, , bare] = attribute.exec(page)!;
    at += all === '' ? 1 : all.length;
    if (name.includes(hole) || bare?.includes(hole)) return 'A value stands in a tag without quotes around it.';
    const value = double ?? single ?? bare;
    if (name !== '') attributes.push({ name: name.toLowerCase(), ...(value === undefined ? {} : { value }) });
    // What is in quotes without a name is no attribute that a browser knows.
    else if (value?.includes(hole)) return 'A value stands in a tag without quotes around it.';
  }
  return { end: Math.min(page.length, at + 1), attributes };
}

/** Why a value in an attribute is more than what is shown. */
function whyNotIn(element: string, { name, value }: Attribute, attributes: readonly Attribute[]): string | undefined {
  if (value === undefined || !value.includes(hole)) return undefined;
  const lead = value.slice(0, value.indexOf(hole));
  if (plainElements.has(element)) {
    if (shownAttribute.test(name) || (name === 'value' && withValue.has(element))) return undefined;
    if (namingAttribute.test(name) && /^[\w-]{2,}$/.test(lead)) return undefined;
    if (withAddress[element] === name) return fixedAddress.test(lead) ? undefined : `A value is the address in ${name}, which may begin with javascript:.`;
  }
  const meta = element === 'meta' && name === 'content' && !attributes.some((each) => each.name === 'http-equiv')
    && attributes.some((each) => /^(?:name|property)$/.test(each.name) && plainMeta.test(each.value ?? ''));
  return meta ? undefined : `A value stands in ${name} of ${element}, where escaping for HTML may not help.`;
}
