import { Buffer } from 'node:buffer';
import { detectorTable, scanSecrets } from '../../../../secrets/scan.ts';
import { skipReason } from '../../../../secrets/skip.ts';
import { secretViews, type SecretView } from './secret-views.ts';

/** A place that holds what looks like a secret, never the secret itself; `preview` is its first characters and its length. */
export type SecretFind = {
  /** Name of the item, or the word for a field of the manifest, such as `subject`. */
  readonly place: string;
  readonly line: number;
  readonly rule: string;
  readonly title: string;
  readonly preview: string;
  /** `warn` for guesses by a variable's name alone; `never` for keys of gage, which no person may wave through. */
  readonly weight: 'warn' | 'refuse' | 'never';
};

/** What is looked at: a name and bytes. */
export type SecretSource = { readonly place: string; readonly bytes: Uint8Array };

/** Detectors that go by the name before a value: their finds are often no secrets. */
const generic = new Set(['generic', 'password-literal']);
const byId = new Map(detectorTable.map((each) => [each.id, each]));
/** Least rank of the detectors whose token has a shape of its own; others find chance things in joined lines. */
const shapeRank = 3;
/** A find more says nothing new. */
const maxFinds = 100;

/**
 * Looks for secrets in all that is to be sent: the project's detectors at any confidence, identity and export files of gage, and
 * the sender's own private keys (`own`, in base64). What is compressed or encoded is not seen.
 */
export function findSecrets(sources: readonly SecretSource[], own: readonly string[]): readonly SecretFind[] {
  const finds: SecretFind[] = [];
  for (const source of sources) {
    const seen = new Set<string>();
    for (const view of secretViews(source.bytes)) {
      for (const find of [...gageKeys(source.place, view, own), ...detected(source.place, view)]) {
        const key = `${find.rule} ${find.line}`;
        if (seen.has(key)) continue;
        seen.add(key);
        finds.push(find);
        if (finds.length >= maxFinds) return finds;
      }
    }
  }
  return finds;
}

function* detected(place: string, view: SecretView): Generator<SecretFind> {
  // Lock files and media are skipped by name or by their first words: here nothing may be.
  const skipped = skipReason(place, view.text) !== undefined;
  const before = skipped ? '# \n' : '';
  for (const hit of scanSecrets(before + view.text, { path: skipped ? 'item.txt' : place, isTest: false })) {
    const { name, rank } = byId.get(hit.detectorId) as (typeof detectorTable)[number];
    const line = view.lineOf(hit.start - before.length);
    if (view.joined && (rank < shapeRank || line === view.lineOf(hit.end - before.length - 1))) continue;
    yield { place, line, rule: name, title: hit.title, preview: hit.preview, weight: generic.has(name) ? 'warn' : 'refuse' };
  }
}

const secretKey = /"sign"\s{0,8}:\s{0,8}"[A-Za-z0-9+/]{43}="/;
const boxKey = /"box"\s{0,8}:\s{0,8}"[A-Za-z0-9+/]{43}="/;
const exported = /"type"\s{0,8}:\s{0,8}"gage-identity-export"/;

/** Files that hold an identity, and the sender's own private keys wherever they stand. */
function* gageKeys(place: string, { text, lineOf }: SecretView, own: readonly string[]): Generator<SecretFind> {
  const find = (rule: string, title: string, at: number): SecretFind => ({ place, line: lineOf(at), rule, title, preview: 'a key of gage', weight: 'never' });
  const sign = secretKey.exec(text);
  if (sign !== null && boxKey.test(text)) yield find('gage-identity', 'Identity file of gage', sign.index);
  const backup = exported.exec(text);
  if (backup !== null) yield find('gage-export', 'Exported identity of gage', backup.index);
  for (const key of own) {
    const at = text.indexOf(key);
    if (at >= 0) yield find('gage-key', 'Private key of this identity', at);
  }
}

/** Forms of a private key that a text may hold: base64 without padding, base64url, hex. */
export function keyForms(key: Uint8Array): readonly string[] {
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  return [...new Set([bytes.toString('base64').replaceAll('=', ''), bytes.toString('base64url'), hex, hex.toUpperCase()])];
}
