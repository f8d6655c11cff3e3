#!/bin/sh
# Replays transcripts through a real pipe and compares with diff:
#   scripts/transcripts.sh [FILE…]      default: spec/transcripts/*.jsonl
# `> line` is sent, `< line` is expected. A first line `#! words` gives the arguments, else it is `mcp --ordered`.
# TOOLWIRE names another launcher than bin/toolwire.js.
set -u
cd "$(dirname "$0")/.." || exit 2
launcher=${TOOLWIRE:-bin/toolwire.js}
[ $# -gt 0 ] || set -- spec/transcripts/*.jsonl
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
for file in "$@"; do
  arguments=$(sed -n '1s/^#! *//p' "$file")
  sed -n 's/^> \{0,1\}//p' "$file" > "$work/sent"
  sed -n 's/^< \{0,1\}//p' "$file" > "$work/expected"
  # The arguments are words without quotes, to be split here.
  # shellcheck disable=SC2086
  cat "$work/sent" | node "$launcher" ${arguments:-mcp --ordered} > "$work/got" 2> "$work/noise"
  code=$?
  if [ $code -eq 0 ] && diff -u "$work/expected" "$work/got" > "$work/diff"; then
    echo "ok   $file"
  else
    failed=1
    echo "FAIL $file (exit $code)"
    cat "$work/diff" "$work/noise" 2> /dev/null
  fi
done
exit $failed
