/** The help of `gage pull`. */
export const pullHelp = `Usage: gage pull [--watch] [--json]

Collects what waits on the relay into the inbox, unread, and deletes it there. One pull takes at most 100 messages; gage inbox
lists what came. Prints the counts and the ids of what is new.

  --watch  goes on until it is interrupted, and prints what comes as it comes; a relay that worked and fails is tried again,
           after a second at first, then after up to 30
  --json   prints the tool's own answer, one line a pull

Malformed is what is no good bundle for you; gage inbox --quarantine lists it. What the relay fails to give, or gives damaged,
remains there, and a later pull tries again; a watch soon at first, then less and less often, up to once an hour.

Exit codes: 0 done, 1 refused, 2 usage, 4 the relay can not be used.

Example:
  gage pull && gage inbox
`;
