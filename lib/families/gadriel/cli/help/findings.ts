/** The help of `gadriel code findings`. */
export const findingsHelp = `Usage: gadriel code findings [PATH] [--severity LEVEL] [--waived] [--json]

Shows what the last scan found, out of .security/findings.json, the most severe first. Reads only.
PATH is a repository, or a file or folder inside one; the working folder when left out.

  --severity LEVEL  only findings at this level or above: critical, high, medium, low, info (default)
  --waived          show the waived ones too
  --json            print them as JSON, the waived ones marked, as the tool findings_for_path does

Exit codes: 0 shown, 1 no scan yet or a findings file that can not be read, 2 usage.

Example:
  gadriel code findings src --severity high
  gadriel code findings src/auth.py --json
`;
