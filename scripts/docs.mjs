// Writes docs/tools.md from the tool tables that the program itself shows. `--check` compares instead and exits with 1 where
// they differ; TOOLWIRE names another launcher than bin/toolwire.js.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'docs', 'tools.md');
const launcher = process.env.TOOLWIRE ?? path.join(root, 'bin', 'toolwire.js');

const toolsOf = (family) => JSON.parse(execFileSync(process.execPath, [launcher, family, 'tools', '--json'], { encoding: 'utf8' })).tools;
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');

function typeOf(schema) {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.type === 'array') return `array of ${typeOf(schema.items ?? {})}`;
  return [schema.type ?? 'any'].flat().join(' or ');
}

const limits = { default: 'default', minimum: 'at least', maximum: 'at most', minLength: 'least length', maxLength: 'most characters', minItems: 'least items', maxItems: 'most items' };
const limitsOf = (schema) => Object.entries(limits).filter(([name]) => schema[name] !== undefined).map(([name, words]) => ` (${words} ${JSON.stringify(schema[name])})`).join('');

function table(head, { properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const always = required.includes(name) ? 'yes' : '';
    return `| \`${name}\` | ${cell(typeOf(schema))} | ${always} | ${cell(schema.description ?? '')}${cell(limitsOf(schema))} |`;
  });
  return rows.length === 0 ? [] : [`| ${head} | type | required | |`, '| --- | --- | --- | --- |', ...rows, ''];
}

function describe({ name, title, description, inputSchema, outputSchema, annotations }) {
  const hints = [
    annotations.readOnlyHint ? 'reads only' : annotations.destructiveHint ? 'changes things and may destroy some' : 'changes things, destroys none',
    ...(annotations.idempotentHint && !annotations.readOnlyHint ? ['the same call again changes nothing more'] : []),
    annotations.openWorldHint ? 'may use the network' : 'uses no network',
  ];
  const input = table('argument', inputSchema);
  return [
    `### ${name}`, '', `*${title}*: ${hints.join(', ')}.`, '', description, '',
    ...(input.length === 0 ? ['No arguments.', ''] : input),
    ...(outputSchema === undefined ? [] : table('answer', outputSchema)),
  ];
}

const families = readdirSync(path.join(root, 'lib', 'families')).sort();
const text = [
  '# Tools', '', 'Made by `npm run docs` from the tool tables; a spec compares it with them. `toolwire tools --json` prints the schemas.', '',
  ...families.flatMap((family) => [`## ${family}`, '', ...toolsOf(family).flatMap(describe)]),
].join('\n').trimEnd() + '\n';

if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
} else if (readFileSync(target, 'utf8') !== text) {
  console.error('docs/tools.md differs from the tool tables: run `npm run docs`');
  process.exitCode = 1;
}
