import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Buffer } from 'node:buffer';

/** Where git runs, the environment that it gets (without its GIT_* variables), and what ends it early. `index`: another index than its own. */
export type GitOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Bytes for its standard input. */
  readonly input?: string | Uint8Array;
  readonly index?: string | undefined;
};

/** Most that one command may answer, in bytes: the list of a repository's files fits many times. */
const maxAnswerBytes = 512 * 1024 * 1024;
/** Most that is kept of what it complains of, in bytes. */
const maxComplaintBytes = 64 * 1024;

/**
 * What a repository's own configuration could make git run is switched off: the file system monitor, hooks, programs for
 * signatures and diffs, and fetching missing objects over any protocol. Only plumbing commands are run besides.
 */
const harmless = [
  '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false', '-c', 'core.sshCommand=false',
  '-c', 'log.showSignature=false', '-c', 'protocol.allow=never', '-c', 'core.untrackedCache=false',
];

/** Starts git without a shell; whoever calls reads its streams. */
export function startGit(args: readonly string[], { cwd, env, signal, index }: GitOptions): ChildProcessWithoutNullStreams {
  const options = { cwd, env: { ...harmlessEnvironment(env), ...(index !== undefined && { GIT_INDEX_FILE: index }) }, stdio: 'pipe', windowsHide: true, ...(signal !== undefined && { signal }) } as const;
  const child = spawn('git', [...harmless, ...args], options);
  // A process that has ended takes no more input: its exit code tells, not the broken pipe.
  child.stdin.on('error', () => undefined);
  // An unread pipe would block it.
  child.stderr.resume();
  return child;
}

/** What came of a git command: `code` is -1 where there is no git; `stderr` is what it complains of, its beginning. */
export type GitAnswer = { readonly code: number; readonly stdout: Buffer; readonly stderr: string };

/** Runs git to its end. Rejects with the signal's reason. */
export function runGit(args: readonly string[], options: GitOptions): Promise<GitAnswer> {
  return new Promise((resolve, reject) => {
    const child = startGit(args, options);
    const pieces: Buffer[] = [];
    const complaints: Buffer[] = [];
    let size = 0;
    let complained = 0;
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxAnswerBytes) child.kill();
      else pieces.push(piece);
    });
    child.stderr.on('data', (piece: Buffer) => {
      if (complained < maxComplaintBytes) complaints.push(piece);
      complained += piece.length;
    });
    child.on('error', () => {
      if (options.signal?.aborted === true) reject(options.signal.reason as Error);
      else resolve({ code: -1, stdout: Buffer.alloc(0), stderr: '' });
    });
    child.on('close', (code) => resolve({ code: code ?? -1, stdout: Buffer.concat(pieces), stderr: Buffer.concat(complaints).toString('utf8') }));
    child.stdin.end(options.input ?? '');
  });
}

/**
 * Why git refuses a repository, in its own words, such as that somebody else owns it; undefined where it ran, or where there
 * is no repository at all.
 */
export function refusalOf({ code, stderr }: Pick<GitAnswer, 'code' | 'stderr'>): string | undefined {
  if (code === 0) return undefined;
  if (code === -1) return 'there is no git';
  const [, words = 'it ended with an error'] = /^fatal: (.{1,300})/m.exec(stderr) ?? [];
  return words.startsWith('not a git repository') ? undefined : words;
}

function harmlessEnvironment(env: GitOptions['env']): Record<string, string> {
  const kept = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && !/^GIT_/i.test(entry[0]));
  return {
    ...Object.fromEntries(kept), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1', GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}
