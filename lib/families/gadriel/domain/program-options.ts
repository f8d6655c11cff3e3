/** What is known of options whose word is a program, code, or a setting that names one: shared by rule L3-006 and the templates of fixes. */

/** Options that run what they are given, whatever the program is. */
const anywhere = /^--?(?:eval|exec|execdir|command|rsh|rsh-command|to-command|info-script|new-volume-script|checkpoint-action|use-compress-program|compress-program|unzip-command|post-renderer|strip-program|wrapper)$/;

/** The same by program: letters and names of options, from the manuals of each. */
const byProgram: Readonly<Record<string, RegExp>> = {
  git: /^(?:-[cuO]|--(?:upload-pack|receive-pack|config|config-env|exec-path|template|open-files-in-pager|git-dir|work-tree))$/,
  tar: /^(?:-[a-zA-Z]*[IF]|--use-compress)$/,
  curl: /^(?:-[a-zA-Z]*K|--(?:config|engine))$/,
  wget: /^(?:-e|--(?:execute|use-askpass|config))$/,
  ssh: /^-(?:o|F|E|S|J)$/, scp: /^-(?:o|F|S|J)$/, sftp: /^-(?:o|F|S|J|b|s|D)$/, rsync: /^(?:-[a-zA-Z]*e|--rsync-path)$/,
  tcpdump: /^-z$/, man: /^(?:-[PHC]|--(?:pager|html|config-file))$/, zip: /^(?:-TT|--unzip-command)$/, env: /^(?:-S|--split-string)$/,
  gcc: /^-(?:B|specs|fplugin)$/, nmap: /^--(?:script|datadir|script-args)$/, openssl: /^-(?:engine|provider|provider-path|config)$/,
  docker: /^(?:--entrypoint|-H|--host)$/, less: /^-[kP]$/, sort: /^--compress-program$/, split: /^--filter$/, hg: /^--config$/, svn: /^--(?:config-option|config-dir|editor-cmd|diff-cmd|diff3-cmd)$/,
  'apt-get': /^(?:-[oc]|--(?:option|config-file))$/, apt: /^(?:-[oc]|--(?:option|config-file))$/, make: /^(?:-f|-C|--(?:file|makefile|directory))$/, awk: /^-f$/, sed: /^-[ef]$/, find: /^-(?:exec|execdir|ok|okdir)$/,
};

/** The base name of a program, in small letters. */
export const programName = (word: string): string => word.split('/').at(-1)!.toLowerCase().replace(/\.exe$/, '');

/** Whether the word behind an option (`-c`, `--upload-pack`, also `--upload-pack=`) is a program, code, or a setting that can name one. */
export function runsItsWord(program: string, option: string): boolean {
  const name = option.endsWith('=') ? option.slice(0, -1) : option;
  return anywhere.test(name) || byProgram[programName(program)]?.test(name) === true;
}
