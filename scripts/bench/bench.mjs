// Speed as ratios to a bare loop in the same run, since absolute figures say more about the machine than about the program.
// `npm run bench` is the long run: best of 5 interleaved runs on each side, the middle of three rounds. `--quick` is one
// round of 3. `--only WORDS` runs the figures whose names have one of the words. `--folder DIR` scans other files.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bigArguments, coldStart, hugeLine, idleMemory, pipelined, sequential, window64 } from './figures.mjs';
import { gageSpeed } from './gage-speed.mjs';
import { relayRate } from './relay-speed.mjs';
import { pythonFiles, scanInProcess, scanServed } from './scan-speed.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, '..', '..');
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const quick = process.argv.includes('--quick');
const only = option('--only')?.split(',');
const rounds = quick ? 1 : 3;
const runs = quick ? 3 : 5;

const bin = path.join(root, 'bin', 'toolwire.js');
const bare = [path.join(here, 'bare-loop.mjs')];
const linear = [...bare, 'linear'];
const every = [bin, 'mcp'];
const echo = [...every, '--plugin', path.join(here, 'echo-plugin.mjs')];

const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const wanted = (name) => only === undefined || only.some((word) => name.includes(word));
const rows = [];

function report(name, unit, ours, theirs, value, bar) {
  const [sense, limit] = bar.split(' ');
  const good = sense === '>=' ? value >= Number(limit) : value <= Number(limit);
  rows.push([name, ours, theirs, unit, value.toFixed(2), bar, Number.isNaN(value) ? 'not measured' : good ? 'ok' : 'MISSED']);
  console.log(rows.at(-1).join(' | '));
}

/** Runs both sides in turn; the ratio of their best runs is one round's, the middle round's is reported. */
async function compare(name, { unit, bar, digits = 0 }, ours, theirs, pick) {
  if (!wanted(name)) return;
  const results = [];
  for (let round = 0; round < rounds; round++) {
    const a = [];
    const b = [];
    for (let run = 0; run < runs; run++) {
      b.push(await theirs());
      a.push(await ours());
    }
    const best = { ours: pick(...a), theirs: pick(...b) };
    results.push({ ...best, ratio: best.ours / best.theirs });
  }
  const ratio = middle(results.map((each) => each.ratio));
  const chosen = results.find((each) => each.ratio === ratio) ?? results[0];
  report(name, unit, chosen.ours.toFixed(digits), chosen.theirs.toFixed(digits), ratio, bar);
}

const short = 20_000;
const cpu = { ours: [], theirs: [] };
const rateOf = (side) => async () => {
  const { rate, cpuEach } = await pipelined(side === 'ours' ? echo : bare, short);
  cpu[side].push(cpuEach);
  return rate;
};

console.log('figure | toolwire | bare loop | unit | ratio | bar | verdict');
await compare('cold start', { unit: 'ms', bar: '<= 1.15', digits: 1 }, () => coldStart(every), () => coldStart(bare), Math.min);
await compare('idle memory', { unit: 'MiB', bar: '<= 1.15', digits: 1 }, () => idleMemory(every), () => idleMemory(bare), Math.min);
await compare('sequential calls', { unit: 'calls/s', bar: '>= 0.5' }, () => sequential(echo, 2_000), () => sequential(bare, 2_000), Math.max);
await compare('pipelined, no limit', { unit: 'calls/s', bar: '>= 0.5' }, rateOf('ours'), rateOf('theirs'), Math.max);
if (cpu.ours.length > 0) {
  const [ours, theirs] = [Math.min(...cpu.ours), Math.min(...cpu.theirs)];
  report('processor time a call', 'us', ours.toFixed(1), theirs.toFixed(1), ours / theirs, '<= 2.2');
}
await compare('pipelined, window 64', { unit: 'calls/s', bar: '>= 0.5' }, () => window64(echo, short), () => window64(bare, short), Math.max);
await compare('64 KiB arguments', { unit: 'calls/s', bar: '>= 0.75' }, () => bigArguments(echo, quick ? 100 : 400), () => bigArguments(bare, quick ? 100 : 400), Math.max);

if (wanted('one 50 MB line')) {
  const peaks = [];
  const time = async (args, note) => {
    const { took, peak } = await hugeLine(args, 50);
    if (note) peaks.push(peak);
    return took;
  };
  await compare('one 50 MB line', { unit: 'ms', bar: '<= 2.5' }, () => time(echo, true), () => time(linear, false), Math.min);
  report('  its peak memory', 'x the line', middle(peaks).toFixed(1), '-', middle(peaks), '<= 8');
}

if (wanted('scan')) {
  const files = pythonFiles(option('--folder'));
  const { bare: parse, scan, findings, megabytes } = await scanInProcess(root, files, quick ? 2 : 4);
  report('scan, in process', 's', scan.toFixed(2), parse.toFixed(2), parse / scan, '>= 0.45');
  const served = await scanServed(every, files);
  report('scan, 500 lines, warm', 'ms', served.warm.toFixed(1), '-', served.warm, '<= 25');
  report('scan, memory served', 'MiB', served.peak.toFixed(0), '-', served.peak, '<= 200');
  console.log(`  ${files.length} files, ${megabytes.toFixed(1)} MB, ${findings} findings; ${(megabytes / scan).toFixed(1)} MB/s in process, served in ${served.seconds.toFixed(1)} s`);
}

if (wanted('gage')) {
  const { open, hash, inbox } = await gageSpeed(root, 30);
  report('gage open, 16 MiB', 'ms', open.toFixed(1), hash.toFixed(1), open / hash, '<= 1.5');
  report('gage inbox, 100 strangers, warm', 'ms', inbox.toFixed(1), '-', inbox, '<= 300');
}

const relay = [path.join(root, 'bin', 'gage.js'), 'relay', 'serve', '--pushes-per-minute', '1000000', '--dir'];
const bareRelay = [path.join(here, 'bare-relay.mjs')];
await compare('relay, 4 KiB messages', { unit: 'messages/s', bar: '>= 0.5' }, () => relayRate(relay, 1_000), () => relayRate(bareRelay, 1_000), Math.max);

const width = (index) => Math.max(...rows.map((row) => row[index].length));
console.log();
for (const row of rows) console.log(row.map((cell, index) => (index === 0 || index > 4 ? cell.padEnd(width(index)) : cell.padStart(width(index)))).join('  '));
process.exitCode = rows.some((row) => row.at(-1) === 'MISSED') ? 1 : 0;
