/** What is known of programs by their name: which run what their arguments say, and where their options end. */

/** Programs that run other programs or code given as arguments: a list of arguments keeps nobody from choosing what runs. */
const runners = new Set(`sh bash zsh dash ash ksh fish csh tcsh busybox pwsh powershell cmd
  env sudo su doas ssh sshpass xargs find fd nohup timeout watch parallel nice ionice time chroot setsid stdbuf strace ltrace script expect screen
  tmux flock unshare nsenter docker podman kubectl lxc vagrant runuser pkexec start-stop-daemon systemd-run chrt taskset at batch crontab entr
  node nodejs deno bun awk gawk mawk nawk sed java osascript tclsh wish guile ghci irb julia rscript make gmake npx npm yarn pnpm pip pipx uv uvx
  gdb vim vi ed ex emacs sqlite3 mysql psql rsync`.split(/\s+/));
const versioned = /^(?:python|pypy|perl|ruby|php|lua|node|pip)[\d.w-]*$/;

/** Words that only a shell knows: as a program there is none of that name, or it does nothing for its caller. */
const builtins = new Set(`cd source . : exit export set unset ulimit umask alias unalias type eval exec read trap wait shift return break continue
  builtin command hash jobs bg fg let local declare typeset readonly getopts times disown pushd popd dirs history fc bind shopt enable mapfile
  readarray suspend logout if then else elif fi for while until do done case esac select function coproc { } [[ ! time`.split(/\s+/));

/** Options whose next word is code or a program, whatever the program is. */
const runningOption = /^--?(?:eval|exec|execdir|command|rsh|checkpoint-action|use-compress-program)$/;

/** Why a program can not be run by a list of arguments; undefined where it can. */
export function whyNoList(words: readonly string[]): string | undefined {
  const program = (words[0] ?? '').split('/').at(-1)!.toLowerCase().replace(/\.exe$/, '');
  if (runners.has(program) || versioned.test(program)) return `${program} runs what its arguments say, so that a list of them would not help.`;
  if (builtins.has(program)) return `${program} is a word of the shell and no program.`;
  return words.some((word) => runningOption.test(word)) ? 'An option of the program runs what follows it.' : undefined;
}

/** Programs that take `--` for the end of their options, and the letters of options that take the next word. */
const endsOptions: Readonly<Record<string, string>> = {
  ls: 'ITw', rm: '', cp: 'tS', mv: 'tS', cat: '', mkdir: 'm', rmdir: '', touch: 'drt', wc: '', head: 'nc', tail: 'ncs', grep: 'efmABCdD', egrep: 'efmABCdD',
  fgrep: 'efmABCdD', ln: 'tS', stat: 'cf', du: 'dBtX', diff: 'FIUCWxX', cmp: 'in', md5sum: '', sha1sum: '', sha256sum: '', readlink: '', basename: '', dirname: '', chmod: '', chown: '',
  gzip: 'S', gunzip: 'S', curl: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz', 'git clone': 'bojuc', 'git add': '', 'git rm': '', 'git mv': '', 'git fetch': 'jo', 'git push': 'o', 'git ls-remote': 'o',
};

/**
 * Where `--` goes, so that a value which begins with a dash is no option: before the first word that begins with a value.
 * Undefined where the program is not known to take it, has it, or has options behind. `undefined` stands for such a word.
 */
export function endOfOptions(words: readonly (string | undefined)[]): number | undefined {
  const first = words[0]!;
  const letters = endsOptions[first] ?? endsOptions[`${first} ${words[1] ?? ''}`];
  const at = words.findIndex((word, index) => word === undefined && !takesNext(words[index - 1], letters ?? ''));
  if (letters === undefined || at < 0 || words.includes('--')) return undefined;
  return words.slice(at).some((word) => word?.startsWith('-') === true) ? undefined : at;
}

const takesNext = (word: string | undefined, letters: string): boolean =>
  word?.startsWith('-') === true && (word.startsWith('--') ? !word.includes('=') : letters.includes(word.at(-1)!));
