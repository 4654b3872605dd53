#!/bin/sh
# Makes $PLUMBLINE_HOME (a checkout of Plumbline) ready to run; does nothing where it is, or where PLUMBLINE_COMMAND names another.
# The tag of a release ($PLUMBLINE_REF) has its package, made and tested when it was released ($PLUMBLINE_RELEASES: where releases
# lie): it is taken from there, and nothing is built in a job.
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
version="$(node --print 'require("./package.json").version')"
# `v1` and `v1.2` are moved along with the newest `v1.2.3`; any other name is no release of this version.
case "${PLUMBLINE_RELEASES:+v$version.}" in
  "${PLUMBLINE_REF:-none}".*)
    package="$PLUMBLINE_RELEASES/v$version/plumbline-network-$version.tgz"
    if npm install --prefix release --no-save --ignore-scripts --no-audit --no-fund "$package"; then
      echo "using $package"
      exit 0
    fi
    echo "no package at $package: building it here" >&2
    ;;
esac
# The build runs as part of it; nothing else that packages would like to run does.
npm ci --ignore-scripts --no-audit --no-fund
npm run build
