/** The help of `gage accept`. */
export const acceptHelp = `Usage: gage accept ID [--expired] [--yes] [--json]

Takes a bundle in and prints where its items are, a line each: the path, TAB, and the name that the sender gave it, escaped. The
bundle must be as its sender signed it, addressed to you, from nobody you blocked, and not expired. ID is 12 or more digits of a
bundle that waits; one that is accepted already stays so. No tool does this: it is for a person.

  --expired  takes one whose time is over
  --yes      does not ask
  --json     prints the verdict and the paths of the items

Exit codes: 0 accepted, 1 refused, 2 usage.

Example:
  gage accept 3f9c2a71d0be
`;
