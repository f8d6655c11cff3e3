import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFlags, takeFlag } from '../../lib/terminal/flags.ts';
import { nearest, suggestion } from '../../lib/terminal/nearest.ts';
import { isUsageError } from '../../lib/terminal/usage-error.ts';

const table = { json: 'switch', drain: 'value', plugin: 'values' } as const;

test('words are split into flags and the rest', () => {
  const cases: [string[], object, string[]][] = [
    [[], {}, []],
    [['a', '--json', 'b'], { json: true }, ['a', 'b']],
    [['--drain', '5', 'a'], { drain: '5' }, ['a']],
    [['--drain=none'], { drain: 'none' }, []],
    [['--drain=a=b'], { drain: 'a=b' }, []],
    [['--json', '--json'], { json: true }, []],
    [['--drain', '1', '--', '--drain', '2'], { drain: '1' }, ['--drain', '2']],
    [['--plugin', 'a', '--plugin=b'], { plugin: ['a', 'b'] }, []],
    [['-', '--', '--json', '-x'], {}, ['-', '--json', '-x']],
    [['-h'], { help: true }, []],
    [['--help', '--json'], { help: true, json: true }, []],
  ];
  for (const [words, flags, rest] of cases) assert.deepEqual(parseFlags(words, table, 'x --help'), { flags, rest }, words.join(' '));
});

test('a bad flag is a usage error that names the nearest one', () => {
  const cases: [string[], RegExp][] = [
    [['--jsn'], /^unknown flag --jsn; did you mean --json\?$/],
    [['--jsn=1'], /^unknown flag --jsn; did you mean --json\?$/],
    [['--unheard-of'], /^unknown flag --unheard-of$/],
    [['-j'], /^unknown flag -j$/],
    [['-json'], /^unknown flag -json; did you mean --json\?$/],
    [['--'.concat('x'.repeat(200))], /^unknown flag --x{78}$/],
    [['--constructor'], /^unknown flag --constructor$/],
    [['--json=true'], /^--json takes no value$/],
    [['--drain'], /^--drain needs a value$/],
    [['--plugin='], /^--plugin needs a value$/],
    [['--drain', '1', '--drain', '2'], /^--drain is given twice; it takes one value$/],
    [['--drain=1', '--drain=1'], /^--drain is given twice; it takes one value$/],
  ];
  for (const [words, message] of cases) {
    assert.throws(() => parseFlags(words, table, 'x --help'), (error: unknown) => isUsageError(error) && error.help === 'x --help' && message.test(error.message), words.join(' '));
  }
});

test('one flag is taken out of words that are not parsed', () => {
  const cases: [string[], string[], string[]][] = [
    [['a', '--plugin', 'p', '--other', '--plugin=q', 'b'], ['p', 'q'], ['a', '--other', 'b']],
    [['--plugin', 'p', '--', '--plugin', 'q'], ['p'], ['--', '--plugin', 'q']],
    [['--plugin'], [], ['--plugin']],
    [['--plugins=x'], [], ['--plugins=x']],
  ];
  for (const [words, values, rest] of cases) assert.deepEqual(takeFlag(words, 'plugin'), { values, rest });
});

test('the nearest word is one that differs by at most a third', () => {
  const words = ['tools', 'call', 'doctor', 'install'];
  const cases: [string, string | undefined][] = [['tool', 'tools'], ['tolls', 'tools'], ['cal', 'call'], ['docter', 'doctor'], ['xyz', undefined], ['', undefined], ['install', 'install'], ['i'.repeat(65), undefined]];
  for (const [word, expected] of cases) assert.equal(nearest(word, words), expected, word);
  assert.equal(suggestion('cal', words), '; did you mean call?');
  assert.equal(suggestion('xyz', words), '');
});
