/** Which programs a command line may be made a list for: those whose options are known, and only where a value can not be one of them. */
import { programName, readWords, valueMark, type Reading, type Role } from '../../../program-options.ts';

/**
 * Programs that run other programs or code given as arguments: a list of arguments keeps nobody from choosing what runs.
 * Like the words of the shell below they are declined as every program that is not in the table; this says why.
 */
const runners = new Set(`sh bash zsh dash ash ksh fish csh tcsh busybox pwsh powershell cmd
  env sudo su doas ssh sshpass xargs find fd nohup timeout watch parallel nice ionice time chroot setsid stdbuf strace ltrace script expect screen
  tmux flock unshare nsenter docker podman kubectl lxc vagrant runuser pkexec start-stop-daemon systemd-run chrt taskset at batch crontab entr
  node nodejs deno bun awk gawk mawk nawk sed java osascript tclsh wish guile ghci irb julia rscript make gmake npx npm yarn pnpm pip pipx uv uvx
  gdb vim vi ed ex emacs sqlite3 mysql psql rsync nc ncat netcat socat xterm gnuplot gs octave latex pdflatex xelatex lualatex tex convert magick
  mogrify composite montage rename ansible ansible-playbook terraform helm mvn gradle ant cargo bundle rake gem`.split(/\s+/));
const versioned = /^(?:python|pypy|perl|ruby|php|lua|node|pip)[\d.w-]*$/;

/** Words that only a shell knows: as a program there is none of that name, or it does nothing for its caller. */
const builtins = new Set(`cd source . : exit export set unset ulimit umask alias unalias type eval exec read trap wait shift return break continue
  builtin command hash jobs bg fg let local declare typeset readonly getopts times disown pushd popd dirs history fc bind shopt enable mapfile
  readarray suspend logout if then else elif fi for while until do done case esac select function coproc { } [[ ! time`.split(/\s+/));

/**
 * Why a command can not be run by a list of arguments; undefined where it can. `valueMark` stands for each value in the words;
 * `putsEnd` says that `--` is put where `endOfOptions` has it.
 */
export function whyNoList(words: readonly string[], putsEnd = true): string | undefined {
  const program = programName(words[0] ?? '');
  if (runners.has(program) || versioned.test(program)) return `${program} runs what its arguments say, so that a list of them would not help.`;
  if (builtins.has(program)) return `${program} is a word of the shell and no program.`;
  const reading = readWords(words);
  if (reading === undefined) return `What ${program} does with a value that begins with a dash, or with any value, is not known here: a person has to judge that.`;
  const at = (role: Role, mark: boolean): number => words.findIndex((word, index) => reading.roles[index] === role && (!mark || word.includes(valueMark)));
  const run = at('runs', true);
  if (run > 0) return `What follows ${optionAt(words, run)} is run by ${program}, or chooses what it runs.`;
  const unknown = at('unknown', false);
  if (unknown > 0) return `What ${program} does with ${optionAt(words, unknown + 1)} is not known here: a person has to judge that.`;
  const meant = meanings[program]?.(words, reading);
  if (meant !== undefined) return meant;
  const open = words.some((word, index) => reading.roles[index] === 'operand' && word.startsWith(valueMark));
  if (!open || reading.program.mild === true || (putsEnd && endOfOptions(words) !== undefined)) return undefined;
  return `A value that begins with a dash would be an option of ${program}, and options of it run programs or name files: it has to be checked first.`;
}

/** Whether a word of the option has a value, with this before it. */
const given = (words: readonly string[], { owners }: Reading, option: RegExp, before: RegExp): boolean =>
  words.some((word, index) => option.test(owners[index] ?? '') && word.includes(valueMark) && before.test(word.slice(0, word.indexOf(valueMark)).replace(/^--[\w-]+=|^-\w/, '')));

/** Where a value does more than its place says, though it is one word and no option: why a person has to look, by program. */
const meanings: Readonly<Record<string, (words: readonly string[], reading: Reading) => string | undefined>> = {
  // GNU tar starts a program to get there.
  tar: (words, reading) => (given(words, reading, /^-f$|^--file$/, /^[^/]*$/) ? 'An archive whose name has a colon is fetched from another computer: give its folder before the value.' : undefined),
  git: (words, { roles }) => (/^(?:push|fetch)$/.test(words[1]!) && words.some((word, index) => roles[index] !== 'program' && word.includes(valueMark))
    ? `git ${words[1]!} takes repositories, whose hooks can run, and rules which branch to overwrite: what a value may be can only be told by a person.` : undefined),
  // The inputs of lavfi are programs of filters, those of concat lists of files; tee writes wherever its name says.
  ffmpeg: (words, { owners }) => (words.some((word, index) => owners[index] === '-f' && (word.includes(valueMark) || word === 'tee' || index < words.lastIndexOf('-i')))
    ? 'What a value means to ffmpeg depends on the format that -f gives: a person has to judge that.' : undefined),
  curl: (words, reading) => (given(words, reading, /^-[dH]$|^--(?:data|data-binary|header)$/, /^$/) || given(words, reading, /^-b$|^--(?:cookie|data-urlencode)$/, /^[^=]*$/)
    || given(words, reading, /^-F$|^--form$/, /^[^=]*=?$/) || given(words, reading, /^-w$|^--write-out$/, /^/)
    ? 'A value that begins with @ or < is a file to curl, which it reads and sends: put a name before it, or check it.' : undefined),
};

/** The option before a word, or of it, as people read it. */
const optionAt = (words: readonly string[], index: number): string => {
  const word = words[index] ?? '';
  return (word.startsWith('-') ? word : words[index - 1]!).replaceAll(valueMark, '…');
};

/**
 * Where `--` goes, so that a value which begins with a dash is no option: before the first operand, which is the one place that
 * every getopt takes. Undefined where no operand begins with a value, `--` is there or not known, or options stand behind.
 */
export function endOfOptions(words: readonly string[]): number | undefined {
  const reading = readWords(words);
  if (reading?.first === undefined || reading.program.noEnd === true || words.includes('--')) return undefined;
  const behind = reading.roles.slice(reading.first);
  const open = words.some((word, index) => reading.roles[index] === 'operand' && word.startsWith(valueMark));
  return open && behind.every((role) => role === 'operand') ? reading.first : undefined;
}
