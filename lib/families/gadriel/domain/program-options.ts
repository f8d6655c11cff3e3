/**
 * How programs read their arguments, from the manuals of GNU, BSD and each program: shared by rule L3-006 and the templates of
 * fixes, which make a list of arguments for the programs of this table alone.
 */

/** What stands for a value in the words of a command. */
export const valueMark = '\0';

/** The options of one program, or of one command of a program (`git clone`). */
type Program = {
  /** Letters of options that take none; without them no letter is unknown, which only programs without `--` can afford. */
  readonly letters?: string;
  /** Letters of options that take a word. */
  readonly takes?: string;
  /** Long options that take a word, also without `=`. */
  readonly long?: string;
  /** Long options that take none, beside the usual ones. */
  readonly flags?: string;
  /** Those of them whose word is a program, code, or a setting that names one. */
  readonly runs?: RegExp;
  /** No option runs a program, names a file to write or sends one away: a value that begins with a dash does no more than read, as an operand would. */
  readonly mild?: true;
  /** Does something else without an operand: to a shell an empty value is none. */
  readonly optional?: true;
  /** `--` is not the end of the options, or means something else. */
  readonly noEnd?: true;
  /** Options of several letters behind one dash, as `-ss 10`; these take a word. */
  readonly single?: RegExp;
};

const git = /^-[cu]$|^--(?:upload-pack|receive-pack|exec|config|template)$/;
const copies = { takes: 'tS', long: 'target-directory suffix' };
const sums = { letters: 'bctwz', mild: true } as const;
const quiet = { mild: true, noEnd: true } as const;

const programs: Readonly<Record<string, Program>> = {
  ls: { letters: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1', takes: 'ITw', long: 'block-size format hide indicator-style ignore quoting-style sort time time-style tabsize width', mild: true, optional: true },
  rm: { letters: 'fiIrRdv', mild: true }, rmdir: { letters: 'pv', mild: true }, cat: { letters: 'AbeEnstTuv', mild: true }, wc: { letters: 'cmlLw', mild: true }, readlink: { letters: 'femnqsvz', mild: true },
  realpath: { letters: 'emLPqsz', mild: true }, dirname: { letters: 'z', mild: true }, basename: { letters: 'az', takes: 's', long: 'suffix', mild: true }, tee: { letters: 'aip', mild: true }, which: { letters: 'a', mild: true },
  chmod: { letters: 'cfvRrwxXst', long: 'reference', mild: true }, chown: { letters: 'cfvhRHLP', long: 'reference from', mild: true }, md5sum: sums, sha1sum: sums, sha256sum: sums, mkdir: { letters: 'pvZ', takes: 'm', long: 'mode', mild: true },
  cp: { letters: 'abdfHilLnpPRrsTuvxZ', ...copies }, mv: { letters: 'bfinTuvZ', ...copies }, ln: { letters: 'bdFfiLnPrsTv', ...copies }, touch: { letters: 'acfhm', takes: 'drt', long: 'date reference time', mild: true },
  head: { letters: 'qvz0123456789', takes: 'nc', long: 'lines bytes', mild: true }, tail: { letters: 'fFqvz0123456789', takes: 'ncs', long: 'lines bytes pid sleep-interval', flags: 'follow retry', mild: true },
  grep: {
    letters: 'abcEFGhHiIlLnoPqrRsTUvVwxyzZ0123456789', takes: 'efmABCdD', mild: true, flags: 'ignore-case invert-match count line-number only-matching extended-regexp fixed-strings perl-regexp word-regexp files-with-matches',
    long: 'regexp file max-count after-context before-context context label binary-files directories devices include exclude exclude-from exclude-dir',
  },
  stat: { letters: 'L', takes: 'c', long: 'format printf', mild: true }, du: { letters: '0abcDHhklLmPsSx', takes: 'dBtX', long: 'max-depth block-size threshold exclude exclude-from files0-from', flags: 'summarize total apparent-size', mild: true, optional: true },
  df: { letters: 'ahHiklPT', takes: 'Btx', long: 'block-size type exclude-type', mild: true, optional: true }, cmp: { letters: 'bls', takes: 'in', mild: true }, uniq: { letters: 'cdDiuz', takes: 'fsw' }, cut: { letters: 'nsz', takes: 'bcdf', long: 'bytes characters delimiter fields', mild: true },
  diff: { letters: 'qscuenyNabBEilprtTwZ', takes: 'FIUCWxXLDS', long: 'label exclude exclude-from width', flags: 'unified brief side-by-side', mild: true },
  sort: { letters: 'bdfgiMhnRrVcCmsuz', takes: 'kotST', long: 'key output field-separator buffer-size temporary-directory parallel files0-from batch-size random-source', flags: 'unique numeric-sort', runs: /^--compress-program$/ },
  file: { letters: 'bikLhNnpsvz0', takes: 'fFmeP', flags: 'brief mime mime-type' }, gzip: { letters: 'acdfhklnNqrtvV123456789', takes: 'Sb', flags: 'keep' }, gunzip: { letters: 'acfhklnNqrtvV', takes: 'S', flags: 'keep' }, bzip2: { letters: 'dzkftcqvs123456789' },
  tar: {
    letters: 'cxtruvzjJpPkmhlOSUWZaAdinoswBRG', takes: 'fCbXTKVNHLgFI', long: 'file directory exclude exclude-from strip-components transform owner group mode', flags: 'extract create list gzip',
    runs: /^-[FIT]$|^--(?:files-from|use-compress-program|to-command|info-script|new-volume-script|checkpoint-action|rsh-command)$/,
  },
  pgrep: { letters: 'fxnovalciw', takes: 'uUgGPstFOrdq' }, useradd: { letters: 'lmMNorUD', takes: 'bcdefgGkKpsuRPZ' }, userdel: { letters: 'fr', takes: 'RP' },
  unzip: { takes: 'dPx', noEnd: true }, ps: { takes: 'pCuUGgotq', ...quiet, optional: true }, id: { ...quiet, optional: true }, groups: { ...quiet, optional: true }, echo: quiet, printf: quiet, sleep: quiet, nslookup: quiet, ifconfig: { ...quiet, optional: true }, whoami: quiet, uname: quiet, hostname: { ...quiet, optional: true }, true: quiet, false: quiet,
  test: { single: /^-[bcdefghknprstuwxzLOSG]$/, ...quiet }, ping: { takes: 'cwiWsItTmpQMlS', ...quiet }, ping6: { takes: 'cwiWsItTmpQMlS', ...quiet }, traceroute: { takes: 'fmqwpisgNz', ...quiet }, dig: { takes: 'bcfkpqtxy', noEnd: true },
  host: { takes: 'cNRtWm', ...quiet }, whois: { takes: 'hp', ...quiet },
  ffmpeg: { noEnd: true, runs: /^-[va]f$/, single: /^-(?:i|ss|t|to|r|vf|af|b:[va]|c:[va]|codec:[va]|[va]codec|c|s|f|crf|preset|ar|ac|frames:v|vframes|q:[va]|loglevel|map|threads)$/, flags: 'y n an vn hide_banner nostdin' },
  ffprobe: { single: /^-(?:i|v|loglevel|of|print_format|show_entries|select_streams)$/, flags: 'show_format show_streams hide_banner', noEnd: true },
  curl: {
    letters: 'a#0123456789fgGiIjJklLMnNOpqRsSvVZ', takes: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz', runs: /^-K$|^--(?:config|engine)$/, flags: 'compressed fail-with-body show-error location include head remote-name',
    long: 'output header data user user-agent request max-time connect-timeout retry retry-delay proxy cookie cookie-jar form referer upload-file url data-binary data-raw data-urlencode write-out cacert cert key limit-rate resolve interface range',
  },
  wget: {
    letters: 'bcdFhHkKmnNpqrSVvxEL46', takes: 'OoaPtTwQUieBlDRAIX', runs: /^-e$|^--(?:execute|use-askpass|config)$/, flags: 'continue no-verbose',
    long: 'output-document directory-prefix output-file timeout tries user password user-agent header post-data input-file quota limit-rate wait',
  },
  'git clone': { letters: 'lsnqv46', takes: 'bojuc', runs: git, long: 'depth branch origin jobs reference shallow-since filter separate-git-dir', flags: 'single-branch no-checkout recurse-submodules no-tags shallow-submodules' },
  'git fetch': { letters: 'afkptnqv46', takes: 'jo', runs: git, long: 'depth jobs' }, 'git push': { letters: 'fnqvud46', takes: 'o', runs: git, long: 'push-option', flags: 'set-upstream delete force-with-lease follow-tags' },
  'git ls-remote': { letters: 'htq', takes: 'o', runs: git, long: 'sort' }, 'git add': { letters: 'nvfuAN' }, 'git rm': { letters: 'fnrq', flags: 'cached' }, 'git mv': { letters: 'fknv' },
  'git commit': { letters: 'apqvsnioez', takes: 'mFCct', long: 'message author date', flags: 'allow-empty amend no-edit' }, 'git checkout': { takes: 'bB', long: 'orphan', flags: 'detach', noEnd: true },
  'git switch': { takes: 'cC', long: 'create orphan', flags: 'detach', noEnd: true }, 'git branch': { takes: 'u', flags: 'delete list', noEnd: true }, 'git tag': { takes: 'mFu', flags: 'delete list', noEnd: true },
  'git reset': { flags: 'hard soft mixed', noEnd: true }, 'git rev-parse': { flags: 'short abbrev-ref verify', ...quiet },
};

/** Long options that take no word, whatever the program is. */
const usualFlags = 'recursive force all verbose quiet silent parents no-check-certificate fail insecure bare mirror tags prune reverse human-readable heads interactive no-clobber preserve archive symbolic update help version'.split(' ');

/**
 * What a word of a command is: the program, an option, `data` of an option or behind `--`, an operand (which an option would be
 * where it begins with a dash), a word that the program runs, or nothing that is known.
 */
export type Role = 'program' | 'option' | 'data' | 'operand' | 'runs' | 'unknown';

/** How a program reads its words; `first` is the place of the first operand, before which `--` may stand. */
export type Reading = {
  readonly program: Program;
  readonly roles: readonly Role[];
  /** By the place of a word of `data` or `runs`, the option that it belongs to. */
  readonly owners: readonly (string | undefined)[];
  readonly first: number | undefined;
};

/** The base name of a program, in small letters. */
export const programName = (word: string): string => word.split('/').at(-1)!.toLowerCase().replace(/\.exe$/, '');

/** Reads the words of a command as its program does; undefined for a program that is not in the table, or in no folder of the system's. */
export function readWords(words: readonly string[]): Reading | undefined {
  const [, name = ''] = /^(?:\/(?:usr\/)?(?:local\/)?s?bin\/)?([^/]*)$/.exec(words[0] ?? '') ?? [];
  const pair = `${name} ${words[1] ?? ''}`;
  const key = [pair, name].find((each) => Object.hasOwn(programs, each));
  const program = key === undefined ? undefined : programs[key]!;
  if (program === undefined) return undefined;
  const roles: Role[] = words.map(() => 'program');
  const owners: (string | undefined)[] = words.map(() => undefined);
  let isUnknown = false;
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
    if (option !== undefined) {
      roles[at] = program.runs?.test(option) === true ? 'runs' : 'data';
      owners[at] = option;
    } else if (isUnknown && !word.startsWith('-')) {
      // It may be the word of the option before it.
      roles[at] = 'unknown';
      isUnknown = false;
    } else if (ended) roles[at] = 'data';
    else if (/^\+\d/.test(word)) roles[at] = 'unknown';
    else if (word === '-' || !word.startsWith('-')) roles[at] = 'operand';
    else if (word === '--') {
      ended = program.noEnd === undefined;
      roles[at] = 'option';
    } else {
      const read = readOption(program, word);
      roles[at] = read.role;
      owners[at] = read.owner;
      isUnknown = read.role === 'unknown' && !word.includes('=');
      if (read.takes !== undefined) pending = [read.takes];
    }
  }
  const first = roles.indexOf('operand');
  return { program, roles, owners, first: first < 0 ? undefined : first };
}

const listed = (list: string | undefined, name: string): boolean => list?.split(' ').includes(name) === true;

/** An option word: what it is, and the option that takes the next word. */
function readOption(program: Program, word: string): { readonly role: Role; readonly takes?: string; readonly owner?: string } {
  if (program.single !== undefined) {
    if (program.single.test(word)) return { role: 'option', takes: word };
    return { role: listed(program.flags, word.slice(1)) ? 'option' : 'unknown' };
  }
  const ofValue = (option: string): Role => (program.runs?.test(option) === true ? 'runs' : 'data');
  if (word.startsWith('--')) {
    const [name = '', value] = word.slice(2).split(/=([^]*)/);
    const takes = program.runs?.test(`--${name}`) === true || listed(program.long, name);
    if (value?.includes(valueMark) === true) return { role: takes ? ofValue(`--${name}`) : 'unknown', owner: `--${name}` };
    if (takes) return value === undefined ? { role: 'option', takes: `--${name}` } : { role: 'option' };
    return { role: !name.includes(valueMark) && (value !== undefined || listed(program.flags, name) || usualFlags.includes(name)) ? 'option' : 'unknown' };
  }
  for (let index = 1; index < word.length; index++) {
    const letter = word[index]!;
    if (letter === valueMark) return { role: 'unknown' };
    if (program.takes?.includes(letter) !== true) {
      if (program.letters?.includes(letter) === false) return { role: 'unknown' };
      continue;
    }
    const rest = word.slice(index + 1);
    if (rest === '') return { role: 'option', takes: `-${letter}` };
    return { role: rest.includes(valueMark) ? ofValue(`-${letter}`) : 'option', owner: `-${letter}` };
  }
  return { role: 'option' };
}

/** Options of further programs whose word is a program, code, or a setting that can name one. */
const runsByProgram: Readonly<Record<string, RegExp>> = {
  git: /^(?:-c|--(?:upload-pack|receive-pack|config-env|exec-path|exec))$/, ssh: /^-(?:o|F)$/, scp: /^-(?:o|F|S)$/, sftp: /^-(?:o|F|S|b)$/, rsync: /^(?:-[a-zA-Z]*e|--(?:rsh|rsync-path))$/,
  tcpdump: /^-z$/, man: /^(?:-[PH]|--(?:pager|html))$/, zip: /^(?:-TT|--unzip-command)$/, env: /^(?:-S|--split-string)$/, nmap: /^--script$/, openssl: /^-(?:engine|provider|provider-path)$/, docker: /^--entrypoint$/,
  split: /^--filter$/, hg: /^--config$/, svn: /^--(?:config-option|editor-cmd|diff-cmd|diff3-cmd)$/, 'apt-get': /^(?:-o|--option)$/, apt: /^(?:-o|--option)$/, make: /^(?:-f|--(?:file|makefile))$/, awk: /^-f$/,
  sed: /^(?:-e|--expression)$/, find: /^-(?:exec|execdir|ok|okdir)$/, 'yt-dlp': /^--exec$/, pandoc: /^(?:-F|--(?:filter|lua-filter))$/, rg: /^--pre$/,
};

/** Whether what follows an option (`-c`, `--upload-pack`, also `--upload-pack=`) of a program is a program, code, or a setting that can name one. */
export function runsItsWord(program: string, option: string): boolean {
  const name = option.endsWith('=') ? option.slice(0, -1) : option;
  return runsByProgram[programName(program)]?.test(name) === true;
}

/** Settings of ssh whose value is a program. */
const sshSetting = /^(?:-o)?(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]/i;
/** Settings of git that start nothing and lead nowhere; there are too many of the others to list. */
const harmlessSetting = /^(?:user|author|committer|color|advice|i18n|log|push|pull|gc|fetch)\.|^(?:init\.defaultbranch|commit\.gpgsign|http\.extraheader|http\.useragent|core\.(?:quotepath|autocrlf|eol|longpaths|ignorecase|filemode|abbrev))$/i;

/** Whether a value behind this text, given to `-o` or `-c` or with it, is that of a setting which can name a program: `ProxyCommand=`, `core.sshCommand=`. */
export function setsProgram(program: string, before: string, prefix: string): boolean {
  if (sshSetting.test(prefix)) return true;
  const [, setting] = /^(?:-c|--config=)?([a-z][\w-]*\.(?:[^=]*\.)?[\w-]+)=/i.exec(prefix) ?? [];
  return setting !== undefined && programName(program) === 'git' && (/^(?:-c|--config)$/.test(before) || /^-/.test(prefix)) && !harmlessSetting.test(setting);
}
