// Writes the tables of docs/gadriel.md between their markers, from the rules and detectors themselves. `--check` compares
// instead and exits with 1 where they differ. Reads the compiled modules of out/; `--from FOLDER` names another output folder.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'docs', 'gadriel.md');

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/** The table of SAST rules. */
export const rulesTable = (rules) =>
  table(
    ['rule', 'finds', 'CWE', 'severity', 'confidence', 'OWASP'],
    rules.map(({ id, title, cwe, severity, confidence, owasp }) => [`\`${id}\``, title, cwe, severity, confidence, owasp.join(', ')]),
  );

/** The table of secret detectors. */
export const detectorsTable = (detectors) =>
  table(
    ['rule', 'finds', 'severity', 'confidence'],
    detectors.map(({ id, title, severity, confidence }) => [`\`${id}\``, title, severity, confidence]),
  );

/** The table of bandit numbers and the rules that each covers. */
export const foreignIdsTable = (foreignIds) =>
  table(
    ['id', 'covers'],
    [...foreignIds].map(([number, ids]) => [`B${number}, S${number}`, ids.map((id) => `\`${id}\``).join(', ')]),
  );

/** The tables of the page by the name of their marker. */
export const tablesOf = ({ rules, mcpRules, detectorTable, foreignIds }) => ({
  rules: rulesTable([...rules, ...mcpRules]),
  detectors: detectorsTable(detectorTable),
  'foreign-ids': foreignIdsTable(foreignIds),
});

/** Replaces what stands between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. Throws where a marker is missing. */
export function fillMarkers(text, tables) {
  for (const [name, content] of Object.entries(tables)) {
    const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`docs/gadriel.md lacks the markers ${begin} and ${end}`);
    text = `${text.slice(0, from + begin.length)}\n${content}\n${text.slice(to)}`;
  }
  return text;
}

/** Loads what the tables are made of from a folder of compiled modules. */
async function load(folder) {
  if (!existsSync(path.resolve(root, folder, 'lib'))) throw new Error(`no compiled modules in ${folder}/: run \`npx tsc -p .\` first`);
  const modules = ['families/gadriel/domain/rules/index.js', 'families/gadriel/domain/repository/mcp-rules.js', 'families/gadriel/domain/foreign-ids.js', 'secrets/scan.js'];
  const loaded = await Promise.all(modules.map((name) => import(pathToFileURL(path.resolve(root, folder, 'lib', name)).href)));
  return Object.assign({}, ...loaded);
}

/** Runs with the words of a command line: `--check`, `--from FOLDER`. */
export async function main(words) {
  const from = words.includes('--from') ? words[words.indexOf('--from') + 1] : 'out';
  const old = readFileSync(target, 'utf8');
  const text = fillMarkers(old, tablesOf(await load(from)));
  if (!words.includes('--check')) writeFileSync(target, text);
  else if (text !== old) {
    console.error('docs/gadriel.md differs from the rules: run `npm run docs`');
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
