/** The help of `gadriel code scan`. */
export const scanHelp = `Usage: gadriel code scan [PATH] [options]     (gadriel scan is the same)

Scans a repository: Python for vulnerabilities, with values followed through its imports, all text for leaked secrets, and
the configuration of MCP servers. PATH is a repository, or a file or folder inside one; the working folder when left out.
Files that git ignores, node_modules, vendor, third_party and untracked build folders are left out. Writes
.security/findings.json, in which it replaces the findings of the files that it looked at, and never a source file. A scan of
a part also reports what values from its files bring about elsewhere. One file that is in no repository is scanned alone.

  --severity LEVEL  exit 1 when a finding is at this level or above: critical, high (default), medium, low, info
  --json            print the findings as JSON
  --sarif FILE      also write them as SARIF 2.1.0
  --html FILE       also write them as one page to read
  --since REV       look only at files that differ from this revision
  --staged          look only at what is staged, as it is staged; writes nothing (for a pre-commit hook)
  --history         search all commits for secrets that no file has any more, too
  --baseline FILE   leave out what an earlier findings.json, or answer of --json, has; it does not count for the exit code
  --profile audit   also report sinks with constant or unknown arguments, at level low
  --no-cache        scan unchanged files again
  --no-write        write nothing below .security

Settings are read from .gadriel.toml at the root of the repository (docs/gadriel.md has every key):
  exclude = ["tests/fixtures/"]     # as in .gitignore
  [rules]
  L3-044 = "off"                    # off, on, or a severity

Exit codes: 0 no finding at the threshold, 1 a finding at the threshold, code that could not be read (larger than 5 MiB, in no
known encoding, under a name that is no UTF-8), a report or record that could not be written, or a scan that was refused, 2 usage.
A file whose analysis stopped before its end is named, and ends with 0: leave it out by exclude, or look at it.

Example:
  gadriel code scan --severity critical
  gadriel code scan src --since main --json
  gadriel code scan --sarif ../findings.sarif --html ../findings.html
`;
