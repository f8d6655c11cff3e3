import { detectorTable, scanSecrets } from '../../../../secrets/scan.ts';
import { skipReason } from '../../../../secrets/skip.ts';
import { ownSecrets } from './own-secrets.ts';
import { secretViews, type SecretView } from './secret-views.ts';

/** A place that holds what looks like a secret, never the secret itself; `preview` is its first characters and its length. */
export type SecretFind = {
  /** Name of the item, or the word for a field of the manifest, such as `subject`. */
  readonly place: string;
  readonly line: number;
  readonly rule: string;
  readonly title: string;
  readonly preview: string;
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

/**
 * Looks for secrets in all that is to be sent: the project's detectors at any confidence, identity and export files of gage, netrc
 * lines, and the sender's own private keys (`own`, in the forms of `keyForms`). Guesses are reported up to a hundred and never
 * end the search; the hundred and first secret does, and then all are `never`. What is compressed or encoded is not seen.
 */
export function findSecrets(sources: readonly SecretSource[], own: readonly string[]): readonly SecretFind[] {
  const finds: SecretFind[] = [];
  let [guesses, secrets] = [0, 0];
  for (const source of sources) {
    const seen = new Set<string>();
    for (const view of secretViews(source.bytes)) {
      for (const find of found(source.place, view, own)) {
        const key = `${find.rule} ${find.line}`;
        if (seen.has(key)) continue;
        seen.add(key);
        if (find.weight === 'warn') guesses += 1;
        else secrets += 1;
        if (find.weight !== 'warn' || guesses <= maxFinds) finds.push(find);
        if (secrets > maxFinds) return finds.filter(({ weight }) => weight !== 'warn').map((each) => ({ ...each, weight: 'never' }));
      }
    }
  }
  return finds;
}

function* found(place: string, view: SecretView, own: readonly string[]): Generator<SecretFind> {
  for (const { at, ...secret } of ownSecrets(view.text, own)) yield { place, line: view.lineOf(at), ...secret };
  for (const find of detected(place, view)) {
    // In a text that we changed a guess is no better than chance.
    if (view.form === 'plain' || find.weight !== 'warn') yield find;
  }
}

function* detected(place: string, { text, form, lineOf }: SecretView): Generator<SecretFind> {
  // Lock files and media are skipped by name or by their first words: here nothing may be.
  const skipped = skipReason(place, text) !== undefined;
  const before = skipped ? '# \n' : '';
  for (const hit of scanSecrets(before + text, { path: skipped ? 'item.txt' : place, isTest: false, longLines: true })) {
    const { name, rank } = byId.get(hit.detectorId) as (typeof detectorTable)[number];
    const line = lineOf(hit.start - before.length);
    if (form === 'joined' && (rank < shapeRank || line === lineOf(hit.end - before.length - 1))) continue;
    yield { place, line, rule: name, title: hit.title, preview: hit.preview, weight: generic.has(name) ? 'warn' : 'refuse' };
  }
}
