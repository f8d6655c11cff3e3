/** The help of `gage words`. */
export const wordsHelp = `Usage: gage words TOKEN [--json]

Prints the eight words of a token. They are for reading out to the person at the other machine, who types them in there.
All eight count: a key whose first six words match is 65,000 times easier to make.

  --json  print the word pairs, the text and the label of the key

Exit codes: 0 printed, 2 usage (no token).

Example:
  gage words "$(gage whoami | cut -f2)"
`;
