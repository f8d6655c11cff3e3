import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { safeText } from '../text/safe-text.ts';

/** Streams of a prompt: keys are read from `input`, questions go to `output` (stderr, as stdout carries the answer). */
export type PromptStreams = { readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }; readonly output: NodeJS.WritableStream };

/** `flag` is what to write on the command line instead of answering, such as `--yes`; `echo: false` hides the keys. */
export type AskOptions = { readonly flag: string; readonly echo?: boolean };

/** Asks the person at the terminal. */
export type Prompt = {
  /** True when there is a terminal to ask on. */
  readonly present: boolean;
  /** One line, without its line end. */
  askLine(question: string, options: AskOptions): Promise<string>;
  /** Yes or no; an empty answer is no, anything else but yes and no asks again. */
  askYesNo(question: string, options: AskOptions): Promise<boolean>;
};

const NO_ANSWER = Symbol.for('toolwire.no-answer');

/** There is no answer: `reason` says whether stdin is no terminal, its input ended, or the person pressed Ctrl-C. */
export class NoAnswerError extends Error {
  readonly reason: 'no-terminal' | 'ended' | 'interrupted';

  constructor(reason: 'no-terminal' | 'ended' | 'interrupted', message: string) {
    super(message);
    this.reason = reason;
  }

  static {
    Object.defineProperty(this.prototype, 'name', { value: 'NoAnswerError' });
    Object.defineProperty(this.prototype, NO_ANSWER, { value: true });
  }
}

/** Recognises a NoAnswerError, also one of another copy of this module. */
export function isNoAnswerError(error: unknown): error is NoAnswerError {
  return typeof error === 'object' && error !== null && NO_ANSWER in error;
}

/** A prompt on these streams. Without a terminal every question throws NoAnswerError that names the flag to use. */
export function createPrompt({ input, output }: PromptStreams): Prompt {
  const present = input.isTTY === true;
  const askLine = async (question: string, { flag, echo = true }: AskOptions): Promise<string> => {
    const shown = safeText(question, 2_000, { keep: '\n' });
    // What stands above the question is for who can be asked.
    if (!present) throw new NoAnswerError('no-terminal', `stdin is no terminal to ask on: "${shown.slice(shown.lastIndexOf('\n') + 1)}"; use ${flag}`);
    return readAnswer({ input, output }, `${shown} `, echo);
  };
  return {
    present,
    askLine,
    async askYesNo(question, options) {
      for (;;) {
        const answer = (await askLine(`${question} [y/N]`, options)).trim().toLowerCase();
        if (answer === 'y' || answer === 'yes') return true;
        if (answer === '' || answer === 'n' || answer === 'no') return false;
      }
    },
  };
}

function readAnswer({ input, output }: PromptStreams, question: string, echo: boolean): Promise<string> {
  // readline puts the terminal into raw mode and echoes itself, so keys are hidden by giving it nowhere to write.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: echo ? output : nowhere, terminal: true });
  if (!echo) output.write(question);
  return new Promise<string>((resolve, reject) => {
    reader.once('SIGINT', () => {
      reject(new NoAnswerError('interrupted', 'interrupted'));
      reader.close();
    });
    reader.once('close', () => {
      if (!echo) output.write('\n');
      // After an answer or an interruption this changes nothing.
      reject(new NoAnswerError('ended', 'the input ended before an answer'));
    });
    reader.question(echo ? question : '', (answer) => {
      resolve(answer);
      reader.close();
    });
  });
}
