#!/bin/sh
# Makes $PLUMBLINE_HOME (a checkout of Plumbline) ready to run; does nothing where it is, or where PLUMBLINE_COMMAND names another.
set -eu
if [ -n "${PLUMBLINE_COMMAND:-}" ]; then
  echo "using $PLUMBLINE_COMMAND"
  exit 0
fi
cd "$PLUMBLINE_HOME"
if [ -f dist/cli.js ] && [ -d node_modules ]; then
  echo "using $PLUMBLINE_HOME"
  exit 0
fi
# The build runs as part of it; nothing else that packages would like to run does.
npm ci --ignore-scripts --no-audit --no-fund
npm run build
