import { detectorTable, scanSecrets } from '../../../../secrets/scan.ts';
import { skipReason } from '../../../../secrets/skip.ts';
import { ownSecrets } from './own-secrets.ts';
import { secretViews, type SecretView } from './secret-views.ts';

/**
 * A line that holds what looks like secrets of one rule, never a secret itself; `preview` is the first characters and the length of the
 * first of them.
 */
export type SecretFind = {
  /** Name of the item, or the word for a field of the manifest, such as `subject`. */
  readonly place: string;
  readonly line: number;
  readonly rule: string;
  readonly title: string;
  readonly preview: string;
  /** How many other secrets of the same rule and weight are in the line; at most a hundred are counted. */
  readonly more: number;
  /**
   * `warn` for guesses by a variable's name alone; `never` for what no person may wave through: keys of gage, and more secrets
   * than anybody would look at one by one.
   */
  readonly weight: 'warn' | 'refuse' | 'never';
};

/** What is looked at: a name and bytes. */
export type SecretSource = { readonly place: string; readonly bytes: Uint8Array };

/** Detectors that go by the name before a value: their finds are often no secrets. */
const generic = new Set(['generic', 'password-literal']);
const byId = new Map(detectorTable.map((each) => [each.id, each]));
/** Least rank of the detectors whose token has a shape of its own; others find chance things in joined lines. */
const shapeRank = 3;
/** A guess more says nothing new; with a secret more than this the bundle is refused as it is. */
const maxFinds = 100;

/** One secret in a view; `from` and `to` are origins, `text` the secret itself, which leaves this file in no find. */
type Seen = Omit<SecretFind, 'more'> & { readonly from: number; readonly to: number; readonly text: string };
/** A find while other secrets may be added to it: the texts and the places of those that are counted. */
type Line = { readonly find: Omit<SecretFind, 'more'>; count: number; readonly texts: Set<string>; readonly spans: Pick<Seen, 'from' | 'to'>[] };

/**
 * Looks for secrets in all that is to be sent: the project's detectors at any confidence, identity and export files of gage, netrc
 * lines, and the sender's own private keys (`own`, in the forms of `keyForms`). Lines of guesses are reported up to a hundred and
 * never end the search; the hundred and first secret does, and then all are `never`. What is compressed or encoded is not seen.
 */
export function findSecrets(sources: readonly SecretSource[], own: readonly string[]): readonly SecretFind[] {
  const all: Line[] = [];
  let [guesses, secrets] = [0, 0];
  for (const source of sources) {
    const lines = new Map<string, Line>();
    for (const view of secretViews(source.bytes)) {
      for (const { from, to, text, ...find } of found(source.place, view, own)) {
        const guess = find.weight === 'warn';
        // A password of a netrc file may be a guess, and must not stand for one beside it that is none.
        const key = `${find.rule} ${find.line} ${find.weight}`;
        let line = lines.get(key);
        if (line === undefined) {
          if (guess && guesses === maxFinds) continue;
          if (guess) guesses += 1;
          line = { find, count: 0, texts: new Set(), spans: [] };
          lines.set(key, line);
          all.push(line);
        }
        // Of guesses no more is told: each is held against those before it.
        if (guess && line.count > maxFinds) continue;
        if (isNew(line, { from, to, text }) && !guess) secrets += 1;
        if (secrets > maxFinds) return all.filter((each) => each.find.weight !== 'warn').map((each) => ({ ...findOf(each), weight: 'never' }));
      }
    }
  }
  return all.map(findOf);
}

const findOf = ({ find, count }: Line): SecretFind => ({ ...find, more: count - 1 });

/**
 * Notes a secret in its line. It is another one unless it has the text of one before it or lies where one does: a view may show more of
 * a secret than the view before, or spell it another way.
 */
function isNew(line: Line, { from, to, text }: Pick<Seen, 'from' | 'to' | 'text'>): boolean {
  if (line.texts.has(text)) return false;
  const another = !line.spans.some((span) => from < span.to && span.from < to);
  line.texts.add(text);
  line.spans.push({ from, to });
  if (another) line.count += 1;
  return another;
}

function* found(place: string, view: SecretView, own: readonly string[]): Generator<Seen> {
  for (const { start, end, ...secret } of ownSecrets(view.text, own)) yield { place, ...whereIn(view, start, end), ...secret };
  for (const find of detected(place, view)) {
    // In a text that we changed a guess is no better than chance.
    if (view.form === 'plain' || find.weight !== 'warn') yield find;
  }
}

function* detected(place: string, view: SecretView): Generator<Seen> {
  const { text, form } = view;
  // Lock files and media are skipped by name or by their first words: here nothing may be.
  const skipped = skipReason(place, text) !== undefined;
  const before = skipped ? '# \n' : '';
  for (const hit of scanSecrets(before + text, { path: skipped ? 'item.txt' : place, isTest: false, longLines: true })) {
    const { name, rank } = byId.get(hit.detectorId) as (typeof detectorTable)[number];
    const where = whereIn(view, hit.start - before.length, hit.end - before.length);
    if (form === 'joined' && (rank < shapeRank || where.line === view.lineOf(where.to - 1))) continue;
    yield { place, ...where, rule: name, title: hit.title, preview: hit.preview, weight: generic.has(name) ? 'warn' : 'refuse' };
  }
}

function whereIn({ text, originOf, lineOf }: SecretView, start: number, end: number): Pick<Seen, 'line' | 'from' | 'to' | 'text'> {
  const from = originOf(start);
  return { line: lineOf(from), from, to: originOf(end - 1) + 1, text: text.slice(start, end) };
}
