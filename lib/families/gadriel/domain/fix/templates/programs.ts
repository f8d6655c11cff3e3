/** What is known of programs by their name: which run what their arguments say, what their options do, and where these end. */
import { programName, runsItsWord } from '../../program-options.ts';

/** What stands for a value in the words of a command. */
export const valueMark = '\0';

/** Programs that run other programs or code given as arguments: a list of arguments keeps nobody from choosing what runs. */
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
 * Programs with options that run programs or write files, unless a `--` keeps a value from being one of them:
 * a value that begins with a dash would do what a shell was misused for.
 */
const riskyOptions = new Set(`tar zip tcpdump tshark man scp sftp nmap gcc g++ cc c++ clang clang++ ld openssl install split apt apt-get aptitude dnf
  yum rpm dpkg pacman brew hg svn lftp ftp mail mailx mutt sendmail cpio rclone restic borg exiftool chromium chrome google-chrome firefox
  logrotate git curl wget sort systemctl cvs bzr less more go dotnet`.split(/\s+/));

/** Commands of git none of whose options runs a program or names a file to write. */
const mildGit = new Set(['checkout', 'switch', 'branch', 'tag', 'reset', 'rev-parse', 'merge-base', 'cat-file', 'remote']);

/** Options of programs whose word is only data: letters that may end a group, and long names. */
const dataOptions: Readonly<Record<string, RegExp>> = {
  test: /^-\w+$/, id: /^-\w+$/, kill: /^-\w+$/, tar: /^(?:-[a-zA-Z]*[fC]|--(?:file|directory))$/, tcpdump: /^-[icrw]$/, unzip: /^-d$/, ping: /^-[cwiWsItTmp]$/, ffmpeg: /^-(?:i|ss|t|to|r|vf|b|s|c)$/, traceroute: /^-[fmqwpi]$/, scp: /^-[iPl]$/, nmap: /^-p$/,
  openssl: /^-(?:in|out|days|subj)$/, useradd: /^-[cdGgmsu]$/, zip: /^-[nitb]$/,
};

/** Programs that take `--` for the end of their options, and the letters of options that take the next word. */
const endsOptions: Readonly<Record<string, string>> = {
  ls: 'ITw', rm: '', cp: 'tS', mv: 'tS', cat: '', mkdir: 'm', rmdir: '', touch: 'drt', wc: '', head: 'nc', tail: 'ncs', grep: 'efmABCdD', egrep: 'efmABCdD',
  fgrep: 'efmABCdD', ln: 'tS', stat: 'cf', du: 'dBtX', diff: 'FIUCWxX', cmp: 'in', md5sum: '', sha1sum: '', sha256sum: '', readlink: '', basename: '', dirname: '', chmod: '', chown: '',
  gzip: 'S', gunzip: 'S', sort: 'kotST', wget: 'OoaPtTwQUieBlDRAIX', curl: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz', 'git clone': 'bojuc', 'git add': '', 'git rm': '', 'git mv': '', 'git fetch': 'jo',
  'git push': 'o', 'git ls-remote': 'o',
};

/** Letters of options that take the next word; undefined where the program is not known to take `--`. */
const lettersOf = (words: readonly string[]): string | undefined => endsOptions[programName(words[0]!)] ?? endsOptions[`${programName(words[0]!)} ${words[1] ?? ''}`];

const takesNext = (word: string | undefined, letters: string): boolean =>
  word?.startsWith('-') === true && word !== '--' && (word.startsWith('--') ? !word.includes('=') : letters.includes(word.at(-1)!));

/**
 * Why a command can not be run by a list of arguments; undefined where it can. `valueMark` stands for each value in the words;
 * `putsEnd` says that `--` is put where `endOfOptions` has it.
 */
export function whyNoList(words: readonly string[], putsEnd = true): string | undefined {
  const program = programName(words[0] ?? '');
  if (runners.has(program) || versioned.test(program)) return `${program} runs what its arguments say, so that a list of them would not help.`;
  if (builtins.has(program)) return `${program} is a word of the shell and no program.`;
  const end = words.includes('--') ? words.indexOf('--') : putsEnd ? endOfOptions(words) ?? -1 : -1;
  return words.map((word, index) => (word.includes(valueMark) && index > 0 && (end < 0 || index < end) ? whyNoWord(program, words, index) : undefined)).find((why) => why !== undefined);
}

/** Why a word with a value in it is no mere argument; undefined where it is one. */
function whyNoWord(program: string, words: readonly string[], index: number): string | undefined {
  const word = words[index]!;
  const at = word.indexOf(valueMark);
  const before = words[index - 1]!;
  // `-oVALUE` and `--out=VALUE`, or `-o VALUE` and `--out VALUE`.
  const attached = word.startsWith('-');
  const option = attached ? word.slice(0, at) : index > 1 && /^--?\w/.test(before) && !before.includes('=') ? before : undefined;
  if (option !== undefined) {
    const letters = lettersOf(words);
    if (option.includes(valueMark) || runsItsWord(program, option)) return `What follows ${option.replaceAll(valueMark, '…')} is run by ${program}, or chooses what it runs.`;
    const isData = dataOptions[program]?.test(option.replace(/=$/, '')) === true || letters !== undefined;
    return isData ? undefined : `What ${program} does with what follows ${option} can only be told by a person.`;
  }
  // `tar xzf VALUE`: the archive of the first word, which has its letters without a dash.
  if (program === 'tar' && index === 2 && /^[a-z]*f$/.test(before)) return undefined;
  return at === 0 && riskyOptions.has(program) && !(program === 'git' && mildGit.has(words[1]!))
    ? `Options of ${program} run programs or write files, and a value that begins with a dash would be one: it has to be checked first.` : undefined;
}

/**
 * Where `--` goes, so that a value which begins with a dash is no option: before the first word that begins with a value.
 * Undefined where the program is not known to take it, has it, or has options behind.
 */
export function endOfOptions(words: readonly string[]): number | undefined {
  const letters = lettersOf(words);
  const at = words.findIndex((word, index) => word.startsWith(valueMark) && !takesNext(words[index - 1], letters ?? ''));
  if (letters === undefined || at < 0 || words.includes('--')) return undefined;
  return words.slice(at).some((word) => word.startsWith('-')) ? undefined : at;
}
