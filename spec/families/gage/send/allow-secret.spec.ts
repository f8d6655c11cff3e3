import assert from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { gage } from '../../../../lib/families/gage/index.ts';
import { servedFamily } from '../../../support/served.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { configure, envOf, friends, type Person } from '../world.ts';

const github = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'}`;

describe('gage send with secrets', () => {
  const temp = tempFolder();
  let alice: Person;
  const served = servedFamily(gage(), temp.folder('alice-work'), envOf(temp, 'alice'));
  before(async () => {
    [alice] = (await friends(temp, 'alice', 'bob')) as [Person, Person];
    temp.write('alice-work/ask.md', 'please look');
    temp.write('alice-work/secret.txt', `one\n${github}\n`);
  });

  it('lets a secret through for a person who says yes to its very place, and for nobody else', async () => {
    const words = ['send', 'bob', '--file', 'secret.txt', '--allow-secret', 'secret.txt:2'];
    assert.match((await alice.verb(words)).stderr, /use a terminal/);
    assert.equal((await alice.verb(words, { answers: ['n'] })).code, 1);
    assert.equal((await alice.verb([...words.slice(0, -1), 'secret.txt:1'], { answers: ['y'] })).code, 1);
    const { code, stderr } = await alice.verb(words, { answers: ['y'] });
    assert.equal(code, 0);
    assert.match(stderr, /warning: GitHub token \(github\) in "secret\.txt" line 2 was let through/);
    assert.doesNotMatch(stderr, /was not needed/);
  });

  describe('where a line holds several secrets', () => {
    const other = github.replace('aB3d', 'xY9z');
    const aws = `AK${'IA'}Q3EGR7YTU2WXZ5NV`;
    const asked: string[] = [];
    const say = (...answers: string[]) => answers.map((answer) => (question: string) => (asked.push(question), answer));
    const letThrough = (file: string, ...answers: string[]) => alice.verb(['send', 'bob', '--file', file, '--allow-secret', `${file}:1`], { answers: say(...answers) });

    it('asks once for all of a rule, and tells their number in the question, the refusal and the warning', async () => {
      temp.write('alice-work/one.json', `{"tokens":["${github}","${other}","${github}"]}\n`);
      asked.length = 0;
      const no = await letThrough('one.json', 'n');
      assert.deepEqual(asked, ['one.json:1 looks like a secret: GitHub token, ghp_… (40 characters), and 1 more of these in this line. Send them all the same?']);
      assert.match(no.stderr, /: GitHub token \(github\) and 1 more of these in "one\.json" line 1; take it out/);
      const yes = await letThrough('one.json', 'y');
      assert.equal(yes.code, 0);
      assert.match(yes.stderr, /warning: GitHub token \(github\) and 1 more of these in "one\.json" line 1 were let through by the person/);
      for (const text of [...asked, no.stderr, yes.stderr]) assert.ok(!text.includes(github.slice(0, 8)) && !text.includes(other.slice(0, 8)), text);
    });

    it('asks for each rule', async () => {
      temp.write('alice-work/mix', `${github} ${aws}\n`);
      asked.length = 0;
      assert.equal((await letThrough('mix', 'y', 'n')).code, 1);
      assert.deepEqual(asked.map((question) => /: (.*), (?:ghp_|AKIA)…/.exec(question)?.[1]), ['GitHub token', 'AWS access key id']);
      assert.equal((await letThrough('mix', 'y', 'y')).code, 0);
    });

    it('asks nobody for more than a hundred of one line, and counts all that it does not name', async () => {
      const tokens = (count: number, from = 0) => Array.from({ length: count }, (_, index) => github.replace('aB3d', `q${String(1_000 + from + index)}`).slice(0, 40)).join(' ');
      temp.write('alice-work/min.js', `${tokens(101)}\n`);
      asked.length = 0;
      const { code, stderr } = await letThrough('min.js', 'y');
      assert.deepEqual([code, asked], [1, []]);
      assert.match(stderr, /and 100 more of these in "min\.js" line 1; take it out and send again\n$/);
      temp.write('alice-work/pairs', Array.from({ length: 12 }, (_, line) => `${tokens(2, 2 * line)}\n`).join(''));
      assert.match((await alice.verb(['send', 'bob', '--file', 'pairs'])).stderr, /and 1 more of these in "pairs" line 10 and 4 more; take it out/);
    });

    it('warns of the number of guesses', async () => {
      temp.write('alice-work/guess.py', `a = {"client_secret": "${'kJ8sQ2mZx7Lw4Tn9Vb3Rc6Yd1Fg5Hh0'}", "app_secret": "${'pW3vT8nLz5Kq1Xm7Rb9Jd4Gc6Hf2Sy0'}"}\n`);
      const { result } = await served.call('gage_send', { to: 'bob', files: ['guess.py'] });
      assert.deepEqual(result.structuredContent.warnings, ['Secret in an assignment (generic) and 1 more of these in "guess.py" line 1 may be secrets: look before it is pushed']);
    });
  });

  it('says which places of --allow-secret had nothing to let through, where all were looked at', async () => {
    const warned = /^gage: warning: --allow-secret (.*) was not needed: nothing that is refused was found there$/gm;
    const unused = async (words: readonly string[], ...answers: string[]): Promise<unknown> => {
      const { code, stderr } = await alice.verb(['send', 'bob', ...words], { answers });
      return [code, ...[...stderr.matchAll(warned)].map(([, place]) => place)];
    };
    assert.deepEqual(await unused(['--file', 'ask.md', '--allow-secret', 'ask.md:1', '--allow-secret', 'a\tb:2']), [0, 'ask.md:1', 'a\\x09b:2']);
    assert.deepEqual(await unused(['--file', 'secret.txt', '--allow-secret', 'secret.txt:2', '--allow-secret', 'secret.txt:1'], 'y'), [0, 'secret.txt:1']);
    // The refusal names line 2, and this says what the line that was given did.
    assert.deepEqual(await unused(['--file', 'secret.txt', '--allow-secret', 'secret.txt:1']), [1, 'secret.txt:1']);
    // Nobody looked.
    assert.deepEqual(await unused(['--file', 'nowhere', '--allow-secret', 'nowhere:1']), [1]);
  });

  it('takes every path of the file for a place of --allow-secret, and what the refusal prints', { skip: process.platform === 'win32' }, async () => {
    symlinkSync(alice.work, temp.at('way'));
    temp.write('outside/far.txt', `${github}\n`);
    await configure(alice, { sendRoots: [alice.work, temp.at('outside')] });
    try {
      for (const [file, places] of [
        ['secret.txt', ['secret.txt', './secret.txt', 'src/../secret.txt', path.join(alice.work, 'secret.txt'), temp.at('way/secret.txt')]],
        ['../outside/far.txt', ['far.txt', '../outside/far.txt', temp.at('outside/far.txt')]],
      ] as const) {
        const line = file === 'secret.txt' ? 2 : 1;
        for (const place of places) {
          const { code, stderr } = await alice.verb(['send', 'bob', '--file', file, '--allow-secret', `${place}:${line}`], { answers: ['y'] });
          assert.deepEqual([code, /was not needed/.test(stderr)], [0, false], `${place}: ${stderr}`);
        }
      }
      // A file of the same name that is not sent is another one.
      assert.equal((await alice.verb(['send', 'bob', '--file', 'secret.txt', '--allow-secret', 'src/secret.txt:2'], { answers: ['y'] })).code, 1);
    } finally {
      await configure(alice, { sendRoots: undefined });
    }
  });

  it('asks nobody about one secret where another one is refused anyway, and ends with the first no', async () => {
    temp.write('alice-work/other.txt', `${github}\n`);
    const words = ['send', 'bob', '--file', 'secret.txt', '--file', 'other.txt', '--allow-secret', 'secret.txt:2'];
    const asked: string[] = [];
    const answers = ['n', 'y'].map((answer) => (question: string) => (asked.push(question.slice(0, 12)), answer));
    const refused = await alice.verb(words, { answers });
    assert.deepEqual([refused.code, asked], [1, []]);
    assert.match(refused.stderr, /^gage: nothing was built.*: GitHub token \(github\) in "other\.txt" line 1; take it out and send again\ngage: what is no secret .*: --allow-secret other\.txt:1\n$/);
    assert.equal((await alice.verb([...words, '--allow-secret', 'other.txt:1'], { answers })).code, 1);
    assert.deepEqual(asked, ['secret.txt:2']);
    assert.equal((await alice.verb([...words, '--allow-secret', 'other.txt:1'], { answers: ['y', 'y'] })).code, 0);
  });

  it('tells a file that is called like a part of the manifest from that part', async () => {
    temp.write('alice-work/subject', `${github}\n`);
    const words = ['send', 'bob', '--subject', github, '--file', 'subject'];
    const both = await alice.verb(words);
    assert.match(both.stderr, /in "subject" line 1; .* in "\.\/subject" line 1; .*: --allow-secret subject:1 --allow-secret \.\/subject:1\n$/s);
    const left = async (place: string): Promise<string> => (await alice.verb([...words, '--allow-secret', place], { answers: ['y', 'y'] })).stderr;
    assert.match(await left('subject:1'), /^gage: [^\n]*: GitHub token \(github\) in "\.\/subject" line 1; take/);
    for (const place of ['./subject:1', `${path.join(alice.work, 'subject')}:1`]) assert.match(await left(place), /^gage: [^\n]*: GitHub token \(github\) in "subject" line 1; take/, place);
    // The word for a part is never a path, even where there is no secret in that part.
    assert.equal((await alice.verb(['send', 'bob', '--subject', 's', '--file', 'subject', '--allow-secret', 'subject:1'], { answers: ['y'] })).code, 1);
  });

  it('never lets a key of gage through', async () => {
    temp.write('alice-work/backup.txt', readFileSync(alice.home.path('identity.key')));
    const { code, stderr } = await alice.verb(['send', 'bob', '--file', 'backup.txt', '--allow-secret', 'backup.txt:1'], { answers: ['y', 'y', 'y'] });
    assert.equal(code, 1);
    assert.match(stderr, /gage-key/);
    // Nor is anybody asked for what else is in such a bundle.
    const asked = await alice.verb(['send', 'bob', '--file', 'backup.txt', '--file', 'secret.txt', '--allow-secret', 'secret.txt:2']);
    assert.match(asked.stderr, /gage-key.*\(github\)/);
    assert.doesNotMatch(asked.stderr, /use a terminal/);
  });
});
