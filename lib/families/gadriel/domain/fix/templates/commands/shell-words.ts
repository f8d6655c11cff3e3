/** A command line taken apart as a shell would do it, where the shell does no more than that. */
import type { PyExpr } from '../../../../../../syntax/python.types.ts';
import { builtString, literalOf, type Piece } from '../code/built-string.ts';
import { asOneText } from '../code/piece-source.ts';
import { madeText } from '../code/plain-values.ts';
import { readWords, valueMark } from '../../../program-options.ts';
import { endOfOptions, whyNoList } from './programs.ts';
import type { PythonCode } from '../code/python-code.ts';
import { listValues, mayBeEmpty, shellValues, valueKind } from '../code/value-kind.ts';

const needsShell = 'The command needs a shell (pipes, patterns, redirections, variables), or its program is not fixed.';

const emptyIsNone = 'Without a value the program does something else, which an empty argument would not do: decide what it is to do then.';

/** What a shell takes as plain words. */
const plainWord = /^[\w@%+=:,./-]$/;

/** The words of a command as Python source, and the expression that they stand for; or why there is no such list. */
export type Words = { readonly words: readonly string[]; readonly node: PyExpr } | { readonly why: string };

/** The words of a command that an argument puts together. */
export function wordsOf(code: PythonCode, argument: PyExpr | undefined): Words {
  const built = argument === undefined ? undefined : builtString(code, argument);
  const words = built === undefined ? undefined : splitWords(code, built.pieces);
  const [program] = words ?? [];
  if (built === undefined || words === undefined || program?.length !== 1 || program[0]!.kind !== 'text' || program[0]!.text.includes('=')) return { why: needsShell };
  const fixed = words.map((word) => word.map((piece) => (piece.kind === 'text' ? piece.text : valueMark)).join(''));
  const why = whyNoList(fixed);
  if (why !== undefined) return { why };
  // What is quoted where it stands is one word, whatever it is.
  if (built.pieces.some((piece) => piece.kind === 'value' && unquoted(code, piece.value) === undefined && valueKind(code, piece.value, listValues) === 'unsure')) {
    return { why: 'Whether a value is one word of the command or several is not sure.' };
  }
  if (readWords(fixed)?.program.optional === true && words.some(([piece, ...more]) => piece?.kind === 'value' && more.length === 0 && mayBeEmpty(code, piece.value))) return { why: emptyIsNone };
  const sources = words.map((word) => wordSource(code, word));
  if (sources.includes(undefined)) return { why: needsShell };
  const end = endOfOptions(fixed);
  if (end !== undefined) sources.splice(end, 0, '"--"');
  return { words: sources as string[], node: built.node };
}

/** Split at blanks, quotes taken off; undefined where a shell does more. */
function splitWords(code: PythonCode, pieces: readonly Piece[]): Piece[][] | undefined {
  const words: Piece[][] = [];
  let word: Piece[] | undefined;
  let quote = '';
  const put = (piece: Piece): void => {
    const last = word?.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') word![word!.length - 1] = { kind: 'text', text: last.text + piece.text };
    else (word ??= []).push(piece);
  };
  const close = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (const piece of pieces) {
    if (piece.kind === 'value') {
      const inner = unquoted(code, piece.value);
      // Quotes of shlex inside other quotes would be part of the word.
      if (inner !== undefined && quote !== '') return undefined;
      put(inner === undefined ? piece : { kind: 'value', value: inner, shown: 'text' });
      continue;
    }
    for (const character of piece.text) {
      if (quote === '' && (character === ' ' || character === '\t')) close();
      else if (character === quote) quote = '';
      else if (quote === '' && (character === '"' || character === "'")) {
        quote = character;
        word ??= [];
      } else if (plainWord.test(character) || (quote !== '' && character === ' ')) put({ kind: 'text', text: character });
      else return undefined;
    }
  }
  close();
  return quote === '' ? words : undefined;
}

/** What `shlex.quote` was given: a list needs no quotes. */
function unquoted(code: PythonCode, value: PyExpr): PyExpr | undefined {
  const quotes = value.type === 'Call' && value.args.length === 1 && shellValues.sanitizers.test(code.nameOf(value.func) ?? '');
  return quotes ? value.args[0]!.value : undefined;
}

function wordSource(code: PythonCode, word: readonly Piece[]): string | undefined {
  const [first] = word;
  if (word.length === 0) return '""';
  if (word.length === 1 && first?.kind === 'text') return literalOf(code, first.text);
  if (word.length > 1 || first?.kind !== 'value') return asOneText(code, word);
  return madeText(code, first) ?? asOneText(code, word);
}
