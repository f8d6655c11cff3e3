/**
 * How programs read their arguments, from the manuals of GNU, BSD and each program: shared by rule L3-006 and the templates of
 * fixes, which make a list of arguments for the programs of this table alone.
 */

/** What stands for a value in the words of a command. */
export const valueMark = '\0';

/** The options of one program, or of one command of a program (`git clone`). */
type Program = {
  /** Letters of options that take a word. */
  readonly takes?: string;
  /** Long options that take a word, also without `=`. */
  readonly long?: string;
  /** Long options that take none, beside the usual ones. */
  readonly flags?: string;
  /** Those of them whose word is a program, code, or a setting that names one. */
  readonly runs?: RegExp;
  /** No option runs a program or names a file to write: a value that begins with a dash does no harm. */
  readonly mild?: true;
  /** `--` is not the end of the options, or means something else. */
  readonly noEnd?: true;
  /** Options of several letters behind one dash, as `-ss 10`; these take a word. */
  readonly single?: RegExp;
};

const git = /^-u$|^--(?:upload-pack|receive-pack|exec|config|template)$|^-c$/;

const programs: Readonly<Record<string, Program>> = {
  ls: { takes: 'ITwD', long: 'block-size format hide indicator-style ignore quoting-style sort time time-style tabsize width', mild: true },
  rm: { mild: true }, rmdir: { mild: true }, cat: { mild: true }, wc: { mild: true }, readlink: { mild: true }, realpath: { mild: true }, dirname: { mild: true }, chmod: { long: 'reference', mild: true }, chown: { long: 'reference from', mild: true }, tee: { mild: true }, md5sum: { mild: true }, sha1sum: { mild: true }, sha256sum: { mild: true },
  cp: { takes: 'tS', long: 'target-directory suffix', mild: true }, mv: { takes: 'tS', long: 'target-directory suffix', mild: true }, ln: { takes: 'tS', long: 'target-directory suffix', mild: true }, mkdir: { takes: 'm', long: 'mode', mild: true },
  touch: { takes: 'drt', long: 'date reference time', mild: true }, head: { takes: 'nc', long: 'lines bytes', mild: true }, tail: { takes: 'ncsb', long: 'lines bytes pid sleep-interval', flags: 'follow retry', mild: true },
  grep: { takes: 'efmABCdD', long: 'regexp file max-count after-context before-context context label binary-files directories devices include exclude exclude-from exclude-dir', flags: 'ignore-case invert-match count line-number only-matching extended-regexp fixed-strings perl-regexp word-regexp files-with-matches', mild: true },
  stat: { takes: 'cft', long: 'format printf', mild: true }, du: { takes: 'dBtX', long: 'max-depth block-size threshold exclude exclude-from files0-from', flags: 'summarize total apparent-size', mild: true },
  df: { takes: 'Btx', long: 'block-size type exclude-type', mild: true }, diff: { takes: 'FIUCWxX', long: 'label exclude exclude-from width', flags: 'unified brief side-by-side', mild: true }, cmp: { takes: 'in', mild: true }, basename: { takes: 's', long: 'suffix', mild: true },
  sort: { takes: 'kotST', long: 'key output field-separator buffer-size temporary-directory parallel files0-from batch-size random-source', flags: 'unique numeric-sort', runs: /^--compress-program$/ },
  uniq: { takes: 'fsw' }, cut: { takes: 'bcdf', long: 'bytes characters delimiter fields', mild: true }, file: { takes: 'fFmeP', flags: 'brief mime mime-type', mild: true }, gzip: { takes: 'S', flags: 'keep', mild: true }, gunzip: { takes: 'S', flags: 'keep', mild: true }, bzip2: { mild: true }, which: { mild: true },
  tar: { takes: 'fCbXTKVNHLgFI', long: 'file directory exclude exclude-from files-from strip-components transform owner group mode', flags: 'extract create list gzip', runs: /^-[FI]$|^--(?:use-compress-program|to-command|info-script|new-volume-script|checkpoint-action|rsh-command)$/ },
  unzip: { takes: 'dPx', mild: true, noEnd: true }, kill: { takes: 's', mild: true, noEnd: true }, pkill: { takes: 'uUgGPst', mild: true }, pgrep: { takes: 'uUgGPst', mild: true }, ps: { takes: 'pCuUGgotq', mild: true, noEnd: true },
  id: { mild: true, noEnd: true }, groups: { mild: true, noEnd: true }, echo: { mild: true, noEnd: true }, printf: { mild: true, noEnd: true }, test: { mild: true, noEnd: true, single: /^-[a-z]+$/ }, sleep: { mild: true, noEnd: true },
  ping: { takes: 'cwiWsItTmpQMlS', mild: true, noEnd: true }, ping6: { takes: 'cwiWsItTmpQMlS', mild: true, noEnd: true }, traceroute: { takes: 'fmqwpisgNz', mild: true, noEnd: true }, nslookup: { mild: true, noEnd: true },
  dig: { takes: 'bcfkpqtxy', mild: true, noEnd: true }, host: { takes: 'cNRtWm', mild: true, noEnd: true }, whois: { takes: 'hp', mild: true, noEnd: true }, ifconfig: { mild: true, noEnd: true }, useradd: { takes: 'bcdefgGkKpsu' }, userdel: {},
  ffmpeg: { noEnd: true, single: /^-(?:i|ss|t|to|r|vf|af|b:[va]|c:[va]|codec:[va]|[va]codec|c|s|f|crf|preset|ar|ac|frames:v|vframes|q:[va]|loglevel|map|threads)$/, flags: 'y n an vn hide_banner nostdin' },
  ffprobe: { noEnd: true, mild: true, single: /^-(?:i|v|loglevel|of|print_format|show_entries|select_streams)$/, flags: 'show_format show_streams hide_banner' },
  curl: {
    takes: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz', runs: /^-K$|^--(?:config|engine)$/, flags: 'compressed fail-with-body show-error location include head remote-name',
    long: 'output header data user user-agent request max-time connect-timeout retry retry-delay proxy cookie cookie-jar form referer upload-file url data-binary data-raw data-urlencode write-out cacert cert key limit-rate resolve interface range',
  },
  wget: { takes: 'OoaPtTwQUieBlDRAIX', runs: /^-e$|^--(?:execute|use-askpass|config)$/, long: 'output-document directory-prefix output-file timeout tries user password user-agent header post-data input-file quota limit-rate wait', flags: 'continue no-verbose' },
  'git clone': { takes: 'bojuc', runs: git, long: 'depth branch origin jobs reference shallow-since filter separate-git-dir', flags: 'single-branch no-checkout recurse-submodules no-tags shallow-submodules' },
  'git fetch': { takes: 'jo', runs: git, long: 'depth jobs' }, 'git push': { takes: 'o', runs: git, long: 'push-option', flags: 'set-upstream delete force-with-lease follow-tags' }, 'git ls-remote': { takes: 'o', runs: git, long: 'sort' },
  'git add': {}, 'git rm': { flags: 'cached' }, 'git mv': {}, 'git commit': { takes: 'mFCct', long: 'message author date', flags: 'allow-empty amend no-edit' },
  'git checkout': { takes: 'bB', mild: true, noEnd: true, flags: 'orphan detach' }, 'git switch': { takes: 'cC', mild: true, noEnd: true, flags: 'create detach' }, 'git branch': { takes: 'u', mild: true, noEnd: true, flags: 'delete list' },
  'git tag': { takes: 'mFu', mild: true, noEnd: true, flags: 'delete list' }, 'git reset': { mild: true, noEnd: true, flags: 'hard soft mixed' }, 'git rev-parse': { mild: true, noEnd: true, flags: 'short abbrev-ref verify' },
};

/** Long options that take no word, whatever the program is. */
const usualFlags = 'recursive force all verbose quiet silent parents no-check-certificate fail insecure bare mirror tags prune reverse human-readable heads interactive no-clobber preserve archive symbolic update help version'.split(' ');

/**
 * What a word of a command is: the program, an option, `data` of an option or behind `--`, an operand (which an option would be
 * where it begins with a dash), a word that the program runs, or nothing that is known.
 */
export type Role = 'program' | 'option' | 'data' | 'operand' | 'runs' | 'unknown';

/** How a program reads its words; `first` is the place of the first operand, before which `--` may stand. */
export type Reading = { readonly program: Program; readonly roles: readonly Role[]; readonly first: number | undefined };

/** The base name of a program, in small letters. */
export const programName = (word: string): string => word.split('/').at(-1)!.toLowerCase().replace(/\.exe$/, '');

/** Reads the words of a command as its program does; undefined for a program that is not in the table. */
export function readWords(words: readonly string[]): Reading | undefined {
  const name = programName(words[0] ?? '');
  const pair = `${name} ${words[1] ?? ''}`;
  const key = [pair, name].find((each) => Object.hasOwn(programs, each));
  const program = key === undefined ? undefined : programs[key]!;
  if (program === undefined) return undefined;
  const roles: Role[] = words.map(() => 'program');
  let pending: string[] = [];
  let at = key === pair ? 2 : 1;
  let ended = false;
  // `tar xzf VALUE`: the letters of the first word take the next ones, in order.
  if (name === 'tar' && /^[A-Za-z]+$/.test(words[1] ?? '')) {
    pending = [...words[1]!].filter((letter) => program.takes!.includes(letter)).map((letter) => `-${letter}`);
    roles[at++] = 'option';
  }
  for (; at < words.length; at++) {
    const word = words[at]!;
    const option = pending.shift();
    if (option !== undefined) roles[at] = program.runs?.test(option) === true ? 'runs' : 'data';
    else if (ended) roles[at] = 'data';
    else if (word === '-' || !word.startsWith('-')) roles[at] = 'operand';
    else if (word === '--') {
      ended = program.noEnd === undefined;
      roles[at] = 'option';
    } else {
      const read = readOption(program, word);
      roles[at] = read.role;
      if (read.takes !== undefined) pending = [read.takes];
    }
  }
  const first = roles.indexOf('operand');
  return { program, roles, first: first < 0 ? undefined : first };
}

const listed = (list: string | undefined, name: string): boolean => list?.split(' ').includes(name) === true;

/** An option word: what it is, and the option that takes the next word. */
function readOption(program: Program, word: string): { readonly role: Role; readonly takes?: string } {
  if (program.single !== undefined) {
    if (program.single.test(word)) return { role: 'option', takes: word };
    return { role: listed(program.flags, word.slice(1)) ? 'option' : 'unknown' };
  }
  const ofValue = (option: string): Role => (program.runs?.test(option) === true ? 'runs' : 'data');
  if (word.startsWith('--')) {
    const [name = '', value] = word.slice(2).split(/=([^]*)/);
    const takes = program.runs?.test(`--${name}`) === true || listed(program.long, name);
    if (value?.includes(valueMark) === true) return { role: takes ? ofValue(`--${name}`) : 'unknown' };
    if (takes) return value === undefined ? { role: 'option', takes: `--${name}` } : { role: 'option' };
    return { role: !name.includes(valueMark) && (value !== undefined || listed(program.flags, name) || usualFlags.includes(name)) ? 'option' : 'unknown' };
  }
  for (let index = 1; index < word.length; index++) {
    const letter = word[index]!;
    if (letter === valueMark) return { role: 'unknown' };
    if (program.takes?.includes(letter) !== true) continue;
    const rest = word.slice(index + 1);
    if (rest === '') return { role: 'option', takes: `-${letter}` };
    return { role: rest.includes(valueMark) ? ofValue(`-${letter}`) : 'option' };
  }
  return { role: 'option' };
}

/** Options of further programs whose word is a program, code, or a setting that can name one. */
const runsByProgram: Readonly<Record<string, RegExp>> = {
  git: /^(?:-c|--(?:upload-pack|receive-pack|config-env|exec-path|exec))$/, ssh: /^-(?:o|F)$/, scp: /^-(?:o|F|S)$/, sftp: /^-(?:o|F|S|b)$/, rsync: /^(?:-[a-zA-Z]*e|--(?:rsh|rsync-path))$/,
  tcpdump: /^-z$/, man: /^(?:-[PH]|--(?:pager|html))$/, zip: /^(?:-TT|--unzip-command)$/, env: /^(?:-S|--split-string)$/, nmap: /^--script$/, openssl: /^-(?:engine|provider|provider-path)$/, docker: /^--entrypoint$/,
  split: /^--filter$/, hg: /^--config$/, svn: /^--(?:config-option|editor-cmd|diff-cmd|diff3-cmd)$/, 'apt-get': /^(?:-o|--option)$/, apt: /^(?:-o|--option)$/, make: /^(?:-f|--(?:file|makefile))$/, awk: /^-f$/,
  sed: /^(?:-e|--expression)$/, find: /^-(?:exec|execdir|ok|okdir)$/, 'yt-dlp': /^--exec$/, pandoc: /^(?:-F|--(?:filter|lua-filter))$/, rg: /^--pre$/, tar: /^--(?:use-compress-program|to-command|checkpoint-action)$/,
};

/** Whether what follows an option (`-c`, `--upload-pack`, also `--upload-pack=`) of a program is a program, code, or a setting that can name one. */
export function runsItsWord(program: string, option: string): boolean {
  const name = option.endsWith('=') ? option.slice(0, -1) : option;
  return runsByProgram[programName(program)]?.test(name) === true;
}

/** Beginnings of settings whose value is a program: `-o ProxyCommand=`, `-c core.sshCommand=`. */
export const programSetting = /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]|^(?:core\.(?:sshCommand|pager|editor|fsmonitor|hooksPath|gitProxy|askPass)|alias\.[\w-]+|pager\.[\w-]+|diff\.external|credential\.helper|gpg\.program)=/i;
