/** The help of `gadriel hooks`. */
export const hooksHelp = `Usage: gadriel hooks EVENT [FILE]…

Run by an editor's agent at its hooks. post-edit scans the edited file: each FILE, or tool_input.file_path of the JSON on standard
input. Every other event (pre-bash, session-end …) is accepted and does nothing.

  GADRIEL_GUARDRAIL  which findings stop the agent: critical, high (default), medium, low, info, or off

Exit codes: 0 nothing at the threshold, or no file that can be scanned; 2 a finding at the threshold, told on stderr.

Example:
  gadriel hooks post-edit src/auth.py
  printf '{"tool_input":{"file_path":"src/auth.py"}}' | gadriel hooks post-edit
`;
