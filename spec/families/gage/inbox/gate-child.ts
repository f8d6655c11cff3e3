import { cli } from '../../../../lib/families/gage/cli.ts';
import { runVerbOf } from '../../../support/run-verb.ts';

/** Runs a verb and ends by kill -9 when it draws random bytes for the n-th time, as it does before each step that moves a folder. */
const [root = '', cwd = '', count = '', ...words] = process.argv.slice(2);
let left = Number(count);
const random = (size: number): Uint8Array => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  return new Uint8Array(size).fill(left);
};
const { code, stderr } = await runVerbOf(cli, words, { cwd, env: { GAGE_HOME: root }, now: () => Date.UTC(2026, 0, 2, 4), random });
process.stderr.write(stderr);
process.exitCode = code;
