/** The help of `gadriel code rules`. */
export const rulesHelp = `Usage: gadriel code rules [ID] [--json]

Lists every rule, or explains one: why it matters, a bad and a good example, how to silence it.
The secret detectors are among them, and the secrets of your own in .gadriel.toml of the repository that the working folder
is in, with their pattern. CODE-W1- may be left out of an ID.

  --json  print the rules as JSON

Example:
  gadriel code rules
  gadriel code rules L3-017
  gadriel code rules SECRET-OWN-ACME
`;
