/** The help of `gadriel code validate`. */
export const validateHelp = `Usage: gadriel code validate FILE|- [--path P] [--severity LEVEL] [--json]

Scans one file, or standard input with -, for vulnerabilities (Python) and leaked secrets (any text).
The twin of the tools validate_file and validate_buffer. Reads only.

  --path P          the path that standard input would be saved under (default: stdin.txt); decides the language
  --severity LEVEL  exit 1 when a finding is at this level or above: critical, high (default), medium, low, info
  --json            print the tool's own answer

Exit codes: 0 no finding at the threshold, 1 a finding at the threshold or a file that can not be scanned, 2 usage.

Example:
  gadriel code validate src/auth.py
  git show :src/db.py | gadriel code validate - --path src/db.py --json
`;
