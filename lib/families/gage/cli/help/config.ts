/** The help of `gage config`. */
export const configHelp = `Usage: gage config [show] [--json]
       gage config relay URL
       gage config relay --unset
       gage config send-roots add DIR
       gage config send-roots remove DIR
       gage config send-roots list
       gage config send-roots --unset

Shows and changes config.json in the gage home. No tool changes it.

  relay       the relay that gage push and gage pull use: https://HOST, or http to this machine alone
  send-roots  the folders that files may be sent from; without one, the working folder. The root of a disk, your home folder
              or one above it, and a gage home are refused. --unset takes the list away, an empty list lets nothing be sent
  --json      print all settings as JSON

Two more settings are written into config.json by hand, each true or false, beside what is there; a file of them alone is

  {"push_needs_confirmed":true,"v":1,"withhold_strangers":true}

push_needs_confirmed refuses to push to buddies whose words nobody compared; withhold_strangers hides the payload of keys that
are not on your list until you accept it. Nobody else may be able to write to the file.

Exit codes: 0 done, 1 refused, 2 usage.

Example:
  gage config relay https://relay.example
`;
