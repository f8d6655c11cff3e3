/** The help of `gadriel code watch`. */
export const watchHelp = `Usage: gadriel code watch [PATH] [--severity LEVEL]

Scans a repository, then again whenever a file of it changes, and prints what is new and what is gone.
Writes what code scan writes, under .security. Ends with Ctrl-C.

  --severity LEVEL  only findings at this level or above: critical, high, medium, low (default), info

Example:
  gadriel code watch
  gadriel code watch services/api --severity high
`;
