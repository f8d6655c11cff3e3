import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePythonParts } from '../../lib/syntax/python-parts.ts';
import { callNames, sketch } from './python-sketch.ts';

describe('texts read as one module', () => {
  it('have the statements and comments of all parts in order, with offsets of the joined text', () => {
    const { module, starts } = parsePythonParts(['a(1)  # x\n', '', 'if b:\n  c("é")  # y']);
    assert.deepEqual(module.body.map(sketch), ['Expr(value: Call(func: a, args: [(kind: positional, value: 1)]))', 'If(test: b, body: [Expr(value: Call(func: c, args: [(kind: positional, value: "é")]))])']);
    assert.deepEqual(module.body.map(({ start, end }) => module.text.slice(start, end)), ['a(1)', 'if b:\n  c("é")']);
    assert.deepEqual(module.comments.map(({ start, end }) => module.text.slice(start, end)), ['# x', '# y']);
    assert.deepEqual(starts.map((start) => [module.lineAt(start), module.columnAt(start)]), [[1, 1], [4, 1], [6, 1]]);
    assert.equal(module.errorCount, 0);
  });

  it('do not break one another', () => {
    const { module } = parsePythonParts(['a(1)', 'b("""', 'c(', 'd(2)']);
    assert.deepEqual(callNames(module.body), ['a', 'b', 'c', 'd']);
    assert.ok(module.errorCount >= 2);
  });

  it('tell the first place from which one was not read', () => {
    const { module, starts } = parsePythonParts(['a(1)', 'lorem ipsum dolor '.repeat(14_000), 'b(2)']);
    assert.ok(module.unreadFrom! > starts[1]! && module.unreadFrom! < starts[2]!);
    assert.deepEqual(callNames(module.body).filter((name) => name === 'b'), ['b']);
  });
});
