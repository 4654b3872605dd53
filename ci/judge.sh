#!/bin/sh
# Ends with what the plan means for a pull request: changes to come are what it is for (2 is 0 here); refusals and errors are not.
set -eu
. "$(dirname "$0")/common.sh"

code="$(cat "$reports/code")"
case "$code" in
  0) echo "nothing to change" ;;
  2) echo "changes are pending; they are applied after the merge" && exit 0 ;;
  3) echo "refused: see the report for the guard and what to do" ;;
  *) echo "failed: see above" ;;
esac
exit "$code"
