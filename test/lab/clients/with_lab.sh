#!/bin/sh
# A fresh lab for one command: with_lab.sh [options of plumbline lab] -- COMMAND
# The command finds the lab's ready file in $READY. The project must be built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
READY="$folder/ready.json"
port="--port 0"
options=""
while [ "$1" != "--" ]; do
  if [ "$1" = "--port" ]; then port=""; fi
  options="$options $1"
  shift
done
shift
# Options hold no spaces: they are split on purpose.
# shellcheck disable=SC2086
node "$here/../../../dist/cli.js" lab $port $options --ready-file "$READY" > "$folder/log" &
lab=$!
trap 'kill $lab 2> /dev/null; wait $lab 2> /dev/null || true; rm -rf "$folder"' EXIT
waited=0
until [ -f "$READY" ]; do
  kill -0 $lab
  waited=$((waited + 1))
  if [ $waited -gt 300 ]; then exit 1; fi
  sleep 0.1
done
export READY
sh -c "$*"
