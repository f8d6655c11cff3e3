import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parsePython } from '../../lib/syntax/python.ts';
import { callsOf } from './python-sketch.ts';
import { oracleShapeOf, shapeOf, type Shape } from './python-shapes.ts';
import { snippets } from './python-snippets.ts';

/** Calls in a shape, by what is called and with how many arguments. */
function callCounts(shape: Shape, counts = new Map<string, number>()): Map<string, number> {
  if (typeof shape === 'string') return counts;
  if (shape[0] === 'Call' && shape.length === 3) {
    const key = JSON.stringify(shape[1]) + shape[2]!.length;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const part of shape) callCounts(part, counts);
  return counts;
}

function keptOf(expected: Map<string, number>, actual: Map<string, number>): { kept: number; all: number } {
  let kept = 0;
  let all = 0;
  for (const [key, count] of expected) {
    all += count;
    kept += Math.min(count, actual.get(key) ?? 0);
  }
  return { kept, all };
}

describe('the typed tree beside that of py-ast', () => {
  for (const source of snippets) {
    it(`is the same for ${JSON.stringify(source.slice(0, 60))}`, () => assert.deepEqual(shapeOf(parsePython(source)), oracleShapeOf(source)));
  }

  const folder = process.env['TOOLWIRE_PYTHON_LIB'];
  it('keeps 99.5 % of the calls of the library in TOOLWIRE_PYTHON_LIB', { skip: folder === undefined ? 'TOOLWIRE_PYTHON_LIB is not set' : false, timeout: 600_000 }, () => {
    let kept = 0;
    let all = 0;
    for (const file of pythonFiles(folder!)) {
      const text = readFileSync(file, 'utf8');
      let expected: Map<string, number>;
      try {
        expected = callCounts(oracleShapeOf(text));
      } catch {
        continue;
      }
      const counted = keptOf(expected, callCounts(shapeOf(parsePython(text))));
      kept += counted.kept;
      all += counted.all;
    }
    assert.ok(all > 0);
    assert.ok(kept >= all * 0.995, `${kept} of ${all}`);
  });
});

function* pythonFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !/^(?:tests?|idle_test|site-packages|__pycache__)$/.test(entry.name)) yield* pythonFiles(path);
    else if (entry.name.endsWith('.py')) yield path;
  }
}

/** Ways to break a text; `random` gives whole numbers below its argument. */
const breaks: Readonly<Record<string, (text: string, random: (below: number) => number) => string>> = {
  'one dropped character': (text, random) => dropAt(text, random(text.length)),
  'one dropped bracket or quote': (text, random) => {
    const places = [...text.matchAll(/[()[\]{}"']/g)].map(({ index }) => index);
    return dropAt(text, places[random(places.length)]!);
  },
  'truncation': (text, random) => text.slice(0, Math.floor(text.length / 2) + random(text.length >> 1)),
  'a half-typed call': (text, random) => insertLine(text, random, 'result = compute(value, '),
  'a Python 2 print': (text, random) => insertLine(text, random, 'print "a %s" % value, other'),
};

const dropAt = (text: string, at: number): string => text.slice(0, at) + text.slice(at + 1);

function insertLine(text: string, random: (below: number) => number, line: string): string {
  const lines = text.split('\n');
  const at = random(lines.length);
  const indent = /^\s*/.exec(lines[at]!)![0];
  return [...lines.slice(0, at), indent + line, ...lines.slice(at)].join('\n');
}

describe('a text broken at one place', () => {
  const text = Array.from({ length: 5 }, () => snippets.slice(-8)).flat().join('\n');
  const calls = callsOf(text);
  for (const [title, breakText] of Object.entries(breaks)) {
    it(`keeps 98 % of its calls after ${title}`, () => {
      let seed = 42;
      const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
      let kept = 0;
      let all = 0;
      for (let round = 0; round < 60; round += 1) {
        const changed = breakText(text, random);
        // What a truncation cut off cannot be found.
        const expected = title === 'truncation' ? callsOf(text).slice(0, callsOf(changed).length) : calls;
        const counted = keptOf(counts(expected), counts(callsOf(changed)));
        kept += counted.kept;
        all += counted.all;
      }
      assert.ok(kept >= all * 0.98, `${kept} of ${all}`);
    });
  }
});

function counts(names: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return found;
}
