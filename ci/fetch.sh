#!/bin/sh
# Copies the target branch and the ledgers from the code host into a bare repository outside the checkout. ci/plan.sh reads them there. Only this
# step has the token of the code host, so the plan needs none. Does nothing for untrusted commits.
set -eu
. "$(dirname "$0")/common.sh"

rm -rf "$mirror"
if [ -n "${GITHUB_SERVER_URL:-}" ] && [ -n "${GITHUB_REPOSITORY:-}" ] && [ -n "${GITHUB_TOKEN:-}" ]; then
  url="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY"
  login="x-access-token:$GITHUB_TOKEN"
  base="${GITHUB_BASE_REF:-}"
elif [ -n "${CI_PROJECT_URL:-}" ] && [ -n "${CI_JOB_TOKEN:-}" ]; then
  url="$CI_PROJECT_URL.git"
  login="gitlab-ci-token:$CI_JOB_TOKEN"
  base="${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-}"
else
  exit 0
fi
if is_untrusted; then exit 0; fi

mkdir -m 700 "$mirror"
(cd / && git init --quiet --bare "$mirror")
# The token is in the environment and not in the arguments, is sent to this address only, and is written to no file.
GIT_CONFIG_COUNT=2
GIT_CONFIG_KEY_0="http.$url.extraHeader"
GIT_CONFIG_VALUE_0="Authorization: Basic $(printf %s "$login" | base64 | tr -d '\n')"
GIT_CONFIG_KEY_1=http.followRedirects
GIT_CONFIG_VALUE_1=false
export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 GIT_CONFIG_KEY_1 GIT_CONFIG_VALUE_1
set -- '+refs/plumbline/*:refs/plumbline/*'
if [ -n "$base" ]; then set -- "$@" "+refs/heads/$base:refs/heads/$base"; fi
if ! (cd / && git --git-dir="$mirror" fetch --quiet --no-tags "$url" "$@"); then
  echo "The ledgers and the target branch cannot be copied from $url." >&2
  rm -rf "$mirror"
fi
