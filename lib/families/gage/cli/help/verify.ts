/** The help of `gage verify`. */
export const verifyHelp = `Usage: gage verify DIR|ID [--json]

Prints the verdict of a bundle in one word, for scripts: verified, listed_unconfirmed, self, not_listed, expired, blocked,
misdirected, tampered, unverifiable, unsupported_version or malformed. ID is 12 or more digits of a bundle of the inbox, or
else of the outbox.

  --json  prints all that gage open --json prints

Exit codes: 0 verified, listed_unconfirmed or self, 1 refused, 2 usage, 3 any other verdict.

Example:
  gage verify ./from-alice && echo good
`;
