/** The help of `gadriel code init`. */
export const initHelp = `Usage: gadriel code init [PATH] [--pre-commit]

Makes the folder .security of a repository, which keeps itself out of git by a .gitignore of its own, and prints what else
may be added by hand. Nothing else is written, and what exists stays.

  --pre-commit  print the text of a pre-commit hook alone, and write nothing; it starts this very program, or gadriel on
                PATH where that is gone

Settings, in a file .gadriel.toml that you write by hand:
  exclude = ["tests/fixtures/"]     # as in .gitignore
  [rules]
  L3-044 = "off"                    # off, on, or a severity

Example:
  gadriel code init
  gadriel code init --pre-commit > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
`;
