import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noPrompt } from '../support/run-verb.ts';
import type { FamilyEntry } from '../../lib/cli/families.ts';
import { isUsageError } from '../../lib/terminal/usage-error.ts';
import { runVerb } from '../../lib/cli/verb-command.ts';
import type { CliContext, Family, Verb } from '../../lib/mcp/family.types.ts';

const entryOf = (family: Family): FamilyEntry => ({ name: family.name, serveWords: ['code mcp'], load: () => family });

function setup(): { family: FamilyEntry; terminal: CliContext; seen: unknown[]; printed: string[] } {
  const seen: unknown[] = [];
  const printed: string[] = [];
  const stream = { isTTY: false, write: (text: string) => void printed.push(text) };
  const verb = (name: string, help: string): Verb => ({
    summary: name,
    help,
    run: (words) => {
      seen.push([name, ...words]);
      return 3;
    },
  });
  const family: Family = {
    name: 'mine',
    apiVersion: 1,
    tools: () => [],
    cli: { verbs: { status: verb('status', 'Help of status.\n'), 'code scan': verb('code scan', 'Help of scan.'), code: verb('code', 'Help of code.') } },
    close: () => void seen.push('closed'),
  };
  const terminal = {
    env: {}, cwd: '/', now: Date.now, random: (size) => new Uint8Array(size), signal: new AbortController().signal, prompt: noPrompt,
    stdin: { isTTY: false, read: () => Promise.resolve(new Uint8Array()) }, stdout: stream, stderr: stream,
  } satisfies CliContext;
  return { family: entryOf(family), terminal, seen, printed };
}

test('the longest verb that the words begin with is run with the rest, then the family is closed', async () => {
  const cases: [string[], unknown[]][] = [
    [['status'], ['status']],
    [['status', 'a', '--b'], ['status', 'a', '--b']],
    [['code', 'scan', 'src'], ['code scan', 'src']],
    [['code', 'src'], ['code', 'src']],
    [['status', '--', '--help'], ['status', '--', '--help']],
  ];
  for (const [words, expected] of cases) {
    const { family, terminal, seen } = setup();
    assert.equal(await runVerb(family, words, 'toolwire mine', terminal), 3);
    assert.deepEqual(seen, [expected, 'closed']);
  }
});

test('--help behind a verb prints its help and runs nothing', async () => {
  for (const [words, text] of [[['status', '-h'], 'Help of status.\n'], [['code', 'scan', 'x', '--help'], 'Help of scan.\n'], [['code', '--help'], 'Help of code.\n']] as const) {
    const { family, terminal, seen, printed } = setup();
    assert.equal(await runVerb(family, words, 'toolwire mine', terminal), 0);
    assert.deepEqual([printed.join(''), seen], [text, []]);
  }
});

test('the first words of verbs alone are no whole command, however many they are', async () => {
  const { terminal } = setup();
  const verb: Verb = { summary: 's', help: 'h', run: () => 0 };
  const family = entryOf({ name: 'deep', apiVersion: 1, tools: () => [], cli: { verbs: { 'code campaign start': verb, 'code campaign advance': verb, 'code scan': verb } } });
  for (const [words, group, listed] of [
    [['code'], 'code', 'code campaign advance, code campaign start, code mcp, code scan'],
    [['code', 'campaign'], 'code campaign', 'code campaign advance, code campaign start'],
    [['code', 'campaign', '--json'], 'code campaign', 'code campaign advance, code campaign start'],
  ] as const) {
    await assert.rejects(runVerb(family, words, 'deep', terminal), (error: unknown) =>
      isUsageError(error) && error.message === `"${group}" is not a whole command: ${listed}` && error.help === `deep ${group} --help`);
  }
  await assert.rejects(runVerb(family, ['code', 'campaign', 'strt'], 'deep', terminal), /^UsageError: unknown command "code campaign"/);
});

test('words that are no verb are a usage error', async () => {
  const { family, terminal } = setup();
  const none = entryOf({ name: 'none', apiVersion: 1, tools: () => [] });
  const cases: [FamilyEntry, string[], RegExp][] = [
    [family, ['stats'], /unknown command "stats"; did you mean status\?/],
    [none, ['anything', 'else'], /^unknown command "anything else"$/],
  ];
  for (const [which, words, message] of cases) {
    await assert.rejects(runVerb(which, words, 'toolwire mine', terminal), (error: unknown) => isUsageError(error) && message.test(error.message) && error.help === 'toolwire mine --help');
  }
});
