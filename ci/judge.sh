#!/bin/sh
# Exits with the result of the plan for a pull request. Pending changes (exit code 2) are a success; refusals and errors are failures.
set -eu
. "$(dirname "$0")/common.sh"

code="$(cat "$reports/code")"
case "$code" in
  0) echo "no changes" ;;
  2) echo "changes are pending; they are applied after the merge" && exit 0 ;;
  3) echo "refused: see the report for the guard and what to do" ;;
  *) echo "failed: see above" ;;
esac
exit "$code"
