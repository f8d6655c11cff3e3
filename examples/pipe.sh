#!/bin/sh
# An MCP server is a filter: lines in, lines out, exit 0 at the end of the input. Needs `npm ci` in this clone first.
# --ordered keeps the answers in the order of the requests, so that they can be compared with diff.
set -eu
toolwire=${TOOLWIRE:-$(dirname "$0")/../bin/toolwire.js}
printf '%s\n' \
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}' \
  '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
  '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \
  '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"validate_buffer","arguments":{"file_path":"src/run.py","content":"import os\nos.system(input())\n"}}}' |
  node "$toolwire" mcp --ordered
