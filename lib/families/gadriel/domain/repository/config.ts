import { parse, TomlError } from 'smol-toml';
import { parseIgnoreRules } from '../../../../files/ignore-rules.ts';
import { compilePattern } from '../../../../schema/pattern.ts';
import { detectorTable } from '../../../../secrets/scan.ts';
import type { ClearKind } from '../analysis/model.types.ts';
import { severities, type Severity } from '../finding.types.ts';
import { safeText } from '../../../../text/safe-text.ts';
import { isObject } from '../records/is-object.ts';
import { decodeRecord, readRecord } from '../records/record-files.ts';
import { ruleIdSpellings } from '../records/rule-ids.ts';
import { rules } from '../rules/index.ts';
import { ToolFailed } from '../tool-failed.ts';
import { lineOfKey } from './config-lines.ts';
import { mcpRules } from './mcp-rules.ts';
import { plainSettings, type OwnSecret, type OwnSink, type ScanSettings } from './settings.types.ts';

/** What a repository's `.gadriel.toml` says: patterns of files to leave out (as in .gitignore), and what is looked for. */
export type RepositoryConfig = { readonly exclude: readonly string[]; readonly scan: ScanSettings };

/** Name of the file of settings, at the root of a repository. */
export const configName = '.gadriel.toml';
const maxConfigBytes = 256 * 1024;
/** Bounds that keep a hostile file from making each look cost seconds. */
const maxRows = 200;
const maxSecrets = 50;
const maxPatternLength = 500;

const topKeys: readonly string[] = ['exclude', 'rules', 'secret', 'source', 'sink', 'sanitizer'];
const clearKinds: readonly ClearKind[] = ['sql', 'shell', 'path', 'html', 'url', 'log', 'regex', 'code', 'all'];

/** The settings of a repository without a `.gadriel.toml`. */
export const plainConfig: RepositoryConfig = { exclude: [], scan: plainSettings };

/** Reads the settings of a repository. Throws ToolFailed with the line of what is wrong; a missing file is no settings. */
export async function loadConfig(root: string): Promise<RepositoryConfig> {
  const bytes = await readRecord(root, configName, maxConfigBytes);
  return bytes === undefined ? plainConfig : parseConfig(decodeRecord(bytes, configName));
}

/** Whether patterns as in .gitignore leave a path out, by its own name or that of a folder above it. */
export function excluder(patterns: readonly string[]): (path: string) => boolean {
  if (patterns.length === 0) return () => false;
  const ignore = parseIgnoreRules(patterns.join('\n'));
  return (path) => {
    const names = path.split('/');
    return names.some((_, index) => ignore.verdict(names.slice(0, index + 1), index < names.length - 1) === true);
  };
}

/** Reads the text of a `.gadriel.toml`; throws as `loadConfig` does. */
export function parseConfig(text: string): RepositoryConfig {
  let values: Readonly<Record<string, unknown>>;
  try {
    values = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new ToolFailed(`${configName}, line ${error.line}: it is not valid TOML`, { cause: error });
  }
  return new Reading(text, values).config();
}

type Row = Readonly<Record<string, unknown>>;

class Reading {
  readonly #text: string;
  readonly #values: Row;

  constructor(text: string, values: Row) {
    this.#text = text;
    this.#values = values;
  }

  config(): RepositoryConfig {
    for (const key of Object.keys(this.#values)) {
      if (!topKeys.includes(key)) this.#fail('', key, 0, `unknown key ${key}; known are ${topKeys.join(', ')}`);
    }
    const secrets = this.#secrets();
    return {
      exclude: this.#exclude(),
      scan: { profile: 'default', secrets, ...this.#rules(secrets), sources: this.#sources(), sinks: this.#sinks(), sanitizers: this.#sanitizers() },
    };
  }

  #fail(table: string, key: string, nth: number, what: string): never {
    throw new ToolFailed(`${configName}, line ${lineOfKey(this.#text, table, key, nth)}: ${safeText(what, 400)}`);
  }

  #exclude(): string[] {
    const list = this.#values['exclude'] ?? [];
    if (!Array.isArray(list) || list.length > maxRows || !list.every((each): each is string => typeof each === 'string' && each !== '' && !each.includes('\n'))) {
      this.#fail('', 'exclude', 0, `exclude must be a list of at most ${maxRows} patterns as in .gitignore`);
    }
    return list;
  }

  #rules(own: readonly OwnSecret[]): Pick<ScanSettings, 'off' | 'severity'> {
    const table = this.#values['rules'] ?? {};
    if (!isObject(table)) this.#fail('', 'rules', 0, 'rules must be a table of rule ids');
    const known = new Set([...rules, ...detectorTable, ...mcpRules, ...own].map(({ id }) => id));
    const off: string[] = [];
    const severity: Record<string, Severity> = {};
    const spelt = new Map<string, string>();
    for (const [key, value] of Object.entries(table)) {
      const id = ruleIdSpellings(key).find((each) => known.has(each));
      if (id === undefined) this.#fail('rules', key, 0, `unknown rule ${key}; gadriel code rules lists them`);
      // Which of the two was meant can not be told.
      if (spelt.has(id)) this.#fail('rules', key, 0, `${key} is the same rule as ${spelt.get(id)}`);
      spelt.set(id, key);
      const word = severities.find((each) => each === value);
      if (word !== undefined) severity[id] = word;
      else if (value === 'off' || value === false) off.push(id);
      else if (value !== 'on' && value !== true) this.#fail('rules', key, 0, `${key} must be "on", "off" or one of ${severities.join(', ')}`);
    }
    return { off: off.sort(), severity };
  }

  #secrets(): OwnSecret[] {
    return this.#rows('secret', ['id', 'title', 'pattern', 'severity'], maxSecrets).map((row, nth) => {
      const id = this.#string('secret', row, 'id', nth);
      if (!/^[A-Za-z\d][A-Za-z\d-]{0,39}$/.test(id)) this.#fail('secret', 'id', nth, 'id must be up to 40 letters, digits and hyphens');
      const pattern = this.#string('secret', row, 'pattern', nth);
      if (pattern.length > maxPatternLength) this.#fail('secret', 'pattern', nth, `pattern is longer than ${maxPatternLength} characters`);
      const compiled = compilePattern(pattern);
      if ('refused' in compiled) this.#fail('secret', 'pattern', nth, `pattern ${compiled.refused}`);
      if (compiled.matches('')) this.#fail('secret', 'pattern', nth, 'pattern fits the empty text, so it would fit everywhere');
      const severity = severities.find((each) => each === (row['severity'] ?? 'high'));
      if (severity === undefined) this.#fail('secret', 'severity', nth, `severity must be one of ${severities.join(', ')}`);
      return { id: `CODE-W1-SECRET-OWN-${id.toUpperCase()}`, title: this.#string('secret', row, 'title', nth, `Secret of the kind ${id}`), pattern, severity };
    });
  }

  #sources(): ScanSettings['sources'] {
    return this.#rows('source', ['name', 'note']).map((row, nth) => {
      const note = this.#string('source', row, 'note', nth, 'source named in .gadriel.toml');
      return { name: this.#name('source', row, nth), note };
    });
  }

  #sinks(): OwnSink[] {
    return this.#rows('sink', ['name', 'rule', 'argument']).map((row, nth) => {
      const given = this.#string('sink', row, 'rule', nth);
      const rule = ruleIdSpellings(given).find((each) => rules.some(({ id }) => id === each));
      if (rule === undefined) this.#fail('sink', 'rule', nth, `rule must be the id of a rule for Python, not ${given}`);
      const argument = row['argument'] ?? 0;
      const isKeyword = typeof argument === 'string' && /^[A-Za-z_]\w{0,80}$/.test(argument);
      const isPlace = isKeyword || (typeof argument === 'number' && Number.isInteger(argument) && argument >= 0 && argument < 50);
      if (!isPlace) this.#fail('sink', 'argument', nth, 'argument must be a number from 0 or the name of a keyword');
      return { name: this.#name('sink', row, nth), rule, argument: argument as number | string };
    });
  }

  #sanitizers(): ScanSettings['sanitizers'] {
    return this.#rows('sanitizer', ['name', 'clears']).map((row, nth) => {
      const clears = row['clears'] ?? ['all'];
      const isList = Array.isArray(clears) && clears.length > 0 && clears.every((each): each is ClearKind => clearKinds.some((kind) => kind === each));
      if (!isList) this.#fail('sanitizer', 'clears', nth, `clears must be a list of ${clearKinds.join(', ')}`);
      return { name: this.#name('sanitizer', row, nth), clears };
    });
  }

  /** The tables of a `[[name]]`, with known keys alone. */
  #rows(table: string, keys: readonly string[], most = maxRows): readonly Row[] {
    const rows = this.#values[table] ?? [];
    if (!Array.isArray(rows) || rows.length > most || !rows.every(isObject)) this.#fail('', table, 0, `${table} must be at most ${most} tables [[${table}]]`);
    (rows as Row[]).forEach((row, nth) => {
      const unknown = Object.keys(row).find((key) => !keys.includes(key));
      if (unknown !== undefined) this.#fail(table, unknown, nth, `unknown key ${unknown} of ${table}; known are ${keys.join(', ')}`);
    });
    return rows as Row[];
  }

  #string(table: string, row: Row, key: string, nth: number, absent?: string): string {
    const value = row[key] ?? absent;
    if (typeof value !== 'string' || value === '' || value.length > 1_000) this.#fail(table, key, nth, `${key} of ${table} must be a text`);
    return value;
  }

  #name(table: string, row: Row, nth: number): string {
    const name = this.#string(table, row, 'name', nth);
    // A qualified name of the analysis: segments, each perhaps a call's result or an element.
    if (name.length > 200 || !name.split('.').every((segment) => /^[A-Za-z_]\w*(?:\(\)|\[\]){0,4}$/.test(segment))) {
      this.#fail(table, 'name', nth, 'name must be a dotted name such as pkg.module.function');
    }
    return name;
  }
}
