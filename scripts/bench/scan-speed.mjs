// gadriel's scan against a bare parser loop over the same files: in one process, and through the served tool.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Peer } from './peer.mjs';

const skipped = new Set(['test', 'tests', 'idle_test', 'site-packages', 'dist-packages', '__pycache__']);

/** Python files below a folder without its tests; by default the standard library of `python3`. */
export function pythonFiles(folder) {
  folder ??= execFileSync('python3', ['-c', 'import os; print(os.path.dirname(os.__file__))'], { encoding: 'utf8' }).trim();
  const files = [];
  const walk = (current) => {
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const full = path.join(current, entry.name);
      if (entry.isDirectory() && !skipped.has(entry.name)) walk(full);
      else if (entry.isFile() && entry.name.endsWith('.py') && statSync(full).size <= 5 * 1024 * 1024) files.push(full);
    }
  };
  walk(folder);
  return files.sort();
}

/** The scanner as one module of its own: the bundle has it in a chunk without a name, and behind workers. */
async function loadScanner(root) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolwire-bench-'));
  const outfile = path.join(folder, 'scan.mjs');
  try {
    const contents = "export { scanSource } from './lib/families/gadriel/domain/scan-source.ts'; export { parser } from '@lezer/python';";
    await build({ stdin: { contents, resolveDir: root, loader: 'ts' }, outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error' });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Best seconds of a bare parse loop and of the scan over the same texts, interleaved, and the number of findings. */
export async function scanInProcess(root, files, rounds) {
  const { scanSource, parser } = await loadScanner(root);
  const texts = files.map((file) => ({ path: path.basename(file), text: readFileSync(file, 'utf8') }));
  const time = (each) => {
    const start = performance.now();
    for (const source of texts) each(source);
    return (performance.now() - start) / 1e3;
  };
  let findings = 0;
  let bare = Infinity;
  let scan = Infinity;
  for (let round = 0; round < rounds; round++) {
    bare = Math.min(bare, time(({ text }) => parser.parse(text)));
    findings = 0;
    scan = Math.min(scan, time((source) => (findings += scanSource({ ...source, kind: 'python', language: 'python', profile: 'default' }).findings.length)));
  }
  return { bare, scan, findings, megabytes: texts.reduce((sum, { text }) => sum + text.length, 0) / 1e6 };
}

const validate = (id, file) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'validate_file', arguments: { file_path: file } } })}\n`;

/** Through the server: milliseconds of a warm call on a file of 500 lines, seconds for all files at once, peak memory. */
export async function scanServed(args, files) {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolwire-bench-'));
  const file = path.join(folder, 'five_hundred.py');
  const lines = readFileSync(files.find((each) => each.endsWith(`${path.sep}tarfile.py`)) ?? files[0], 'utf8').split('\n');
  writeFileSync(file, `${lines.slice(0, 500).join('\n')}\n`);
  const peer = new Peer(args);
  try {
    await peer.open();
    const warm = [];
    for (let id = 1; id <= 40; id++) {
      const start = performance.now();
      peer.write(validate(id, file));
      await peer.until(id);
      warm.push(performance.now() - start);
    }
    peer.reset();
    const start = performance.now();
    peer.write(files.map((each, index) => validate(index + 1, each)).join(''));
    await peer.until(files.length);
    const seconds = (performance.now() - start) / 1e3;
    for (const line of peer.text().trimEnd().split('\n')) if (JSON.parse(line).error !== undefined) throw new Error(line.slice(0, 300));
    return { warm: Math.min(...warm.slice(20)), seconds, peak: peer.memory().peak };
  } finally {
    await peer.close();
    rmSync(folder, { recursive: true });
  }
}
