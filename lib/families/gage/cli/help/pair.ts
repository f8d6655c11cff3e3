/** The help of `gage pair`. */
export const pairHelp = `Usage: gage pair TOKEN NAME

Puts the key of another person on your list. It does not show the words of the key but asks for them: call the person, and
type the eight words that gage whoami --words prints on their machine. Right: the buddy is confirmed. Enter alone: listed as
unconfirmed, to be compared later with gage buddies confirm. Wrong three times: nothing is added. Needs a terminal.

  TOKEN  the 89 characters that gage whoami prints on their machine
  NAME   what you call them, by the rules of a handle (gage init --help); letters of Latin, Greek and Cyrillic are not mixed

Exit codes: 0 added, 1 refused, 2 usage.

Example:
  gage pair GLl26eQWThIG1DQmGhlkr6An55fsiCX4LrpZysXCz14=.9d1000tHGs6jWWyf77bySypqOH9E3imuGTfsZytBvCY= alice
`;
