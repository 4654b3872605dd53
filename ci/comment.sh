#!/bin/sh
# Keeps the comment of the pull request up to date with the plan. Does nothing where there is none to write to.
set -eu
. "$(dirname "$0")/common.sh"

if [ "${PLUMBLINE_COMMENT:-true}" != true ]; then
  echo "no comment is wanted"
elif [ -z "${PLUMBLINE_IS_PULL_REQUEST:-}" ] && [ -z "${CI_MERGE_REQUEST_IID:-}" ] && [ -z "${PLUMBLINE_PULL_REQUEST:-}" ]; then
  echo "no pull request, no comment"
elif is_untrusted; then
  echo "no comment for what may come from another repository: the report is in the job's summary"
else
  quoting_orders plumbline pr comment --file "$reports/plan.md" --name "${PLUMBLINE_COMMENT_NAME:-plan}"
fi
