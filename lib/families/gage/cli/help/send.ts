/** The help of `gage send`. */
export const sendHelp = `Usage: gage send TO [--subject S] [--type T] [--file P]… [--dir P]… [--prompt P]… [--decision P]… [--memory P]…
                 [--out DIR] [--reply-to ID] [--agent A] [--model M] [--expires DAYS] [--allow-secret FILE:LINE]… [--json]

Builds a signed bundle for a buddy, by name or token, and prints its id and its folder. Nothing leaves the machine; gage push
sends it. Files must lie in a send root: the working folder, or what gage config send-roots lists.

  --subject S              one line, at most 200 bytes
  --type T                 what kind of bundle, such as review-request; default note
  --file, --prompt, --decision, --memory P
                           a file to send, by what it is; a receiver's agent is warned of prompts and memories
  --dir P                  every file of a folder, but dot-names, links and names of keys (*.pem, *.p12, *.key, id_*)
  --out DIR                a new or empty folder for the bundle, instead of the outbox or the buddy's route
  --reply-to ID            the bundle that this one answers: 12 or more digits where it is in the inbox or the outbox, else 64
  --agent A, --model M     labels of what made it
  --expires DAYS           1 to 365: the receiver is shown nothing of it later
  --allow-secret FILE:LINE lets through what looks like a secret in this line, once you say yes at the terminal to each kind of
                           secret in it; FILE is any path of the file, or subject and the like as the refusal has it; ./subject is
                           a file of that name
  --json                   prints the tool's own answer

Everything is searched for secrets. What is compressed or encoded is not seen.

Exit codes: 0 built, 1 refused, 2 usage.

Example:
  gage send bob --subject "Please look at the parser" --file src/parser.ts --prompt ask.md
`;
