import type { OutputStream } from './terminal.types.ts';

/** Wraps text in a colour or weight, or returns it as it is where colour is off. */
export type Paint = (text: string) => string;

/** The few colours a command line uses, and whether they do anything. */
export type Colours = { readonly enabled: boolean } & Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan', Paint>>;

/**
 * Colours for a stream: on when it is a terminal that is not `dumb`. A non-empty NO_COLOR turns them off whatever
 * else is set (no-color.org); FORCE_COLOR turns them on without a terminal, or off when it is `0` or `false`.
 */
export function createColours(stream: Pick<OutputStream, 'isTTY'>, env: Readonly<Record<string, string | undefined>>): Colours {
  const enabled = isEnabled(stream, env);
  const paint = (open: number, close: number): Paint =>
    enabled ? (text) => `\u001b[${open}m${text}\u001b[${close}m` : (text) => text;
  return {
    enabled,
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    yellow: paint(33, 39),
    green: paint(32, 39),
    cyan: paint(36, 39),
  };
}

function isEnabled(stream: Pick<OutputStream, 'isTTY'>, env: Readonly<Record<string, string | undefined>>): boolean {
  const { NO_COLOR: none, FORCE_COLOR: force, TERM: term } = env;
  if (none !== undefined && none !== '') return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  return stream.isTTY === true && term !== 'dumb';
}
