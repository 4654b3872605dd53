#!/bin/sh
# Copies the reports into the checkout, where GitLab wants artifacts to lie. What a commit put in their place goes first.
set -eu
. "$(dirname "$0")/common.sh"

rm -rf ./.plumbline
mkdir ./.plumbline
cp "$reports"/plan.* ./.plumbline/
