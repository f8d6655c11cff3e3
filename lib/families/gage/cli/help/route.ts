/** The help of `gage route`. */
export const routeHelp = `Usage: gage route [list] [--json]
       gage route add TO DIR
       gage route remove TO

Where bundles to a buddy are put on this machine: with a route, gage send delivers into that folder, such as the folder
inbox/incoming in the gage home of another person here. Without one it builds in your outbox, for gage push. Prints the routes.

  TO      name or token of a buddy; a new route takes the place of the old one
  DIR     a folder that is there
  --json  print the routes as JSON

Exit codes: 0 done, 1 refused, 2 usage.

Example:
  gage route add bob /home/bob/.gage/inbox/incoming
`;
