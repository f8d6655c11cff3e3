import type { PyModule, PyStmt } from '../../../syntax/python.types.ts';

/** First and last line (1-based, inclusive) of a statement; of a compound one only of its header. */
export type LineRange = { readonly firstLine: number; readonly lastLine: number };

/** The lines of the innermost statement around an offset; the offset's own line where no statement is. */
export function statementLines(module: PyModule, offset: number): LineRange {
  let statements = module.body;
  let range: LineRange = { firstLine: module.lineAt(offset), lastLine: module.lineAt(offset) };
  for (;;) {
    const statement = statementAround(statements, offset);
    if (statement === undefined) return range;
    const inner = bodiesOf(statement);
    const body = inner.find((part) => statementAround(part, offset) !== undefined);
    if (body === undefined) return headerLines(module, statement, inner, offset);
    range = headerLines(module, statement, inner, offset);
    statements = body;
  }
}

/** Statements stand in order, so the last one that starts at or before the offset is the only candidate. */
function statementAround(statements: readonly PyStmt[], offset: number): PyStmt | undefined {
  let low = 0;
  let high = statements.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (startOf(statements[middle] as PyStmt) <= offset) low = middle + 1;
    else high = middle;
  }
  const candidate = statements[low - 1];
  return candidate !== undefined && offset < candidate.end ? candidate : undefined;
}

/** Where a statement begins: decorators belong to what they decorate, whose own span begins behind them. */
export function startOf(statement: PyStmt): number {
  return 'decorators' in statement ? (statement.decorators[0]?.start ?? statement.start) : statement.start;
}

function headerLines(module: PyModule, statement: PyStmt, bodies: readonly (readonly PyStmt[])[], offset: number): LineRange {
  const firstLine = module.lineAt(startOf(statement));
  const firstBody = bodies[0]?.[0];
  if (firstBody === undefined) return { firstLine, lastLine: module.lineAt(Math.max(statement.start, statement.end - 1)) };
  const bodyLine = module.lineAt(firstBody.start);
  // An `elif`, `except` or `case` header lies further down: its own line is all that is known of it.
  const line = module.lineAt(offset);
  if (line > bodyLine) return { firstLine: line, lastLine: line };
  return { firstLine, lastLine: Math.max(line, bodyLine - 1) };
}

/** The blocks of a compound statement, in their order; none of a simple one. */
export function bodiesOf(statement: PyStmt): readonly (readonly PyStmt[])[] {
  switch (statement.type) {
    case 'If':
    case 'While':
    case 'For':
      return [statement.body, statement.orelse];
    case 'With':
    case 'FunctionDef':
    case 'ClassDef':
      return [statement.body];
    case 'Try':
      return [statement.body, ...statement.handlers.map((handler) => handler.body), statement.orelse, statement.finalbody];
    case 'Match':
      return statement.cases.map((one) => one.body);
    default:
      return [];
  }
}
