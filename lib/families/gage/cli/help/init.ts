/** The help of `gage init`. */
export const initHelp = `Usage: gage init HANDLE [--json]

Makes your identity: two key pairs in a new file identity.key, in the folder GAGE_HOME or else ~/.gage. Prints the token that
others need to write to you, and the eight words that you read out to them. An identity that is there is never overwritten.

  HANDLE  what you call yourself, 1 to 64 bytes: letters, digits, space (not at an end, nor two in a row), . _ -
  --json  print the same as the tool gage_identity

Exit codes: 0 made, 1 refused (there is one already), 2 usage.

Example:
  gage init alice
`;
