/** The help of `gage export-identity`. */
export const exportHelp = `Usage: gage export-identity FILE [--passphrase-fd N]

Writes your identity into a new file, encrypted with a passphrase of 12 characters or more, which is asked for twice without
echo. It never comes from the command line or the environment, where other programs can read it.

  FILE                must not be there yet; it is made for your eyes alone (mode 0600)
  --passphrase-fd N   read the passphrase from the first line of descriptor N instead; through npx only 0 works

Exit codes: 0 written, 1 refused, 2 usage.

Example:
  gage export-identity alice.gage-export
`;
