/** What the command line of a server says: the package it fetches, the folders it opens, the secrets in it. */
import type { SecretHit } from '../../../../secrets/secrets.types.ts';
import type { JsonNode } from './json-places.ts';
import { isFilledIn, looksSecret, secretInQuery } from './mcp-secrets.ts';

/** A word of the command line, and the value of the file that it stands in. */
export type Word = { readonly text: string; readonly node: JsonNode };

const shells = /(?:^|[\\/])(?:ba|z|da|k)?sh(?:\.exe)?$|(?:^|[\\/])(?:cmd|powershell|pwsh)(?:\.exe)?$/i;

/** The words of a command line; what a shell is given to run (`bash -c "npx …"`) counts word by word. */
export function wordsOf(nodes: readonly JsonNode[]): readonly Word[] {
  const words = nodes.map((node) => ({ node, text: node.type === 'string' ? node.value : '' }));
  const shell = shells.test(words[0]?.text ?? '');
  return words.flatMap(({ node, text }, at) => (shell && at > 0 && /^(?:-\w{0,4}c|\/c|-Command)$/i.test(words[at - 1]?.text ?? '')
    ? text.split(/[\s;&|"']+/).filter((each) => each !== '').map((each) => ({ node, text: each })) : [{ node, text }]));
}

const runners = /(?:^|[\\/])(?:npx|bunx|pnpx|uvx)(?:\.cmd|\.exe)?$/i;
const managers = /(?:^|[\\/])(?:pnpm|yarn|npm|bun)(?:\.cmd)?$/i;
/** Flags of the runners that take a value of their own: the package to fetch, one more package, or something else. */
const packageFlags = new Set(['-p', '--package', '--from', '--spec']);
const otherFlags = new Set(['--python', '--index-url', '--registry', '-c', '--call', '--cache', '--prefix', '--with-requirements', '--with-editable', '--directory', '--project']);

/** Where the runner's own arguments begin; `local`: what it runs is a script of this machine, so that only `--with` fetches. */
function runnerAt(texts: readonly string[]): { readonly from: number; readonly local: boolean } | undefined {
  for (const [at, text] of texts.entries()) {
    const [next = '', afterNext = ''] = texts.slice(at + 1, at + 3);
    const name = /([\w.-]{1,40}?)(?:\.cmd|\.exe)?$/i.exec(text)?.[1]?.toLowerCase();
    if (runners.test(text)) return { from: at + 1, local: false };
    if (managers.test(text) && /^(?:dlx|exec|x)$/.test(next)) return { from: at + 2, local: false };
    if (name === 'uv' && next === 'tool' && afterNext === 'run') return { from: at + 3, local: false };
    if (name === 'uv' && next === 'run') return { from: at + 2, local: true };
    if ((name === 'pipx' || name === 'deno') && next === 'run') return { from: at + 2, local: false };
  }
  return undefined;
}

/** CONFIG-MCP-001: tells each package that is fetched in whatever version is newest. */
export function checkPackage(words: readonly Word[], report: (word: Word) => void): void {
  const texts = words.map(({ text }) => text);
  const runner = runnerAt(texts);
  if (runner === undefined) return;
  const isDeno = /(?:^|[\\/])deno(?:\.exe)?$/i.test(texts[runner.from - 2] ?? '');
  for (let index = runner.from; index < texts.length; index++) {
    const word = words[index] as Word;
    const next = words[index + 1];
    const [, flag = word.text, value] = /^(--[\w-]{1,40})=(.*)$/.exec(word.text) ?? [];
    if (otherFlags.has(flag)) index += value === undefined ? 1 : 0;
    else if (flag === '--with') {
      if (!(value ?? next?.text ?? '').split(',').every(isPinned)) report(value === undefined && next !== undefined ? next : word);
      index += value === undefined ? 1 : 0;
    } else if (packageFlags.has(flag)) {
      if (!isPinned(value ?? next?.text ?? '')) report(value === undefined && next !== undefined ? next : word);
      return;
    } else if (!word.text.startsWith('-')) {
      // Deno runs files and addresses too; what it fetches by name is written with the registry's.
      const fetched = isDeno ? /^(?:npm|jsr):(.*)$/.exec(word.text)?.[1] : word.text;
      if (!runner.local && fetched !== undefined && !isPinned(fetched)) report(word);
      return;
    }
  }
}

/** An exact version, a commit, a path of this machine, or something filled in later. */
function isPinned(spec: string): boolean {
  if (spec === '' || /^[./~]|^[A-Za-z]:[\\/]|\$\{|^file:/.test(spec)) return true;
  if (/^(?:git\+|github:|https?:)/i.test(spec)) return /[#@][0-9a-f]{7,64}$/i.test(spec);
  return /.@v?\d{1,9}\.\d{1,9}[\w.+-]{0,80}$|==\d[\w.+!-]{0,80}$/.test(spec);
}

/** CONFIG-MCP-002 in arguments: `--api-key K`, `--api-key=K`, `--header "Name: value"`, `-e NAME=VALUE`, an address's query. */
export function checkArguments(words: readonly Word[], secrets: readonly SecretHit[], report: (word: Word, name: string) => void): void {
  for (const [at, word] of words.entries()) {
    const { text, node } = word;
    const before = words[at - 1]?.text ?? '';
    const given = givenBy(before, text);
    const query = secretInQuery(text);
    if (query !== undefined) report(word, query);
    else if (given !== undefined && !isFilledIn(given.value) && looksSecret(given.name, given.value)) report(word, given.name);
    else if (!isFilledIn(text) && secrets.some((hit) => hit.start < node.end && node.start < hit.end)) report(word, '');
  }
}

/** Name and value that a word gives, alone or after the flag before it. */
function givenBy(before: string, text: string): { readonly name: string; readonly value: string } | undefined {
  const [, flag = before, rest = text] = /^(--header|-H|--env|-e)=(.+)$/.exec(text) ?? [];
  if (flag === '--header' || flag === '-H' || flag === '--env' || flag === '-e') {
    const [, name, value] = /^([\w-]{1,80})[ ]{0,4}[:=][ ]{0,4}(.+)$/.exec(rest) ?? [];
    return name === undefined || value === undefined ? undefined : { name, value };
  }
  const [, own, value] = /^--?([A-Za-z][\w-]{1,60})=(.+)$/.exec(text) ?? [];
  if (own !== undefined && value !== undefined) return { name: own, value };
  const name = text.startsWith('-') ? undefined : /^--?([A-Za-z][\w-]{1,60})$/.exec(before)?.[1];
  return name === undefined ? undefined : { name, value: text };
}

/** CONFIG-MCP-004: tells each folder that is a whole disk or home. */
export function checkFolders(words: readonly Word[], key: string, report: (word: Word, folder: string) => void): void {
  const isFileServer = [key, ...words.map(({ text }) => text)].some((text) => /file-?_?system|(?:^|[-_/])fs(?:$|[-_@])/i.test(text));
  if (!isFileServer) return;
  const inContainer = /(?:^|[\\/])(?:docker|podman|nerdctl)(?:\.exe)?$/i.test(words[0]?.text ?? '');
  for (const [at, word] of words.entries()) {
    const folder = inContainer ? mountedFolder(words[at - 1]?.text ?? '', word.text) : word.text.replace(/^--?[\w-]{1,40}=/, '');
    if (folder !== undefined && isWholeDisk(folder)) report(word, folder);
  }
}

/** The folder of this machine that a container gets: of `-v /:/data`, `--volume=…`, `--mount type=bind,source=/,target=…`. */
function mountedFolder(before: string, text: string): string | undefined {
  const [, flag = before, value = text] = /^(-v|--volume|--mount)=?(.+)$/.exec(text) ?? [];
  if (flag === '--mount') return /(?:^|,)(?:source|src)=([^,]*)/.exec(value)?.[1];
  return flag === '-v' || flag === '--volume' ? /^([A-Za-z]:[\\/][^:]*|[^:]*):/.exec(value)?.[1] : undefined;
}

/** A disk, the folder of all users, or the whole of one user's, as systems and shells write them. */
const wholeDisks: readonly RegExp[] = [
  /^\/(?:\*{1,2})?$/, /^~\/?$/, /^\$\{?HOME\}?\/?$/, /^\$\{userHome\}\/?$/, /^%USERPROFILE%\\?$/, /^\/(?:home|Users|root|etc|var|usr)\/?$/,
  /^\/(?:home|Users)\/[^/]+\/?$/, /^[A-Za-z]:[\\/]?$/, /^[A-Za-z]:[\\/]Users(?:[\\/][^\\/]+)?[\\/]?$/,
];

const isWholeDisk = (folder: string): boolean => wholeDisks.some((pattern) => pattern.test(folder));
