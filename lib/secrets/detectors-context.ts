import type { ContextDetector, Found, ScanSource, Verdict } from './detectors.types.ts';
import { characterClasses } from './entropy.ts';
import { findKubernetesData } from './kubernetes.ts';
import { isPlaceholder, isPlaceholderToken, isReference } from './placeholders.ts';
import { isSlug, isWordLike } from './plain-data.ts';
import type { SecretConfidence, SecretSeverity, Span } from './secrets.types.ts';

type Extra = {
  provider?: string;
  severity?: SecretSeverity;
  confidence?: SecretConfidence;
  rank?: number;
  verify?: (secret: string) => Verdict;
};

const CONTEXT_RANK = 2;

function context(
  number: string, name: string, title: string, keywords: readonly string[], minEntropy: number,
  find: ContextDetector['find'], extra: Extra = {},
): ContextDetector {
  const { severity = 'high', confidence = 'medium', rank = CONTEXT_RANK, ...rest } = extra;
  return { id: `CODE-W1-SECRET-${number}`, name, title, keywords, minEntropy, find, severity, confidence, rank, ...rest };
}

/** All matches of a pattern in the stretch from `before` characters ahead of the keyword to `after` behind its start; group 1 is the secret. */
function near(pattern: RegExp, before: number, after: number): ContextDetector['find'] {
  const global = new RegExp(pattern.source, `${pattern.flags}dg`);
  return ({ text }, at) => {
    const from = Math.max(0, at - before);
    const spans: Span[] = [];
    for (const match of text.slice(from, at + after).matchAll(global)) {
      const [start, end] = match.indices![1]!;
      spans.push({ start: from + start, end: from + end });
    }
    return { spans };
  };
}

const NOTHING: Found = { spans: [] };

function oneSpan(start: number, end: number): Found {
  return { spans: [{ start, end }], until: end };
}

/** From a vendor's name over the rest of a key to `=`, `:` or `=>` and the value's quote. */
const TO_VALUE = '[\\w .-]{0,30}(?:\\\\?["\'`])?\\]?[ \\t]{0,5}(?:[:?+]?={1,2}>?|:)[ \\t]{0,5}(?:\\\\?["\'`])?';
const valueOf = (vendor: string, value: string): ContextDetector['find'] => near(new RegExp(`^${vendor}${TO_VALUE}(${value})(?![\\w/+=-])`, 'i'), 0, 160);

const notStandIn = (secret: string): Verdict => (isPlaceholder(secret) || isReference(secret) ? false : undefined);
const notWords = (secret: string): Verdict => (isWordLike(secret) ? false : notStandIn(secret));

/** Detectors that read what stands round a value. Shapes: gadriel's detector table; vendors' length and alphabet where known. */
export const contextDetectors: readonly ContextDetector[] = [
  context('002', 'aws-secret', 'AWS secret access key', ['aws', 'secret_access_key', 'secret-access-key', 'secretaccesskey'], 4,
    near(new RegExp(`^(?:aws.{0,24}?(?:secret|key)|secret[_-]?access[_-]?key)${TO_VALUE}([A-Za-z0-9/+]{40})(?![\\w/+=])`, 'i'), 0, 140),
    { provider: 'aws', severity: 'critical', confidence: 'high', verify: (secret) => (isPlaceholderToken(secret) || characterClasses(secret) < 3 ? false : undefined) }),
  context('016', 'gcp-service-account', 'Google Cloud service account key', ['service_account'], 0, findServiceAccountKey,
    { provider: 'google', severity: 'critical', confidence: 'high', rank: 4 }),
  context('023', 'cohere', 'Cohere API key', ['cohere', 'co_api_key'], 4, valueOf('(?:cohere|co_api_key)', '[A-Za-z0-9]{40}'), { provider: 'cohere' }),
  context('024', 'ai-vendor', 'Mistral, Weights & Biases or Pinecone API key', ['mistral', 'wandb', 'pinecone'], 3,
    near(new RegExp(`^(?:mistral${TO_VALUE}(?=[A-Za-z0-9]{32}(?!\\w))|wandb${TO_VALUE}(?=[a-f0-9]{40}(?!\\w))|pinecone${TO_VALUE}(?=[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}(?!\\w)))([\\w-]{32,40})`, 'i'), 0, 140),
    { verify: (secret) => (/\d/.test(secret) && !isPlaceholder(secret) ? undefined : false) }),
  context('029', 'mailchimp', 'Mailchimp API key', ['mailchimp'], 3, near(/(?<!\w)([0-9a-f]{32}-us\d\d)(?!\w)/i, 120, 160), { provider: 'mailchimp', confidence: 'high' }),
  context('032', 'npmrc', 'npm registry token', ['_authtoken', '_password', '_auth'], 3, findNpmrcAuth, { provider: 'npm', verify: notWords }),
  context('035', 'nuget', 'NuGet feed password', ['password'], 1, findNugetPassword, { provider: 'nuget', verify: notStandIn }),
  context('065', 'private-key', 'Private key', ['-----begin'], 0, findPrivateKey,
    { severity: 'critical', confidence: 'high', verify: (secret) => (/ENCRYPTED/.test(secret) ? { severity: 'high', confidence: 'medium' } : undefined) }),
  context('069', 'url-credential', 'Password in an address', ['://'], 0, near(/^:\/\/[^\s:@/'"`<>?#]{0,80}:([^\s@/'"`<>?#]{3,120})@(?:[A-Za-z0-9]|\[)/, 0, 240),
    { verify: isUrlPassword }),
  context('070', 'connection-string', 'Password in a connection string', ['pwd', 'password'], 0, findConnectionPassword, { verify: notStandIn }),
  context('071', 'bearer', 'Bearer token', ['bearer'], 3.2, findBearer, { verify: notStandIn }),
  context('072', 'curl-auth', 'Credential on a curl command line', ['curl'], 2, findCurlCredentials, { verify: isCurlCredential }),
  context('073', 'kubernetes-secret', 'Value in a Kubernetes Secret', ['kind'], 0, ({ text }, at) => findKubernetesData(text, at), { provider: 'kubernetes' }),
];

/** The `private_key` of the JSON object that says it is a service account; the two stand within 4,000 characters. */
function findServiceAccountKey({ text }: ScanSource, at: number): Found {
  if (!/"type\\?"\s{0,4}:\s{0,4}\\?"$/.test(text.slice(Math.max(0, at - 24), at))) return NOTHING;
  const from = Math.max(0, at - 4000);
  const near = text.slice(from, at + 4000);
  const key = /private_key\\?"\s{0,4}:\s{0,4}\\?"(-----BEGIN[^"]{60,4000})/.exec(near);
  if (key === null) return { spans: [], until: at + 2000 };
  const start = from + key.index + key[0].length - key[1]!.length;
  return { spans: [{ start, end: start + key[1]!.length }], until: start };
}

/** A PEM block with at least 64 characters of body, whatever indents, escapes or quotes break its lines. */
function findPrivateKey({ text }: ScanSource, at: number): Found {
  const head = /^-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----/i.exec(text.slice(at, at + 90));
  if (head === null) return NOTHING;
  const body = at + head[0].length;
  // The next dashes end the block, so that many opening lines cost one pass in all.
  const close = text.indexOf('-----', body);
  if (close < 0 || close - body > 20_000 || !/^-----END[ A-Z0-9_-]{0,40}PRIVATE KEY/i.test(text.slice(close, close + 80))) return NOTHING;
  if (/\.\.\.|EXAMPLE/.test(text.slice(body, close))) return NOTHING;
  const inner = text.slice(body, close).replace(/\\[nrt]|["'`+,;>#*|\s\\]/g, '');
  const base64 = inner.replace(/[^A-Za-z0-9+/=]/g, '');
  if (base64.length < 64 || base64.length < inner.length * 0.9 || new Set(base64).size < 12) return NOTHING;
  const last = text.indexOf('-----', close + 5);
  return oneSpan(at, last < 0 || last - close > 80 ? close + 8 : last + 5);
}

/** `_authToken=` anywhere; `_auth=` and `_password=` in an npm configuration file only. */
function findNpmrcAuth({ text, path }: ScanSource, at: number): Found {
  const match = /^(_authToken|_auth|_password)[ \t]{0,4}=[ \t]{0,4}["']?([^\s"'`$<>{};,]{8,400})/.exec(text.slice(at, at + 440));
  if (match === null || (match[1] !== '_authToken' && !/\.?npmrc$/.test(path))) return NOTHING;
  const end = at + match[0].length;
  return oneSpan(end - match[2]!.length, end);
}

function findNugetPassword({ text, path }: ScanSource, at: number): Found {
  if (!/nuget\.config$/i.test(path)) return NOTHING;
  const match = /^password["']\s{1,8}value\s{0,4}=\s{0,4}(["'])([^"'%]{8,200})\1/i.exec(text.slice(at, at + 260));
  if (match === null) return NOTHING;
  const end = at + match[0].length - 1;
  return oneSpan(end - match[2]!.length, end);
}

/** The user part may be empty (redis), the password must be no word about itself and nothing filled in later. */
function isUrlPassword(secret: string): Verdict {
  if (isPlaceholder(secret) || isReference(secret) || /^[$%{[(*.]/.test(secret) || /[{}()[\]|\\]|^\d+,/.test(secret)) return false;
  if (/^(?:pass(?:w(?:or)?d|phrase|code)?|pwd|pw|secret|token|api_?key|user(?:name)?|admin|root|port|\d{1,5})$/i.test(secret)) return false;
  return /^[a-z]+$/i.test(secret) ? { confidence: 'low', severity: 'medium' } : undefined;
}

const CONNECTION_WORD = /(?:^|[;"'\s])(?:Server|Data Source|Host|Uid|User Id|User|Database|Initial Catalog|Addr(?:ess)?|Port)\s{0,3}=/gi;

function findConnectionPassword({ text, inLiteral }: ScanSource, at: number): Found {
  const value = /^(?:pwd|password)[ \t]{0,3}=[ \t]{0,3}([^\s;"'`<>{}]{4,120})/i.exec(text.slice(at, at + 140));
  if (value === null || /[\w]/.test(text[at - 1] ?? '') || !isPasswordValue(value[1]!) || !inLiteral(at)) return NOTHING;
  // At most 400 characters each way of the same line.
  const before = text.slice(Math.max(0, at - 400), at);
  const after = text.slice(at, at + 400);
  const line = before.slice(before.lastIndexOf('\n') + 1) + (after.includes('\n') ? after.slice(0, after.indexOf('\n')) : after);
  if (new Set((line.match(CONNECTION_WORD) ?? []).map((word) => word.toLowerCase().replace(/[^a-z ]/g, ''))).size < 2) return NOTHING;
  const end = at + value[0].length;
  return oneSpan(end - value[1]!.length, end);
}

function isPasswordValue(value: string): boolean {
  return !/^(?:pass(?:w(?:or)?d)?|pwd|secret|none|null|\*+|[$%@<].*)$/i.test(value) && !/^\w+[([]/.test(value);
}

function findBearer({ text }: ScanSource, at: number): Found {
  if (!/authorization/i.test(text.slice(Math.max(0, at - 60), at))) return NOTHING;
  const match = /^bearer[ \t]{1,4}([\w~+/.-]{20,2000}={0,2})/i.exec(text.slice(at, at + 2020));
  if (match === null || /\.\.\.|\(/.test(match[1]!) || isWordLike(match[1]!)) return NOTHING;
  const end = at + match[0].length;
  return oneSpan(end - match[1]!.length, end);
}

const CURL_HEADER =
  /[ \t\n'"](?:-[A-Za-z]{0,6}H|--header)(?:=|[ \t]{0,5})\\?(["'])[ \t]{0,3}(?:(?:Proxy-)?Authorization:[ \t]{0,5}(?:Basic[ \t]{1,3}([A-Za-z0-9+/]{8,800}={0,3})|(?:Bearer|(?:Api-)?Token|ApiKey)[ \t]{1,3}(?:token=)?([\w=~@.+/-]{8,2000})|([\w=~@.+/-]{8,2000}))|(?:X-)?(?:[A-Za-z]{1,20}-){0,3}(?:Api-?)?(?:Key|Token):[ \t]{0,5}([\w=~@.+/-]{8,2000}))\\?\1/dgi;
const CURL_USER =
  /[ \t\n](?:-u|--user|--proxy-user)(?:=|[ \t]{0,5})(?:"([^":\n]{0,80}:[^"\n]{0,120})"|'([^':\n]{0,80}:[^'\n]{0,120})'|([^\s"':]{1,80}:[^\s"']{1,120})|([\w@.-]{1,80}:["'][^\s"']{1,120})["']|"[^"\n:]{1,80}":"([^"\n:]{1,120})")(?=\s|$)/dg;

/** Credentials of one curl command, which may go on over up to eight lines. */
function findCurlCredentials({ text }: ScanSource, at: number): Found {
  if (/\w/.test(text[at - 1] ?? '') || /\w/.test(text[at + 4] ?? '')) return NOTHING;
  const command = curlCommand(text.slice(at, at + 3000));
  const spans: Span[] = [];
  for (const pattern of [CURL_HEADER, CURL_USER]) {
    for (const match of command.matchAll(pattern)) {
      const group = (match.indices ?? []).slice(pattern === CURL_HEADER ? 2 : 1).find((range) => range !== undefined);
      if (group === undefined) continue;
      let [start, end] = group;
      if (pattern === CURL_USER) {
        // Only the password counts, or the user when it stands alone (`key:`, a habit of API keys).
        const colon = command.indexOf(':', start);
        if (colon >= start && colon < end - 1) start = colon + 1;
        else if (colon === end - 1) end = colon;
        while (command[start] === '"' || command[start] === '\'') start++;
      }
      if (!isSlug(command.slice(start, end))) spans.push({ start: at + start, end: at + end });
    }
  }
  return { spans, until: at + command.length };
}

function curlCommand(rest: string): string {
  let end = 0;
  for (let lines = 0; lines < 8; lines++) {
    const newline = rest.indexOf('\n', end);
    if (newline < 0) return rest;
    const goesOn = /\\\r?$/.test(rest.slice(Math.max(0, newline - 2), newline)) || /^[ \t#]{1,12}-{1,2}[A-Za-z]/.test(rest.slice(newline + 1, newline + 20));
    end = newline + 1;
    if (!goesOn) return rest.slice(0, newline);
  }
  return rest.slice(0, end);
}

function isCurlCredential(secret: string): Verdict {
  return isPlaceholder(secret) || isReference(secret) || /^[$[{(%]|[<>]/.test(secret) || /[\s$]\w*[{(]/.test(secret) ? false : undefined;
}
