// Makes dist/: bundles for node, declarations for the exports, and THIRD_PARTY_LICENSES of what the bundles hold.
// `npm ci` runs it (prepare), so it needs nothing but the devDependencies and must be quick.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');
const filesBelow = (folder) => readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.posix.join(folder, String(name).replaceAll('\\', '/')));

const families = filesBelow('lib/families').filter((file) => /^lib\/families\/[^/]+\/index\.ts$/.test(file));
const workers = filesBelow('lib').filter((file) => file.endsWith('.worker.ts'));
const exported = ['lib/index.ts', 'lib/testing.ts', ...families];

const settings = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Beside the entries, so that `new URL('./x.worker.js', import.meta.url)` is right from every chunk.
  chunkNames: 'chunk-[hash]',
  metafile: true,
  logLevel: 'warning',
};

/**
 * The program and the library are bundled apart. In one build the modules that they share would be cut into a dozen small
 * files, and a host waits for each of them at start: so all that serving needs is in cli.js, and what the program imports
 * later is an entry of the library's build.
 */
async function bundle() {
  const later = new Map();
  const program = await build({ ...settings, splitting: false, entryPoints: { cli: 'lib/cli.ts' }, plugins: [leaveLater(later)] });
  const entryPoints = Object.fromEntries(exported.map((file) => [file.slice('lib/'.length, -'.ts'.length), file]));
  for (const file of workers) addEntry(entryPoints, path.posix.basename(file, '.ts'), file);
  for (const [name, file] of later) addEntry(entryPoints, name, file);
  const library = await build({ ...settings, entryPoints });
  return { ...program.metafile.outputs, ...library.metafile.outputs };
}

function addEntry(entryPoints, name, file) {
  if (name in entryPoints) throw new Error(`two modules would become dist/${name}.js`);
  entryPoints[name] = file;
}

/** Leaves our modules that are imported dynamically to files beside the program (`families/x/domain/y.ts`: x.y.js) and notes them. */
function leaveLater(entries) {
  const lib = path.join(root, 'lib');
  return {
    name: 'leave-later',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path: specifier, resolveDir, kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = path.resolve(resolveDir, specifier);
        const parts = path.relative(lib, file).slice(0, -'.ts'.length).split(path.sep);
        const entry = parts.filter((part) => part !== 'families' && part !== 'domain').join('.');
        entries.set(entry, path.relative(root, file));
        return { path: `./${entry}.js`, external: true };
      });
    },
  };
}

/** The licence texts of the packages that the bundles hold, in one file. */
function writeLicences(outputs) {
  const packages = new Set();
  for (const { inputs } of Object.values(outputs)) {
    for (const input of Object.keys(inputs)) {
      const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(input)?.[1];
      if (name !== undefined) packages.add(name);
    }
  }
  const sections = [...packages].sort().map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each));
    if (file === undefined) throw new Error(`${name} is bundled but has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  });
  const head = 'The files in dist/ hold code of the packages below, under their own licences.\n';
  writeFileSync(path.join(root, 'THIRD_PARTY_LICENSES'), [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`));
  return packages.size;
}

/** Declarations of lib, then away with those that no export reaches: a consumer never reads them. */
function writeTypes() {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', path.join(root, 'scripts', 'tsconfig.types.json')], { stdio: 'inherit' });
  const types = path.join(dist, 'types');
  const reached = new Set();
  const queue = ['index', 'testing', ...families.map((file) => file.slice('lib/'.length, -'.ts'.length))].map((name) => path.join(types, `${name}.d.ts`));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file) || !existsSync(file)) continue;
    reached.add(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s?['"](\.{1,2}\/[^'"]+)['"]/g)) {
      queue.push(path.resolve(path.dirname(file), specifier.replace(/\.[jt]s$/, '.d.ts')));
    }
  }
  for (const name of readdirSync(types, { recursive: true })) {
    const file = path.join(types, String(name));
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
  removeEmptyFolders(types);
  return { status: status ?? 1, count: reached.size };
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) removeEmptyFolders(path.join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}

const started = performance.now();
rmSync(dist, { recursive: true, force: true });
const outputs = await bundle().catch(() => {
  // esbuild has printed what is wrong.
  process.exit(1);
});
const licences = writeLicences(outputs);
const types = writeTypes();
const bytes = Object.values(outputs).reduce((sum, output) => sum + output.bytes, 0);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`dist: ${Object.keys(outputs).length} files, ${Math.round(bytes / 1024)} KiB, ${types.count} declarations, ${licences} third-party licences (${seconds} s)`);
process.exitCode = types.status;
