import type { PyCall, PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from './python-code.ts';
import { functionAround, nodesIn } from './scopes.ts';

/**
 * The calls of these methods on a variable (`client`, `self.client`) in the function that a node stands in. Real calls only:
 * the text of a comment, or of a call on another variable, says nothing about this one.
 */
export function callsOn(code: PythonCode, variable: PyExpr, methods: readonly string[], within: PyNode): readonly PyCall[] {
  const scope = functionAround(code, within);
  const written = code.source(variable);
  return nodesIn(code, scope).filter((node): node is PyCall => node.type === 'Call' && node.func.type === 'Attribute' && methods.includes(node.func.attr)
    && code.source(node.func.value) === written && functionAround(code, node) === scope);
}

/** Whether a node surely runs before another one of its function: it stands earlier, and in no branch, loop or `try` that the other is not in. */
export function surelyBefore(code: PythonCode, node: PyNode, later: PyNode): boolean {
  for (let at = code.parentOf(node); at !== undefined && at.type !== 'FunctionDef'; at = code.parentOf(at)) {
    const mayNotRun = ['If', 'For', 'While', 'Try', 'Match', 'ClassDef', 'IfExp', 'BoolOp', 'Lambda', 'Comprehension'].includes(at.type);
    const blocks = at.type === 'If' || at.type === 'For' || at.type === 'While' ? [at.body, at.orelse] : at.type === 'Try' ? [at.body, at.finalbody] : [];
    if (mayNotRun && !blocks.some((block) => [node, later].every((each) => block.some(({ start, end }) => start <= each.start && each.end <= end)))) return false;
  }
  return node.end <= later.start;
}
