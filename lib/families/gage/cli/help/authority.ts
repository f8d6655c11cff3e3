/** The help of `gage authority`. */
export const authorityHelp = `Usage: gage authority show [ID] [--json]

Shows the grants of authority.json in the gage home, and for a bundle which of them would apply. No command writes grants: an
agent that could would soon be talked into it. You write the file by hand, and nobody else may be able to write to it:

  {"grants":[{"expires_at":"2030-01-31T00:00:00Z","key":"BASE64","types":["review-request"]}],"v":1}

A grant adds a line to what gage open shows, for bundles with the verdict verified alone. Nothing acts by itself.

  ID      id of a bundle, or its first 12 digits and more
  --json  print the grants as JSON

Exit codes: 0 shown, 1 refused, 2 usage.

Example:
  gage authority show
`;
