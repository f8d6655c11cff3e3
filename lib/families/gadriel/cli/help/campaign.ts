/** The help of `gadriel code campaign start`. */
export const campaignStartHelp = `Usage: gadriel code campaign start [--severity LEVEL]… [--repo PATH] [--runner NAME] [--force] [--json]

Makes an ordered worklist of what the last scan found and starts working it off, one fix after the other. The twin of the
tool start_remediation_campaign. Writes .security/campaigns, never source code. A flag of the first six may be given
several times: a finding must fit one of its values, and each flag that is given.

  --severity LEVEL    critical, high, medium, low, info
  --pillar PILLAR     security, compliance, safety, operational, finops, coherence, teamwork, bias
  --scan-type TYPE    sast, secrets, config, ai, sca, container, api
  --rule ID           a rule
  --confidence LEVEL  high, medium, low
  --finding ID        a finding, or a rule for its first finding
  --repo PATH         the repository (default: that of the working folder)
  --runner NAME       rules (offline), claude or claude-cli; claude where ANTHROPIC_API_KEY is set, else rules
  --force             end a campaign that holds the repository
  --json              print the tool's own answer

Exit codes: 0 started, 1 refused (no scan yet, another campaign), 2 usage.

Example:
  gadriel code campaign start --severity critical --severity high
`;

/** The help of `gadriel code campaign advance`. */
export const campaignAdvanceHelp = `Usage: gadriel code campaign advance ID [--applied [--after-hash HASH] | --declined REASON] [--repo PATH] [--json]

Says what became of the fix in progress and prints the next one: the diff alone on standard output, all words on standard
error. Nothing on standard output means that the campaign is complete. The twin of the tool campaign_advance. Writes the
campaign's state, waivers and the audit log, never source code.

  --applied          the diff was applied: the file is scanned again to verify it
  --after-hash HASH  SHA-256 of the file after it was applied; refused when the file is another one by now
  --declined REASON  the diff was not applied: the finding is waived with this reason
  --repo PATH        the repository (default: that of the working folder)
  --json             print the tool's own answer

Without --applied and --declined the fix in progress is printed once more.
Exit codes: 0 a diff or the end, 1 refused, 2 usage.

Example:
  gadriel code campaign advance campaign-1719000000000 | git apply
  gadriel code campaign advance campaign-1719000000000 --applied
`;
