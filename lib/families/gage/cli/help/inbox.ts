/** The help of `gage inbox`. */
export const inboxHelp = `Usage: gage inbox [--all] [--quarantine] [--json]

Lists what has come and waits for you, the newest first and at most 100, each with its verdict; no payload is shown. What was
delivered on this machine has no time and comes behind, what is no bundle last. A subject is text that the sender chose.
gage pull fetches from the relay, gage open ID shows one, gage reject deletes one, also by the NAME that stands for an id.

  --all         also what you have accepted
  --quarantine  the messages that were no good bundle for you, the newest 16, each with the verdict on it, or unsealable: not
                sealed for your key, damaged, or no bundle; no command opens one, and their files may be deleted
  --json        prints the tool's own answer

Exit codes: 0 shown, 1 refused, 2 usage.

Example:
  gage inbox
  gage inbox --all --json
`;
