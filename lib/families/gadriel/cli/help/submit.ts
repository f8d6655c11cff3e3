/** The help of `gadriel code submit`. */
export const submitHelp = `Usage: gadriel code submit FILE|- [SOURCE]… [--mode MODE] [--json]

Joins what a model found with what a scan finds. FILE holds the findings of the model as JSON: a list of them, or the
arguments of the tool submit_ai_findings, whose twin this is. A session lives in the server that opened it, so the sources
are scanned now instead: the files named as SOURCE, else those that the findings name from the root of the repository.
Reads only. An entry that comes to nothing is told on standard error, by its index and with the reason.

Keys of a finding:
  cwe         such as "CWE-89"
  severity    critical, high, medium, low or info
  file, line  as findings name files, from the root of the repository; lines from 1
  rationale   why, in a sentence or two; no source text
  kind        new_finding, corroborate (a finding of the scan is right) or contest (it is no real risk)
  confidence  high, medium or low; low when left out

  --mode MODE  advisory (default) adds what the model alone found, at no gate; corroborate_only adds nothing
  --json       print the tool's own answer

Exit codes: 0 joined, 1 a file that can not be read, 2 usage.

Example:
  echo '[{"cwe":"CWE-89","severity":"high","file":"src/db.py","line":3,"rationale":"argv is joined into the statement",
  "kind":"new_finding"}]' > findings.json
  gadriel code submit findings.json src/db.py --json
`;
