/** The help of `gage whoami`. */
export const whoamiHelp = `Usage: gage whoami [--words] [--json]

Prints your handle, a TAB and your token. The twin of the tool gage_identity.

  --words  print the eight words of the token too, in a line of their own
  --json   print the tool's own answer

Exit codes: 0 printed, 1 no identity, 2 usage.

Example:
  gage whoami --words
`;
