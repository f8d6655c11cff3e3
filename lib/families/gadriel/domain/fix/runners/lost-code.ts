import { parsePython } from '../../../../../syntax/python.ts';
import type { PyExpr, PyStmt } from '../../../../../syntax/python.types.ts';
import type { Finding } from '../../finding.types.ts';
import { isNotebook, isPython } from '../../source-path.ts';
import { bodiesOf, startOf } from '../../statement-lines.ts';

/** A statement without its body, or a line of a file that is no Python. `isIdle`: it does nothing that a fix must keep. */
type Unit = { readonly text: string; readonly first: number; readonly last: number; readonly isIdle: boolean; readonly isSwitch: boolean };

/** So many statements may become fewer in any way, such as a text that was built step by step. */
const fewLost = 5;

/**
 * What is wrong with a fix that does away with a finding by doing away with code; undefined where it keeps enough. No scan can
 * tell it from a good one. The flagged statement needs something in its place, and code round it may not go. Only an import and a
 * switch (a setting to a constant, a call such as `disable_warnings()`) may go alone.
 */
export function lostCode(before: string, after: string, finding: Pick<Finding, 'file' | 'line'>): string | undefined {
  const unitsOf = isPython(finding.file, before) && !isNotebook(finding.file) ? statementsOf : linesOf;
  const [old, fresh] = [unitsOf(before), unitsOf(after)];
  const removed = without(old, fresh).filter(({ isIdle }) => !isIdle);
  const added = without(fresh, old).filter(({ isIdle }) => !isIdle);
  // A compound statement ends with its header here, so that the last one that has the line is the innermost.
  const flagged = old.findLast(({ first, last }) => first <= finding.line && finding.line <= last);
  if (flagged !== undefined && removed.some(({ text }) => text === flagged.text) && !flagged.isSwitch) {
    if (added.length === 0 || (works(flagged) && !added.some(works))) {
      return 'the flagged statement is taken away and nothing does its work: keep what the code does, or decline';
    }
  }
  const lost = removed.filter(({ isSwitch }) => !isSwitch).length - added.length;
  return lost > fewLost && added.length < lost ? `${lost} statements are taken away: keep what the code does, or decline` : undefined;
}

/** Whether it calls something or looks something up. */
const works = ({ text }: Unit): boolean => /[\w\])]\s*[([]/.test(text);

/** The units that have no equal among the others, each of which stands for one. */
function without(units: readonly Unit[], others: readonly Unit[]): Unit[] {
  const counts = new Map<string, number>();
  for (const { text } of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return units.filter(({ text }) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

function linesOf(text: string): Unit[] {
  return text.split(/\r?\n/).map((line, index) => {
    const trimmed = line.trim();
    return { text: trimmed, first: index + 1, last: index + 1, isIdle: /^(?:[#;].*|\/\/.*|[{}[\],]*)$/.test(trimmed), isSwitch: false };
  });
}

function statementsOf(text: string): Unit[] {
  const module = parsePython(text);
  // A comment is no part of what a statement does.
  const code = withoutComments(text, module.comments);
  const units: Unit[] = [];
  const visit = (statements: readonly PyStmt[]): void => {
    for (const statement of statements) {
      const bodies = bodiesOf(statement);
      const start = startOf(statement);
      const end = bodies.flat()[0]?.start ?? statement.end;
      const lastCharacter = start + code.slice(start, end).trimEnd().length - 1;
      units.push({
        text: code.slice(start, end).trim().replace(/\s+/g, ' '), first: module.lineAt(start), last: module.lineAt(Math.max(start, lastCharacter)),
        isIdle: isIdle(statement), isSwitch: isSwitch(statement),
      });
      for (const body of bodies) visit(body);
    }
  };
  visit(module.body);
  return units;
}

function withoutComments(text: string, comments: readonly { readonly start: number; readonly end: number }[]): string {
  let code = '';
  let at = 0;
  for (const { start, end } of comments) {
    code += text.slice(at, start) + ' '.repeat(end - start);
    at = end;
  }
  return code + text.slice(at);
}

function isIdle(statement: PyStmt): boolean {
  const isText = statement.type === 'Expr' && statement.value.type === 'Constant';
  return isText || statement.type === 'Import' || statement.type === 'ImportFrom' || statement.type === 'Pass';
}

function isSwitch(statement: PyStmt): boolean {
  if (statement.type === 'Import' || statement.type === 'ImportFrom') return true;
  if (statement.type === 'Assign') return statement.targets.every(isSetting) && isFixed(statement.value);
  if (statement.type !== 'Expr' || statement.value.type !== 'Call') return false;
  const { func, args } = statement.value;
  const name = func.type === 'Attribute' ? func.attr : func.type === 'Name' ? func.id : '';
  return /^(?:set|enable|disable|allow|filterwarnings|simplefilter)/i.test(name) && args.every(({ value }) => isFixed(value) || isPlainCall(value) || isText(value));
}

/** What is set: a member, an element, or a constant of the module. */
const isSetting = (target: PyExpr): boolean =>
  target.type === 'Attribute' || target.type === 'Subscript' || (target.type === 'Name' && /^[A-Z][A-Z\d_]*$/.test(target.id));

const isText = (value: PyExpr): boolean => value.type === 'Constant' && value.kind === 'str';

/** A constant, or a name of a module. A text is none: others may read it. */
const isFixed = (value: PyExpr): boolean => value.type === 'Attribute' || (value.type === 'Constant' && value.kind !== 'str' && value.kind !== 'bytes');

const isPlainCall = (value: PyExpr): boolean => value.type === 'Call' && value.args.length === 0;
