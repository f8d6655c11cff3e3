import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createPrompt, isNoAnswerError } from '../../lib/terminal/prompt.ts';
import type { Prompt } from '../../lib/terminal/prompt.ts';

type Desk = { prompt: Prompt; input: PassThrough; shown: () => string };
/** A person at a terminal who types the answers, each once its question shows. */
function desk(answers: readonly string[], isTTY = true): Desk {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  let shown = '';
  const left = [...answers];
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    if (/[?\]:] $/.test(shown) || /[?\]:] \u001b\[\d+G$/.test(shown)) {
      const next = left.shift();
      if (next !== undefined) setImmediate(() => input.write(next));
    }
  });
  return { prompt: createPrompt({ input, output }), input, shown: () => shown };
}

test('a line is asked for and comes back without its line end', async () => {
  const { prompt, shown } = desk(['alice\r']);
  assert.equal(prompt.present, true);
  assert.equal(await prompt.askLine('Name?', { flag: '--name' }), 'alice');
  assert.match(shown(), /Name\? .*alice/s);
});

test('a hidden answer comes back and is not shown', async () => {
  const { prompt, shown } = desk(['s3cret\r']);
  assert.equal(await prompt.askLine('Passphrase:', { flag: '--passphrase-fd', echo: false }), 's3cret');
  assert.equal(shown(), 'Passphrase: \n');
});

for (const [answers, expected] of [
  [['y\r'], true], [['YES\r'], true], [['n\r'], false], [['No\r'], false], [['\r'], false], [['maybe\r', 'yes\r'], true],
] as const) {
  test(`yes or no answered by ${JSON.stringify(answers)} is ${expected}`, async () => {
    const { prompt, shown } = desk(answers);
    assert.equal(await prompt.askYesNo('Remove it?', { flag: '--yes' }), expected);
    assert.equal(shown().split('Remove it? [y/N]').length - 1 >= answers.length, true);
  });
}

test('without a terminal nothing is asked, and the error names the flag', async () => {
  const { prompt, shown } = desk(['y\n'], false);
  assert.equal(prompt.present, false);
  await assert.rejects(prompt.askYesNo('What it is\nRemove it?', { flag: '--yes' }), (error) =>
    isNoAnswerError(error) && error.reason === 'no-terminal' && error.name === 'NoAnswerError' && /"Remove it\?[^"]*"; use --yes$/.test(error.message));
  assert.equal(shown(), '');
});

test('the end of the input and Ctrl-C are no answer', async () => {
  const ended = desk([]);
  const first = ended.prompt.askLine('Name?', { flag: '--name' });
  ended.input.end();
  await assert.rejects(first, (error) => isNoAnswerError(error) && error.reason === 'ended');
  const stopped = desk(['ab\u0003']);
  await assert.rejects(stopped.prompt.askLine('Name?', { flag: '--name' }), (error) => isNoAnswerError(error) && error.reason === 'interrupted');
  assert.equal(isNoAnswerError(new Error('x')), false);
  assert.equal(isNoAnswerError(null), false);
});

test('a question with hostile text in it is shown safe', async () => {
  const { prompt, shown } = desk(['x\r']);
  await prompt.askLine('Accept \u001b[2J\u202e\nfile?', { flag: '--yes', echo: false });
  assert.equal(shown(), 'Accept \\x1b[2J\\u{202e}\nfile? \n');
});
