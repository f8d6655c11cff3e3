import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, test } from 'node:test';
import { insertMember, replaceValue, type JsonObject } from '../../lib/cli/json-edit.ts';
import { parseJsonc } from '../../lib/cli/jsonc.ts';

const object = (text: string): JsonObject => parseJsonc(text) as JsonObject;

describe('JSON with comments', () => {
  test('is read as JSON is, without the comments and the commas too many', () => {
    const cases: [string, unknown][] = [
      ['\ufeff// a\n{ "a": 1, /* b */ "b": [1, 2,], // c\n}\n// d', { a: 1, b: [1, 2] }],
      ['{"a":"// no comment /* nor this */ \\" \\\\"}', { a: '// no comment /* nor this */ " \\' }],
      ['{"__proto__":{"x":1},"a":-1.5e3,"b":[true,false,null]}', JSON.parse('{"__proto__":{"x":1},"a":-1.5e3,"b":[true,false,null]}')],
      ['{"a":1,"a":2}', { a: 2 }],
      ['[]//', []],
      ['/**/ "text"', 'text'],
    ];
    for (const [text, expected] of cases) assert.deepEqual(parseJsonc(text).value, expected, text);
  });

  test('that is broken is refused with the line', () => {
    const cases: [string, RegExp][] = [
      ['', /unexpected end in line 1/],
      ['{\n"a": 1\n"b": 2}', /unexpected "\\"" in line 3/],
      ['{"a" 1}', /unexpected "1" in line 1/],
      ['{"a": 1', /unexpected end/],
      ['{"a": tru}', /unexpected "t" in line 1/],
      ['{"a": 01}', /unexpected "0"/],
      ['{"a": "\n"}', /unexpected "\\""/],
      ['{"a": "x', /unexpected end/],
      ['{,}', /unexpected ","/],
      ['[1,,2]', /unexpected ","/],
      ['{} {}', /unexpected "\{"/],
      ['{} /* open', /unexpected end/],
      ['{a: 1}', /unexpected "a"/],
      ['['.repeat(5_000), /nested too deep/],
    ];
    for (const [text, reason] of cases) assert.throws(() => parseJsonc(text), (error: Error) => error instanceof SyntaxError && reason.test(error.message), text.slice(0, 40));
  });

  test('gives every JSON value its own value and place', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const node = parseJsonc(` ${text}\n`);
        assert.deepEqual(node.value, JSON.parse(text));
        assert.deepEqual([node.start, node.end], [1, 1 + text.length]);
      }),
    );
  });
});

describe('a member that is inserted', () => {
  const cases: [what: string, before: string, after: string][] = [
    ['an empty object', '{}', '{\n  "new": {\n    "x": 1\n  }\n}'],
    ['an object that is empty but for a comment', '{ // none yet\n}\n', '{ // none yet\n  "new": {\n    "x": 1\n  }\n}\n'],
    ['one line', '{"a":1}', '{"a":1,"new":{"x":1}}'],
    ['one line with spaces', '{ "a": 1 }', '{ "a": 1, "new": {"x":1} }'],
    ['one line with a comma too many', '{ "a": 1, }', '{ "a": 1, "new": {"x":1} }'],
    ['lines', '{\n\t"a": 1.0\n}\n', '{\n\t"a": 1.0,\n\t"new": {\n\t\t"x": 1\n\t}\n}\n'],
    ['lines that end with CR LF', '{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "new": {\r\n    "x": 1\r\n  }\r\n}'],
    ['a comma too many', '{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "new": {\n    "x": 1\n  }\n}'],
    ['a comment behind the last member', '{\n  "a": 1 // one\n  // two\n}', '{\n  "a": 1, // one\n  "new": {\n    "x": 1\n  }\n  // two\n}'],
    ['a comment of several lines', '{\n  "a": 1 /* one\n two */\n}', '{\n  "a": 1,\n  "new": {\n    "x": 1\n  } /* one\n two */\n}'],
    ['a brace on the last line', '{\n  "a": 1 }\n', '{\n  "a": 1,\n  "new": {\n    "x": 1\n  } }\n'],
  ];
  for (const [what, before, after] of cases) {
    test(`stands behind the others: ${what}`, () => {
      const made = insertMember(before, object(before), object(before), 'new', { x: 1 });
      assert.equal(made, after);
      parseJsonc(made);
    });
  }

  test('leaves every other character as it was, whatever the text', () => {
    const trivia = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' // c\n', '/* c */', '/* c\n */ ');
    const scalar = fc.constantFrom('12345678901234567890', '1.0', '-0', '"\\u0041\\/"', '"//"', 'null', '[1,\n 2 ]', '{}');
    const member = fc.tuple(trivia, trivia, scalar, trivia);
    const texts = fc.tuple(fc.array(member, { maxLength: 4 }), fc.boolean(), trivia).map(([members, trailing, tail]) => {
      const list = members.map(([a, b, value, c], index) => `${a}"k${index}"${b}:${b}${value}${c}`).join(',');
      return `{${list}${trailing && members.length > 0 ? ',' : ''}${tail}}`;
    });
    fc.assert(
      fc.property(texts, (text) => {
        const made = insertMember(text, object(text), object(text), 'new', { x: [1] });
        assert.deepEqual(parseJsonc(made).value, { ...(parseJsonc(text).value as object), new: { x: [1] } });
        const [at, rest] = [commonStart(text, made), commonEnd(text, made)];
        // Nothing between what was before and behind is gone, but for blanks in an object that is empty.
        const kept = object(text).members.length === 0 ? text.replace(/\s+\}$/, '}').length : text.length;
        assert.ok(at + rest >= kept || withoutComma(text, made), JSON.stringify([text, made]));
      }),
    );
  });

  test('and the value of one that is replaced, unless that holds comments', () => {
    const text = '{\n  "a": {"x": 1.0, "y": "//"},\n  "b": 2\n}';
    const [a] = object(text).members;
    assert.equal(replaceValue(text, object(text), a!, { z: 1 }), '{\n  "a": {\n    "z": 1\n  },\n  "b": 2\n}');
    const short = '{"a":1}';
    assert.equal(replaceValue(short, object(short), object(short).members[0]!, { z: 1 }), '{"a":{"z":1}}');
    for (const commented of ['{"a":{ // why\n}}', '{"a":{"x": 1 /* why */}}']) assert.equal(replaceValue(commented, object(commented), object(commented).members[0]!, 1), undefined);
  });
});

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function commonEnd(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[a.length - 1 - at] === b[b.length - 1 - at]) at++;
  return at;
}

/** Whether `made` is `text` with a comma at one place and the new member at a later one. */
function withoutComma(text: string, made: string): boolean {
  const at = commonStart(text, made);
  const without = made.slice(0, at) + made.slice(at + 1);
  return made[at] === ',' && commonStart(text, without) + commonEnd(text, without) >= text.length;
}
