import type { Assignment } from './assignments.ts';
import { characterClasses, shannonEntropy } from './entropy.ts';
import type { SourceKind } from './languages.ts';
import { isPlaceholder, isReference } from './placeholders.ts';
import { isPlainData, isSlug, isUuid, isWordLike } from './plain-data.ts';

/** Which of the three name-based detectors an assignment falls to. */
export type GenericKind = 'framework-key' | 'generic' | 'password-literal';

type KeyClass = 'framework' | 'password' | 'secret' | 'vendor-secret' | 'vendor' | 'bare';

/** Words a secret-like name can hold; each is a keyword of the first pass. */
export const secretNameWords: readonly string[] = ['secret', 'passw', 'passphrase', 'passcode', 'pass', 'pwd', 'token', 'key', 'auth', 'cred'];

/** Vendors whose keys are looked at under any name that holds the vendor's name. */
export const vendorWords: readonly string[] = [
  'adafruit', 'adobe', 'adyen', 'airtable', 'algolia', 'alibaba', 'asana', 'atlassian', 'beamer', 'bitbucket', 'bittrex', 'clickhouse', 'cloudflare', 'codecov',
  'coinbase', 'confluent', 'contentful', 'datadog', 'discord', 'droneci', 'dropbox', 'etsy', 'facebook', 'fastly', 'finicity', 'finnhub', 'flickr',
  'freshbooks', 'freemius', 'gitter', 'gocardless', 'heroku', 'hubspot', 'intercom', 'jfrog', 'kraken', 'kucoin', 'launchdarkly', 'linkedin', 'lob',
  'looker', 'mailgun', 'mapbox', 'mattermost', 'meraki', 'messagebird', 'netlify', 'newrelic', 'nytimes', 'okta', 'opsgenie', 'plaid', 'privateai', 'rapidapi',
  'sendbird', 'sentry', 'shodan', 'snyk', 'sonar', 'squarespace', 'sumo', 'travis', 'trello', 'twitch', 'twitter', 'typeform', 'yandex', 'zendesk',
];

const SUFFIX = '(?:[_-]?(?:\\d{1,4}|value|string|str|text|prod|production|live|staging|stage|dev|raw|plain|b64|base64|default))?$';
const FRAMEWORK = new RegExp(`(?:secret[_-]?key(?:[_-]?base)?|jwt[_-]?secret|(?:^|[_.-])app[_-]?key|session[_-]?secret|cookie[_-]?secret|secret[_-]?key[_-]?fallback)${SUFFIX}`, 'i');
const PASSWORD = new RegExp(`(?:passw(?:or)?d|passphrase|passcode|pwd|(?:^|[_.-])pass|(?:[a-z])Pass)${SUFFIX}`, 'i');
const SECRET = new RegExp(
  `(?:secret|token|credentials?|(?:^|[_.-])creds?|(?:[a-z])Creds?|(?:api|access|auth|private|signing|encryption|master|shared|hmac|account|storage)[_.-]?key|[_-]auth|[a-z]Auth)${SUFFIX}`,
  'i',
);
const BARE = /^(?:key|auth)$/i;
/** Against the name in snake case, so that `lob` is not found in `Global`. */
const VENDOR = new RegExp(`(?:^|[_.-])(?:${vendorWords.join('|')})`);
/** Names that end like this, or hold one of these, hold an address, a label or public data. */
const OTHER_THING = new RegExp(
  '(?:ur[il]|path|file|filename|name|id|ids|type|alias|label|hint|header|size|length|version|count|host|port|domain|region|email|user|username|channel|repo|org|team|project|' +
  'model|endpoint|bucket|branch|image|sha|hash|digest|checksum|commit|rev|title|message|error|prompt|pattern|regex|format|field|column|param|policy|status|scope|mode|class|' +
  'prefix|suffix|date|time|expiry|expires|ttl|limit|index|placeholder)s?$|' +
  '(?:public|pub|primary|foreign|cache|bucket|sort|hash|partition|schema|sequence|natural|hot)[_-]?key|csrf|xsrf|(?:next|page|paging|continuation|public|pagination|sync|request|idempotency|change|update)[_-]?token|' +
  'tokeni[sz]|author(?!i[sz]ation)|authentic|accessib|accessor|random[_-]?access',
  'i',
);

/** How secret-like a name is; undefined when its value is not looked at. */
/** Tokens that an API hands out to go on with something (a page, a lock, an upload), in the case in which it writes its members. */
const API_TOKEN = /(?:^|[a-z.])(?:[Ll]ock|[Bb]ackward|[Ff]orward|[Aa]ction|[Ii]mport|[Ee]xport|[Cc]lient|[Vv]erification|[Cc]opyProduct|WebIdentity)Token$/;

function classOf(name: string): KeyClass | undefined {
  if (OTHER_THING.test(name) || API_TOKEN.test(name)) return undefined;
  if (FRAMEWORK.test(name)) return 'framework';
  if (PASSWORD.test(name)) return 'password';
  const vendor = VENDOR.test(name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase());
  if (SECRET.test(name)) return vendor ? 'vendor-secret' : 'secret';
  if (vendor) return 'vendor';
  return BARE.test(name) ? 'bare' : undefined;
}

/** Least length, classes and entropy of a value by the class of its name; unquoted values of configuration files need more for a password. */
const LIMITS: Record<KeyClass, readonly [length: number, classes: number, entropy: number]> = {
  framework: [16, 1, 3], password: [8, 3, 2.8], secret: [16, 2, 3], 'vendor-secret': [14, 2, 2.6], vendor: [14, 1, 2.6], bare: [20, 2, 3.6],
};
const BARE_PASSWORD: readonly [number, number, number] = [10, 3, 3];

/**
 * Which name-based detector an assignment falls to, or undefined when it holds no secret. Whether the value is a literal at all in
 * source code is for the caller to say: `inCode` is true when the value's quote opens a string of the code itself.
 */
export function classifyAssignment(assignment: Assignment, value: string, kind: SourceKind, inCode: boolean): GenericKind | undefined {
  if (assignment.interpolated || value.length < 6 || /\s/.test(value)) return undefined;
  const keyClass = classOf(assignment.name);
  if (keyClass === undefined || isReference(value) || isPlaceholder(value)) return undefined;
  if (isStrong(keyClass, assignment, value, kind)) return keyClass === 'framework' ? 'framework-key' : 'generic';
  const weak = keyClass === 'password' && inCode && assignment.quoted && !assignment.loose && isWeakPassword(value);
  return weak ? 'password-literal' : undefined;
}

function isStrong(keyClass: KeyClass, { name, quoted, loose }: Assignment, value: string, kind: SourceKind): boolean {
  const bare = keyClass === 'password' && !quoted;
  if ((bare && kind !== 'config') || (keyClass === 'bare' && loose)) return false;
  const [length, classes, entropy] = bare ? BARE_PASSWORD : LIMITS[keyClass];
  if (value.length < length || characterClasses(value) < classes || shannonEntropy(value) < entropy) return false;
  if (isPlainData(value) || isLettersOnly(value) || (keyClass === 'password' ? isSlug(value) : isWordLike(value))) return false;
  // A uuid is an identifier unless its name says secret; a vendor's key has no punctuation a sentence or query would have.
  if (isUuid(value)) return keyClass !== 'vendor' && keyClass !== 'bare' && !/client[_-]?token/i.test(name);
  return keyClass !== 'vendor' || (/^[\w=+/.~-]+$/.test(value) && /\d/.test(value));
}

function isWeakPassword(value: string): boolean {
  return /\d/.test(value) && /[a-z]/i.test(value) && !isUuid(value) && !isPlainData(value) && !isSlug(value);
}

/** Only letters count as a secret when long, of mixed case and without CamelCase words (which isWordLike tells). */
function isLettersOnly(value: string): boolean {
  if (!/^[A-Za-z]+$/.test(value)) return false;
  return value.length < 24 || characterClasses(value) < 2 || shannonEntropy(value) <= 4.2;
}
