#!/bin/sh
# Runs one command with a new lab: with_lab.sh [options of plumbline lab] -- COMMAND
# $READY names the ready file of the lab. Needs `npm run build`.
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
# The options contain no spaces and must be split.
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
