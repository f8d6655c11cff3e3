/** The help of `gadriel code fix`. */
export const fixHelp = `Usage: gadriel code fix ID [--runner R] [--json]
       gadriel code fix ID --false-positive REASON [--json]

Proposes a fix of a finding of the last scan and prints the diff alone, for git apply at the root of the repository.
ID is the id of a finding, or of a rule: then its first finding in the order of risk. No file of yours is changed.

  --runner R               rules (offline templates), claude (ANTHROPIC_API_KEY) or claude-cli (the program claude);
                           default is claude where a key is set, else rules. Both claude runners send source code
                           to the model's provider, and do so only with GADRIEL_MCP_SOURCE_CONSENT=true
  --false-positive REASON  dismisses the finding instead: writes a waiver and the audit log
  --json                   prints the tool's own answer

Exit codes: 0 a diff or dismissed, 1 no fix (the reason is on stderr), 2 usage.

Example:
  gadriel code fix CODE-W1-L3-029 | git apply
  gadriel code fix CODE-W1-L3-017:1a2b3c4d --false-positive "the command is a constant of the build"
`;
