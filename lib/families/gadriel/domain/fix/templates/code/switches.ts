/** Switches that are written as `True` or `False`, and whether someone chose them. */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import type { PyNode, PythonCode } from './python-code.ts';
import { decline, type PythonTemplate, type TemplateFix } from '../template.types.ts';

/** Replaces an expression. */
export const replaced = (node: PyExpr, text: string, rationale: string): TemplateFix => ({ edits: [{ start: node.start, end: node.end, text }], rationale });

/** Whether a value is written as this word, or as the number that stands for it. */
export const isWord = (value: PyExpr | undefined, word: 'True' | 'False'): boolean =>
  value?.type === 'Constant'
  && ((value.kind === 'bool' && value.value === (word === 'True')) || (value.kind === 'int' && value.value === (word === 'True' ? 1 : 0)));

/**
 * A template that declines where an `if` decides whether the switch is set (`if args.insecure:`): somebody offers that as an option,
 * which would be dead with the switch turned. So would be what answers a failed check of a certificate.
 */
export const unlessChosen = (template: PythonTemplate): PythonTemplate => (code, finding) => {
  const node = code.expressionAt(finding) ?? code.statementAt(finding);
  return node !== undefined && isChosen(code, node)
    ? decline('This is set under a condition, which may be an option that somebody offers on purpose: a person has to say whether it is still wanted.')
    : template(code, finding);
};

/** Whether a condition that is more than a constant, or than the question whether the file is the program itself, stands around a node. */
export function isChosen(code: PythonCode, node: PyNode): boolean {
  const holds = (each: PyNode): boolean => each.start <= node.start && node.end <= each.end;
  for (let at = code.parentOf(node); at !== undefined; at = code.parentOf(at)) {
    if ((at.type === 'If' || at.type === 'IfExp') && !holds(at.test) && at.test.type !== 'Constant' && !/\b__name__\b/.test(code.source(at.test))) return true;
    if (at.type === 'Match' || (at.type === 'BoolOp' && !holds(at.values[0]!))) return true;
    if (at.type === 'Try' && at.handlers.some(({ exception, body }) => exception !== undefined && /ssl|cert/i.test(code.source(exception)) && body.some(holds))) return true;
  }
  return false;
}
