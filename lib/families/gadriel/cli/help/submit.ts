/** The help of `gadriel code submit`. */
export const submitHelp = `Usage: gadriel code submit FILE|- [SOURCE]… [--mode MODE] [--json]

Joins what a model found with what a scan finds. FILE holds the findings of the model as JSON: a list of them, or the
arguments of the tool submit_ai_findings, whose twin this is. A session lives in the server that opened it, so the sources
are scanned now instead: the files named as SOURCE, else those that the findings name from the root of the repository.
Reads only.

  --mode MODE  advisory (default) adds what the model alone found, at no gate; corroborate_only adds nothing
  --json       print the tool's own answer

Exit codes: 0 joined, 1 a file that can not be read, 2 usage.

Example:
  gadriel code submit findings.json src/db.py --json
`;
