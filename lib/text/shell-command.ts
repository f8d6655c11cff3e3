/**
 * A command as a person can paste it into a shell: `verb` as it is, each operand as one word of a POSIX shell, behind `--`
 * where one could be read as an option.
 */
export function shellCommand(verb: string, ...operands: readonly string[]): string {
  return [verb, ...(operands.some((each) => each.startsWith('-')) ? ['--'] : []), ...operands.map(shellWord)].join(' ');
}

const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
