#!/bin/sh
# Plans the checked-out commit and writes the reports and the exit code to $PLUMBLINE_REPORTS. Exits with 0 if the plan ran; ci/judge.sh
# turns the exit code of the plan into the result of the job.
set -eu
. "$(dirname "$0")/common.sh"

# The commit may belong to a pull request: it gets the secrets of the targets, but no token of the code host.
unset PLUMBLINE_TOKEN GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN GITEA_TOKEN CI_JOB_TOKEN
# Variables of GitLab that contain the token of the job.
unset CI_REPOSITORY_URL CI_BUILD_TOKEN CI_REGISTRY_PASSWORD CI_DEPENDENCY_PROXY_PASSWORD CI_DEPLOY_PASSWORD CI_JOB_JWT CI_JOB_JWT_V1 CI_JOB_JWT_V2

new_reports
code=0

# Reads the settings that limit the references of a pull request from its target branch. Only called for trusted commits, because git
# uses the configuration of the checkout.
read_approved() {
  base="${GITHUB_BASE_REF:-${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-}}"
  if [ -z "$base" ] || [ -n "${PLUMBLINE_APPROVED:-}" ]; then return; fi
  PLUMBLINE_APPROVED="$reports/approved.yaml"
  export PLUMBLINE_APPROVED
  if ! safe_git fetch --quiet --no-tags origin "+refs/heads/$base:refs/plumbline-approved/base"; then
    echo "The branch $base cannot be fetched, so no reference is approved."
    echo "references: []" > "$PLUMBLINE_APPROVED"
    return
  fi
  echo "{}" > "$PLUMBLINE_APPROVED"
  for file in "${PLUMBLINE_CONFIG:-plumbline.yaml}" desired-state/plumbline.yaml; do
    path="$(safe_git rev-parse --show-prefix)${file#"$(pwd)/"}"
    if ! is_plain "$path"; then
      # Plumbline refuses an approved file that is not a map.
      echo "$path is not a regular file on the branch $base." | tee "$PLUMBLINE_APPROVED"
      return
    fi
    if safe_git cat-file -e "refs/plumbline-approved/base:$path" 2>/dev/null; then
      safe_git show "refs/plumbline-approved/base:$path" > "$PLUMBLINE_APPROVED"
      return
    fi
  done
}

# Succeeds if a path of the target branch is a regular file in regular folders, or does not exist. For a symbolic link, git prints the
# target of the link, which would read as a list without limits. A path through a link or a submodule would look like a missing list.
is_plain() {
  rest="$1"
  part=""
  while [ -n "$rest" ]; do
    step="${rest%%/*}"
    case "$rest" in */*) rest="${rest#*/}" ;; *) rest="" ;; esac
    case "$step" in "" | .) continue ;; ..) return 1 ;; esac
    part="$part${part:+/}$step"
    entry="$(safe_git ls-tree --full-tree "refs/plumbline-approved/base" -- ":(literal)$part")" || return 1
    case "$entry" in
      "") return 0 ;;
      "040000 "*) if [ -z "$rest" ]; then return 1; fi ;;
      100*) if [ -n "$rest" ]; then return 1; fi ;;
      *) return 1 ;;
    esac
  done
}

if is_untrusted; then
  echo "This commit may come from another repository. Its files are validated without secrets."
  without_runner_commands plumbline validate ${PLUMBLINE_STRICT:+--strict} || code=$?
  if [ "$code" -eq 0 ]; then verdict="the desired state is valid"; else verdict="the desired state is **not valid** (see the output of the job)"; fi
  printf '**Plumbline**: %s. It was not planned, because the commit may come from another repository.\n' "$verdict" > "$reports/plan.md"
  mode=validate
else
  if [ -d "$mirror" ] && origin="$(safe_git remote get-url origin)"; then
    # The plan gets no token of the code host, also not as part of an address.
    trap 'safe_git remote set-url origin "$origin"' EXIT
    safe_git remote set-url origin "$mirror"
  fi
  read_approved
  set --
  if [ -n "${PLUMBLINE_STRICT:-}" ]; then without_runner_commands plumbline validate --strict || strict=$?; fi
  for target in ${PLUMBLINE_TARGETS:-}; do set -- "$@" --target "$target"; done
  if [ -n "${PLUMBLINE_REPLAY:-}" ]; then set -- "$@" --replay "$PLUMBLINE_REPLAY"; fi
  without_runner_commands plumbline plan "$@" \
    --report "markdown=$reports/plan.md" \
    --report "sarif=$reports/plan.sarif" \
    --report "junit=$reports/plan.junit.xml" || code=$?
  # An error of the strict check fails the job, also if the plan succeeded.
  if [ "${strict:-0}" -ne 0 ]; then
    code=1
    printf '\n**Not valid**: a name is not declared, or the files have other errors. See the output of the job.\n' >> "$reports/plan.md"
  fi
  if [ ! -s "$reports/plan.md" ]; then
    printf '**Plumbline plan**: failed before it read a target. See the output of the job.\n' > "$reports/plan.md"
  else
    case "${GITHUB_REF:-} ${CI_MERGE_REQUEST_EVENT_TYPE:-}" in
      refs/pull/*/merge\ * | *\ merged_result | *\ merge_train)
        printf '\n_This is a plan of the merge result._\n' >> "$reports/plan.md" ;;
    esac
  fi
  mode=plan
fi

echo "$code" > "$reports/code"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$reports/plan.md" >> "$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  sarif=""
  if [ -f "$reports/plan.sarif" ]; then sarif="$reports/plan.sarif"; fi
  pending=false
  if [ "$mode" = plan ] && [ "$code" -eq 2 ]; then pending=true; fi
  {
    echo "exit-code=$code"
    echo "mode=$mode"
    echo "pending=$pending"
    echo "reports=$reports"
    echo "sarif=$sarif"
  } >> "$GITHUB_OUTPUT"
fi
