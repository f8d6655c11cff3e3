/** The help of `gage push`. */
export const pushHelp = `Usage: gage push TO DIR|ID [--yes] [--json]

Sends a built bundle through the relay, sealed for a buddy: this is the moment at which it leaves the machine. The bundle is
verified first: signed by you, unchanged, and addressed to that buddy. ID is a bundle of the outbox, 12 or more digits; DIR
is any other folder of one, wherever it is, such as that of gage send --out; written as ./NAME it can not be taken for an ID.

  --yes   does not ask
  --json  prints the tool's own answer

Exit codes: 0 sent, 1 refused, 2 usage, 4 the relay can not be used.

Example:
  gage push bob 3f9c2a71d0be
`;
