import { confirmations, efforts, type Opinion } from './runner.types.ts';
import { escapeUnsafe } from '../../../../../text/safe-text.ts';
import { findObject } from './find-object.ts';
import type { Excerpt } from './excerpt.ts';

/** What a model answered to "fix it". */
export type FixAnswer = { readonly kind: 'fixed'; readonly text: string; readonly rationale: string } | { readonly kind: 'declined'; readonly rationale: string };

/** A model's answer that is not of the agreed form; the message says what is wrong, for the model to mend. */
export class AnswerError extends Error {
  static {
    this.prototype.name = 'AnswerError';
  }
}

const maxRationale = 2_000;
const maxEdits = 50;
const maxNewText = 200_000;

/**
 * Reads `{decision, rationale, edits}` and makes the new text of the file; `excerpt` is what the model saw, and lines that
 * it did not see it may not change. Throws AnswerError.
 */
export function readFixAnswer(answer: string, text: string, excerpt: Excerpt): FixAnswer {
  const value = readObject(answer, 'decision');
  const rationale = textOf(value['rationale'], 'rationale').slice(0, maxRationale);
  if (value['decision'] === 'decline') return { kind: 'declined', rationale };
  if (value['decision'] !== 'fix') throw new AnswerError('"decision" must be "fix" or "decline"');
  const edits = value['edits'];
  if (!Array.isArray(edits) || edits.length === 0 || edits.length > maxEdits) {
    throw new AnswerError(`"edits" must be an array of 1 to ${maxEdits} edits`);
  }
  const lines = text.split(/(?<=\n)/);
  return { kind: 'fixed', rationale, text: applyLineEdits(text, lines, edits.map((edit) => readEdit(edit, excerpt, lines))) };
}

/** Reads `{confirmation, confirmation_rationale, explanation, effort, additional_actions}`. Throws AnswerError. */
export function readOpinion(answer: string): Opinion {
  const value = readObject(answer, 'confirmation');
  const actions = value['additional_actions'] ?? [];
  if (!Array.isArray(actions) || !actions.every((action) => typeof action === 'string')) {
    throw new AnswerError('"additional_actions" must be an array of texts');
  }
  return {
    confirmation: oneOf(value['confirmation'], confirmations, 'confirmation'),
    confirmation_rationale: textOf(value['confirmation_rationale'], 'confirmation_rationale').slice(0, 280),
    explanation: textOf(value['explanation'], 'explanation').slice(0, maxRationale),
    effort: oneOf(value['effort'], efforts, 'effort'),
    additional_actions: actions.slice(0, 10).map((action) => action.slice(0, 400)),
  };
}

function readObject(answer: string, member: string): Readonly<Record<string, unknown>> {
  const value = findObject(answer, member);
  if (value === undefined) throw new AnswerError(`the answer must be one JSON object with "${member}", and nothing else`);
  return value;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw new AnswerError(`"${name}" must be a text that is not empty`);
  return value;
}

function oneOf<T extends string>(value: unknown, words: readonly T[], name: string): T {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new AnswerError(`"${name}" must be one of ${words.join(', ')}`);
  return found;
}

/** Lines `first` to `last` (1-based, both included) become `text`; with `last` one less than `first` it is put before that line. */
type LineEdit = { readonly first: number; readonly last: number; readonly text: string };

function readEdit(edit: unknown, excerpt: Excerpt, lines: readonly string[]): LineEdit {
  const { start_line: first, end_line: last, new_text: text } = (edit ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || typeof text !== 'string') {
    throw new AnswerError('an edit is {"start_line": number, "end_line": number, "new_text": text}');
  }
  const [from, to] = [first as number, last as number];
  if (to < from - 1 || to - from > 200) throw new AnswerError(`lines ${from} to ${to} are no range`);
  for (let line = from; line <= Math.max(from, to); line += 1) {
    if (!excerpt.has(line)) throw new AnswerError(`line ${line} was not shown, so it can not be edited`);
  }
  if (text.length > maxNewText) throw new AnswerError('"new_text" is too long');
  // What shows as nothing, or as something else than it is, gets past whoever reads the diff.
  const replaced = lines.slice(from - 1, to).join('');
  if (unsafeIn(text).some((character) => !replaced.includes(character))) {
    throw new AnswerError('"new_text" has control characters, or others that can not be seen, that the lines before did not have');
  }
  const clear = excerpt.unmask(text, from, to);
  if (clear === undefined) throw new AnswerError('"new_text" has a masked secret that is not in the lines that it replaces, or more often than these');
  return { first: from, last: to, text: clear };
}

/** The characters of a text that are not safe to show, but tabs and the line ends that edits are split by. */
function unsafeIn(text: string): string[] {
  const found = new Set<string>();
  escapeUnsafe(text.replace(/\t|\r?\n/g, ''), (codePoint) => {
    found.add(String.fromCodePoint(codePoint));
    return '';
  });
  return [...found];
}

function applyLineEdits(text: string, lines: readonly string[], edits: readonly LineEdit[]): string {
  const newline = /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n';
  const ordered = [...edits].sort((a, b) => a.first - b.first || a.last - b.last);
  let result = '';
  let next = 1;
  for (const { first, last, text: put } of ordered) {
    if (first < next) throw new AnswerError(`line ${first} is edited twice`);
    result += lines.slice(next - 1, first - 1).join('');
    const fresh = put === '' ? [] : put.replace(/\r?\n$/, '').split(/\r?\n/);
    // The last line of a file may have no line end, and keeps it so.
    const open = last >= lines.length && lines.length > 0 && !lines.at(-1)!.endsWith('\n');
    result += fresh.map((line, index) => (open && index === fresh.length - 1 ? line : line + newline)).join('');
    next = Math.max(first, last + 1);
  }
  return result + lines.slice(next - 1).join('');
}
