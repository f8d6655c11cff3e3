/** The help of `gadriel code report`. */
export const reportHelp = `Usage: gadriel code report [--summary] [--html FILE] [--sarif FILE] [--json] [PATH]

Tells what the last scan found, out of .security/findings.json, in numbers (--summary, the default), as one
self-contained page, or as SARIF 2.1.0. PATH is the repository; the working folder when left out.

  --summary     severities, folders and rules on the terminal
  --html FILE   write a page: severity by folder, each finding with its trace, what is waived and why
  --sarif FILE  write a SARIF log, for code scanning services and editors
  --json        print the summary as JSON

FILE may be - for standard output, one report at a time.
A file inside the repository is replaced only when it is an earlier report of the same kind.

Exit codes: 0 done, 1 no scan yet or a file that is not written, 2 usage.

Example:
  gadriel code report --summary
  gadriel code report --html report.html
`;
