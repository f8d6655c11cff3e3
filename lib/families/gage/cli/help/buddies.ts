/** The help of `gage buddies`. */
export const buddiesHelp = `Usage: gage buddies [list] [--json]
       gage buddies confirm NAME
       gage buddies rename NAME NEW
       gage buddies block NAME
       gage buddies unblock NAME
       gage buddies remove NAME

Shows your list with what each key counts as, or changes one entry. A name may be written in any case; a whole token does too.

  list     name, state, label, unread bundles, when it was added; the twin of the tool gage_buddies
  confirm  asks for the eight words as the other person reads them out; the only way to confirmed
  rename   gives a buddy another name on your list
  block    refuses bundles of this key from now on
  unblock  takes them again; a key that was never listed before its block leaves the list
  remove   takes the key off the list
  --json   print the list, or the changed entry, as JSON

confirm, unblock and remove ask a person and so need a terminal.
Exit codes: 0 done, 1 refused, 2 usage.

Example:
  gage buddies confirm bob
`;
