# What the other scripts share. Sourced; expects `set -eu`.

# Reports lie outside the checkout: what a commit holds there could be a link to one of these scripts, or to the runner's.
reports="${PLUMBLINE_REPORTS:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}/plumbline-$(id -u)-$(pwd | cksum | tr -d ' ')}"

# Copy of the target branch and the ledgers, which ci/fetch.sh writes.
mirror="$reports-origin.git"

# Makes the folder of the reports anew. `mkdir` fails where somebody else was quicker, and a link is removed, not followed.
new_reports() {
  rm -rf "$reports"
  mkdir -m 700 "$reports"
}

# Runs git in the working tree around the current folder. Only a `.git` counts as its repository: git itself would also accept
# a folder of the commit that looks like a bare repository, and run the commands that its configuration names.
safe_git() {
  tree="$(pwd -P)"
  while [ ! -e "$tree/.git" ] && [ "$tree" != / ]; do tree="$(dirname "$tree")"; done
  git -c safe.bareRepository=explicit -c core.fsmonitor=false -c core.hooksPath=/dev/null -c protocol.ext.allow=never \
    -c submodule.recurse=false --no-pager --git-dir="$tree/.git" --work-tree="$tree" "$@"
}

plumbline() {
  if [ -n "${PLUMBLINE_COMMAND:-}" ]; then
    "$PLUMBLINE_COMMAND" "$@"
  elif [ -f "$PLUMBLINE_HOME/release/node_modules/plumbline-network/dist/cli.js" ]; then
    node "$PLUMBLINE_HOME/release/node_modules/plumbline-network/dist/cli.js" "$@"
  else
    node "$PLUMBLINE_HOME/dist/cli.js" "$@"
  fi
}

# Runs a command whose output holds text of the commit: none of it may be taken for an order to the runner. Both streams
# become one, so that nothing of the other arrives when orders are taken again.
quoting_orders() {
  if [ "${GITHUB_ACTIONS:-}" != true ]; then
    "$@"
    return
  fi
  word="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  status=0
  echo "::stop-commands::$word"
  "$@" 2>&1 || status=$?
  echo "::$word::"
  return "$status"
}

# Only what is known to come from people who may write to this repository is trusted. A pull request from another one was
# written by somebody who may not; of a CI that these lines do not know, nothing can be said.
is_untrusted() {
  case "${PLUMBLINE_TRUSTED:-auto}" in
    yes) return 1 ;;
    no) return 0 ;;
  esac
  if [ -n "${CI_MERGE_REQUEST_SOURCE_PROJECT_ID:-}" ]; then
    [ "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID" != "${CI_MERGE_REQUEST_PROJECT_ID:-}" ]
  elif [ -n "${PLUMBLINE_IS_PULL_REQUEST:-}" ]; then
    # An empty name is that of a repository that was deleted since.
    [ "${PLUMBLINE_HEAD_REPOSITORY:-}" != "${GITHUB_REPOSITORY:-}" ]
  else
    # A run that follows another one (workflow_run) may have checked out anything.
    case "${GITHUB_ACTIONS:+github}${GITLAB_CI:+gitlab} ${GITHUB_EVENT_NAME:-} ${CI_PIPELINE_SOURCE:-}" in
      "github push "* | "github schedule "* | "github workflow_dispatch "* | "github merge_group "*) return 1 ;;
      "gitlab  push" | "gitlab  web" | "gitlab  schedule" | "gitlab  api" | "gitlab  trigger" | "gitlab  pipeline") return 1 ;;
      *) return 0 ;;
    esac
  fi
}
