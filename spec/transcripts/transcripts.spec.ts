import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createServer } from '../../lib/mcp/create-server.ts';
import type { Family } from '../../lib/mcp/family.types.ts';
import { play } from '../../lib/testing.ts';
import { version } from '../../lib/version.ts';
import { projectRoot } from '../support/project.ts';
import { runServer } from '../support/server-process.ts';

const folder = path.join(projectRoot, 'spec', 'transcripts');

/** A transcript as it is played through a pipe: the arguments of its server, all lines sent, all lines expected. */
function readTranscript(file: string): { args: string[]; sent: string[]; expected: string[] } {
  const lines = readFileSync(path.join(folder, file), 'utf8').split('\n');
  const of = (mark: string): string[] => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  const [args] = of('#! ');
  assert.ok(args !== undefined && lines[0]?.startsWith('#! '), `${file} does not begin with the arguments of its server`);
  const stray = lines.find((line) => !/^(?:[><] |#|$)/.test(line));
  assert.equal(stray, undefined, `${file} has a line that is neither note, sent nor expected`);
  return { args: args.split(' '), sent: of('> '), expected: of('< ') };
}

const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));

describe('the transcripts', () => {
  it('are there, one a section of the protocol', () => assert.ok(files.length >= 12));

  for (const file of files) {
    it(`of ${file} come out of a pipe line for line`, async () => {
      const { args, sent, expected } = readTranscript(file);
      assert.ok(sent.length > 0 && expected.length > 0);
      const { code, lines } = await runServer(args, sent.map((line) => `${line}\n`).join(''));
      assert.deepEqual(lines, expected);
      assert.equal(code, 0);
    });

    it(`of ${file} come out in process line for line`, async () => {
      const { args } = readTranscript(file);
      const plugin = args[args.indexOf('--plugin') + 1] as string;
      const { family } = (await import(pathToFileURL(path.join(projectRoot, plugin)).href)) as { family: Family };
      const server = createServer({ name: 'toolwire', version, families: [family], log: () => undefined });
      assert.deepEqual(await play(readFileSync(path.join(folder, file), 'utf8'), server), []);
    });
  }
});
