/** The help of `gage route`. */
export const routeHelp = `Usage: gage route [list] [--json]
       gage route add TO DIR
       gage route remove TO

Where bundles to a buddy are put on this machine: with a route, gage send delivers into that folder, such as the folder
inbox/incoming of another home. What is delivered is readable for you alone, so a route works between homes of one user; to
another user of this machine gage push goes through a relay. Without a route gage send builds in your outbox. Prints the routes.

  TO      name or token of a buddy; a new route takes the place of the old one
  DIR     a folder of yours that is there; make the one of a new home with mkdir -p
  --json  print the routes as JSON

Exit codes: 0 done, 1 refused, 2 usage.

Example:
  mkdir -p ~/agents/bob/inbox/incoming && gage route add bob ~/agents/bob/inbox/incoming
`;
