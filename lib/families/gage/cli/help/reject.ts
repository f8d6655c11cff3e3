/** The help of `gage reject`. */
export const rejectHelp = `Usage: gage reject ID|NAME [--block] [--json]

Deletes a bundle that waits, or one that was accepted, and remembers its id, so that it does not come again. ID is 12 or more
digits of it; NAME is what gage inbox shows of a delivery that lies under no id. No tool does this: it is for a person.
gage buddies unblock NAME takes back a block.

  --block  blocks its signer too: what they send is refused from then on
  --json   prints what was done

Exit codes: 0 rejected, 1 refused, 2 usage.

Example:
  gage reject 3f9c2a71d0be --block
`;
