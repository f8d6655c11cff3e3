/** The help of `gage restore-identity`. */
export const restoreHelp = `Usage: gage restore-identity FILE [--passphrase-fd N] [--json]

Makes the identity that gage export-identity wrote into FILE, in a home that has none, and prints its token and words: compare
them with those of the old machine. The buddy list, the inbox and the settings are not in an export.

  --passphrase-fd N  read the passphrase from the first line of descriptor N; through npx only 0 works
  --json             print the same as the tool gage_identity

Exit codes: 0 made, 1 refused (a wrong passphrase or a damaged file, an identity that is there), 2 usage.

Example:
  GAGE_HOME=/new/home gage restore-identity alice.gage-export
`;
