/** The help of `gadriel code init`. */
export const initHelp = `Usage: gadriel code init [PATH] [--pre-commit]

Makes the folder .security of a repository, which keeps itself out of git by a .gitignore of its own, and prints what else
may be added by hand. Nothing else is written, and what exists stays.

  --pre-commit  print the text of a pre-commit hook alone, and write nothing

Example:
  gadriel code init
  gadriel code init --pre-commit > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
`;
