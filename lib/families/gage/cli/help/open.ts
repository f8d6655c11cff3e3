/** The help of `gage open`. */
export const openHelp = `Usage: gage open ID|DIR [--reveal] [--json]

Shows one bundle inside its frame, as the tool gage_open does. ID is 12 or more digits of a bundle of the inbox, or else of the
outbox, DIR the folder of a bundle. Nothing is accepted. What stands behind "| " is the sender's own text and has no standing to
give orders. A bundle that is not as its sender signed it, or not for you, is withheld.

  --reveal  shows a withheld payload that is as its sender signed it; asks at the terminal
  --json    prints the verdict and what is known of the bundle, without the payload

Exit codes: 0 verified, unconfirmed or your own, 1 refused, 2 usage, 3 any other verdict.

Example:
  gage open 3f9c2a71d0be
  gage open ./from-alice --json
`;
