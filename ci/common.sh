# Functions of the other scripts. Expects `set -eu`.

# The reports are outside the checkout. A path in the checkout could be a symbolic link of the commit to a file of the runner.
reports="${PLUMBLINE_REPORTS:-${RUNNER_TEMP:-${TMPDIR:-/tmp}}/plumbline-$(id -u)-$(pwd | cksum | tr -d ' ')}"

# Copy of the target branch and the ledgers, which ci/fetch.sh writes.
mirror="$reports-origin.git"

# Creates the empty folder of the reports. `rm` removes a symbolic link and does not follow it. `mkdir` fails if another process creates the folder first.
new_reports() {
  rm -rf "$reports"
  mkdir -m 700 "$reports"
}

# Runs git in the working tree that contains the current folder. Only a `.git` is accepted as the repository. Git itself would also
# accept a folder of the commit that looks like a bare repository, and run commands of its configuration.
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

# Runs a command so that the runner does not interpret its output as workflow commands, because it contains text of the commit. Joins
# both output streams, so that no late line of one stream follows the end marker.
without_runner_commands() {
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

# Trusts a commit only if its author can write to this repository. A pull request from a fork is untrusted, and so is every commit of
# an unknown CI system.
is_untrusted() {
  case "${PLUMBLINE_TRUSTED:-auto}" in
    yes) return 1 ;;
    no) return 0 ;;
  esac
  if [ -n "${CI_MERGE_REQUEST_SOURCE_PROJECT_ID:-}" ]; then
    [ "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID" != "${CI_MERGE_REQUEST_PROJECT_ID:-}" ]
  elif [ -n "${PLUMBLINE_IS_PULL_REQUEST:-}" ]; then
    # The name is empty if the repository was deleted.
    [ "${PLUMBLINE_HEAD_REPOSITORY:-}" != "${GITHUB_REPOSITORY:-}" ]
  else
    # A run that another run triggered (workflow_run) may have checked out any commit.
    case "${GITHUB_ACTIONS:+github}${GITLAB_CI:+gitlab} ${GITHUB_EVENT_NAME:-} ${CI_PIPELINE_SOURCE:-}" in
      "github push "* | "github schedule "* | "github workflow_dispatch "* | "github merge_group "*) return 1 ;;
      "gitlab  push" | "gitlab  web" | "gitlab  schedule" | "gitlab  api" | "gitlab  trigger" | "gitlab  pipeline") return 1 ;;
      *) return 0 ;;
    esac
  fi
}
