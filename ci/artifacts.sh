#!/bin/sh
# Copies the reports into the checkout, because GitLab only uploads files of the checkout. First deletes files of the commit at that path.
set -eu
. "$(dirname "$0")/common.sh"

rm -rf ./.plumbline
mkdir ./.plumbline
cp "$reports"/plan.* ./.plumbline/
