#!/bin/sh
# Updates the comment of the pull request with the plan. Does nothing outside a pull request.
set -eu
. "$(dirname "$0")/common.sh"

if [ "${PLUMBLINE_COMMENT:-true}" != true ]; then
  echo "comments are disabled"
elif [ -z "${PLUMBLINE_IS_PULL_REQUEST:-}" ] && [ -z "${CI_MERGE_REQUEST_IID:-}" ] && [ -z "${PLUMBLINE_PULL_REQUEST:-}" ]; then
  echo "no pull request, no comment"
elif is_untrusted; then
  echo "no comment, because the commit may come from another repository: the report is in the job summary"
else
  without_runner_commands plumbline pr comment --file "$reports/plan.md" --name "${PLUMBLINE_COMMENT_NAME:-plan}"
fi
