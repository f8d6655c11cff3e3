import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { elementTexts, numberTextAt } from '../../lib/jsonrpc/number-text.ts';

const cases: { title: string; line: string; path: string[]; text: string | undefined }[] = [
  { title: 'a number alone', line: ' 12 ', path: [], text: '12' },
  { title: 'every part of a number', line: '{"id":-12.50E+3}', path: ['id'], text: '-12.50E+3' },
  { title: 'a number behind white space of all kinds', line: '\t{\r "id" \t: \r\t 7 \r}', path: ['id'], text: '7' },
  { title: 'not the id of a nested object', line: '{"params":{"id":1},"x":[{"id":2}],"id":3}', path: ['id'], text: '3' },
  { title: 'a member of a nested object', line: '{"id":1,"params":{"_meta":{"progressToken":4}}}', path: ['params', '_meta', 'progressToken'], text: '4' },
  { title: 'the last of repeated keys', line: '{"id":1,"id":2,"id":3}', path: ['id'], text: '3' },
  { title: 'a repeated key on the way', line: '{"a":{"id":1},"a":{"id":2}}', path: ['a', 'id'], text: '2' },
  { title: 'a key with escapes', line: '{"\\u0069\\u0064":9}', path: ['id'], text: '9' },
  { title: 'a key that needs escapes', line: '{"a\\"b\\\\":9}', path: ['a"b\\'], text: '9' },
  { title: 'past strings with quotes, backslashes and braces', line: '{"x":"\\\\\\"}],{\\\\","id":8}', path: ['id'], text: '8' },
  { title: 'past literals', line: '{"x":null,"y":true,"z":false,"id":8}', path: ['id'], text: '8' },
  { title: 'past empty containers', line: '{"x":{},"y":[],"z":[[],{}],"id":8}', path: ['id'], text: '8' },
  { title: 'nothing where the value is a string', line: '{"id":"8"}', path: ['id'], text: undefined },
  { title: 'nothing where the last of repeated keys is no number', line: '{"id":8,"id":null}', path: ['id'], text: undefined },
  { title: 'nothing where there is no such key', line: '{"idd":8}', path: ['id'], text: undefined },
  { title: 'nothing in an empty object', line: '{}', path: ['id'], text: undefined },
  { title: 'nothing where an array is asked for a member', line: '[1]', path: ['0'], text: undefined },
  { title: 'a key with the name of a prototype', line: '{"__proto__":5}', path: ['__proto__'], text: '5' },
];

/** Every number of a value that keys alone lead to, with its path. */
function* numbersOf(value: unknown, path: string[] = []): Generator<[string[], number]> {
  if (typeof value === 'number') yield [path, value];
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) yield* numbersOf(item, [...path, key]);
  }
}

describe('the text of a number in a line', () => {
  for (const { title, line, path, text } of cases) {
    it(`is found: ${title}`, () => {
      JSON.parse(line);
      assert.equal(numberTextAt(line, path), text);
    });
  }

  it('means what JSON.parse makes of it, for every number of any value', () => {
    const indent = fc.constantFrom(undefined, 1, '\t', ' \r');
    const property = fc.property(fc.jsonValue({ maxDepth: 4 }), indent, (value, space) => {
      const line = JSON.stringify(value, undefined, space);
      for (const [path, number] of numbersOf(JSON.parse(line))) {
        const text = numberTextAt(line, path);
        assert.ok(text !== undefined && Object.is(Number(text), number), `${JSON.stringify(path)} of ${line} gave ${text}`);
      }
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it('keeps every digit of an integer of any size', () => {
    const property = fc.property(fc.bigInt(), fc.jsonValue({ maxDepth: 2 }), (id, other) => {
      assert.equal(numberTextAt(`{"other":${JSON.stringify(other)},"id":${id}}`, ['id']), String(id));
      assert.equal(numberTextAt(`{"id" : ${id} ,"other":${JSON.stringify(other)}}`, ['id']), String(id));
    });
    fc.assert(property);
  });

  it('is found behind nesting that a recursive walk could not cross', () => {
    const depth = 200_000;
    const line = `{"deep":${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)},"id":9007199254740993}`;
    assert.equal(numberTextAt(line, ['id']), '9007199254740993');
  });

  it('is found in time linear in the line, however many quotes and backslashes there are', () => {
    const hostile = `{"x":"${'\\\\\\"'.repeat(200_000)}","y":"${'\\\\'.repeat(400_000)}","id":3.0}`;
    const started = performance.now();
    assert.equal(numberTextAt(hostile, ['id']), '3.0');
    assert.ok(performance.now() - started < 1_000);
  });
});

const arrays: [line: string, texts: string[]][] = [
  ['[]', []],
  [' [ ] ', []],
  ['[1]', ['1']],
  [' [ 1 ,\t-2.0 , "a,]" ,\r{"b":[1,{}]},[[],"]"] , null,true ]', ['1', '-2.0', '"a,]"', '{"b":[1,{}]}', '[[],"]"]', 'null', 'true']],
  ['["\\\\","\\"]","x"]', ['"\\\\"', '"\\"]"', '"x"']],
];

describe('the texts of the elements of an array', () => {
  for (const [line, texts] of arrays) {
    it(`of ${line} are its parts, without the white space around them`, () => {
      JSON.parse(line);
      assert.deepEqual(elementTexts(line), texts);
    });
  }

  it('mean what JSON.parse makes of the array', () => {
    const property = fc.property(fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 }), fc.constantFrom(undefined, 1, '\t', ' \r'), (values, space) => {
      const line = JSON.stringify(values, undefined, space);
      assert.deepEqual(elementTexts(line).map((text) => JSON.parse(text) as unknown), JSON.parse(line));
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});
