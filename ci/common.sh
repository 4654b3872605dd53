# What the other scripts share. Sourced; expects `set -eu`.
reports="${PLUMBLINE_REPORTS:-.plumbline}"
mkdir -p "$reports"
reports="$(cd "$reports" && pwd)"
# Reports are no work in progress of the desired state.
echo '*' > "$reports/.gitignore"

plumbline() {
  if [ -n "${PLUMBLINE_COMMAND:-}" ]; then
    "$PLUMBLINE_COMMAND" "$@"
  else
    node "$PLUMBLINE_HOME/dist/cli.js" "$@"
  fi
}

# A pull request from another repository was written by somebody who may not write to this one.
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
    return 1
  fi
}
