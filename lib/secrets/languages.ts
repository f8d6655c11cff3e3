/** How a file writes its values: quoted source code, configuration, prose, or JSON-held code (notebooks). */
export type SourceKind = 'code' | 'config' | 'prose' | 'notebook';

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    python: 'py pyi pyw', javascript: 'js mjs cjs jsx', typescript: 'ts mts cts tsx', java: 'java', kotlin: 'kt kts', scala: 'scala sc',
    groovy: 'groovy gradle', go: 'go', rust: 'rs', c: 'c h', cpp: 'cc cpp cxx hpp hh hxx', 'objective-c': 'm mm', csharp: 'cs csx',
    fsharp: 'fs fsx', 'visual-basic': 'vb', swift: 'swift', dart: 'dart', php: 'php phtml', ruby: 'rb rake gemspec erb', perl: 'pl pm',
    lua: 'lua', r: 'r rmd', julia: 'jl', elixir: 'ex exs', erlang: 'erl hrl', haskell: 'hs', clojure: 'clj cljs cljc edn', ocaml: 'ml mli',
    nim: 'nim', zig: 'zig', solidity: 'sol', vue: 'vue', svelte: 'svelte', sql: 'sql', powershell: 'ps1 psm1 psd1', shell: 'sh bash zsh ksh fish',
    batch: 'bat cmd', dockerfile: 'dockerfile', makefile: 'mk mak', cmake: 'cmake', terraform: 'tf tfvars hcl', nix: 'nix', json: 'json jsonc json5 webmanifest',
    yaml: 'yml yaml', toml: 'toml', ini: 'ini cfg conf config cnf', properties: 'properties', dotenv: 'env', xml: 'xml xsd xsl plist csproj props',
    html: 'html htm xhtml', css: 'css scss sass less', markdown: 'md mdx markdown', restructuredtext: 'rst', asciidoc: 'adoc asciidoc', text: 'txt text log',
    csv: 'csv tsv', latex: 'tex', graphql: 'graphql gql', protobuf: 'proto', thrift: 'thrift', jupyter: 'ipynb', pem: 'pem key crt', diff: 'diff patch',
    vim: 'vim', assembly: 's asm', puppet: 'pp', rego: 'rego', starlark: 'bzl star', http: 'http rest', svg: 'svg',
  }).flatMap(([language, extensions]) => extensions.split(' ').map((extension): [string, string] => [extension, language])),
);

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'dockerfile'], ['containerfile', 'dockerfile'], ['makefile', 'makefile'], ['gnumakefile', 'makefile'], ['cmakelists.txt', 'cmake'],
  ['jenkinsfile', 'groovy'], ['vagrantfile', 'ruby'], ['gemfile', 'ruby'], ['rakefile', 'ruby'], ['podfile', 'ruby'], ['procfile', 'yaml'],
  ['pipfile', 'toml'], ['build', 'starlark'], ['workspace', 'starlark'], ['.env', 'dotenv'], ['.npmrc', 'ini'], ['.pypirc', 'ini'], ['.netrc', 'ini'],
  ['.gitconfig', 'ini'], ['.editorconfig', 'ini'], ['.bashrc', 'shell'], ['.zshrc', 'shell'], ['.profile', 'shell'], ['.bash_profile', 'shell'],
]);

const PROSE = new Set(['markdown', 'restructuredtext', 'asciidoc', 'latex', 'html']);
/** Shell-like files write literals without quotes, so they read as configuration. */
const CONFIG = new Set([
  'shell', 'batch', 'dockerfile', 'makefile', 'terraform', 'json', 'yaml', 'toml', 'ini', 'properties', 'dotenv', 'xml', 'text', 'csv', 'http', 'pem',
  'diff', 'svg', 'unknown',
]);

/** The lower-case language name of a path, by its file name or extension from a fixed table; `unknown` when neither is listed. */
export function languageOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const named = BY_NAME.get(name);
  if (named !== undefined) return named;
  if (name.startsWith('dockerfile.')) return 'dockerfile';
  if (name.startsWith('.env.')) return 'dotenv';
  return BY_EXTENSION.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'unknown';
}

/** How files of a language write values: whether a bare word after `=` is code or a literal. */
export function sourceKindOf(language: string): SourceKind {
  if (language === 'jupyter') return 'notebook';
  if (PROSE.has(language)) return 'prose';
  return CONFIG.has(language) ? 'config' : 'code';
}
