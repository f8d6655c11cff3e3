/** Loops that look at every member of an archive before it is unpacked. */
import type { PyStmt } from '../../../../syntax/python.types.ts';
import type { CallEvent } from '../analysis/model.types.ts';

/** Leaves the loop, or the function, for a member that is not wanted. */
const refuses = (body: readonly PyStmt[]): boolean => body.some((statement) =>
  statement.type === 'Raise' || statement.type === 'Return'
  || statement.type === 'Expr' && statement.value.type === 'Call' && statement.value.func.type === 'Name' && statement.value.func.id === 'abort');

/** A condition about where a name leads. */
const aboutPath = /['"](?:\.\.\/?|\/)['"]|isabs|is_absolute|realpath|abspath|resolve|is_relative_to|commonpath|within|safe|pardir|os\.sep/;

/**
 * Whether a loop over the members, before the call and in the same function, refuses names that lead out of the folder:
 * `for m in tar.getmembers(): if '..' in m.name or m.name.startswith('/'): raise ...`.
 */
export const checksMembers = (event: CallEvent): boolean => {
  const { text, body } = event.module.module;
  const func = event.node.func;
  const archive = func.type === 'Attribute' ? text.slice(func.value.start, func.value.end) : '';
  if (archive === '' || archive.length > 80) return false;
  const isCheck = (statement: PyStmt): boolean => statement.type === 'If' && (refuses(statement.body) && aboutPath.test(text.slice(statement.test.start, statement.test.end))
    || statement.orelse.some(isCheck));
  const search = (statements: readonly PyStmt[], depth: number): boolean => statements.some((statement) => {
    if (statement.start >= event.start || depth > 12) return false;
    if (statement.type === 'For') {
      const iterated = text.slice(statement.iter.start, statement.iter.end);
      return (iterated === archive || iterated.startsWith(`${archive}.get`)) && statement.body.some(isCheck) || search(statement.body, depth + 1);
    }
    return (statement.type === 'With' || statement.type === 'Try' || statement.type === 'If') && search(statement.body, depth + 1);
  });
  return search(event.function?.node.body ?? body, 0);
};
