#!/bin/sh
# Runs pan-python's live tests of verdicts, and its panwfapi.py, against a lab: pan_python_verdicts.sh CHECKOUT READY_FILE
#
# The tests have no option for a certificate authority, so this script replaces that of the system. Needs a Python without certifi.
set -eu
checkout=$(cd "$1" && pwd)
ready=$2
python=${PYTHON:-/usr/bin/python3}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
of() { "$python" -c 'import json, sys; ready = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$ready" "$1"; }
host=$(of 'ready["verdict"].removeprefix("https://")')
key=$(of 'ready["verdictKeys"][0]')
ca=$(of 'ready["ca"]')
printf 'hostname%%lab=%s\napi_key%%lab=%s\n' "$host" "$key" > "$home/.panrc"
export HOME="$home" WFAPI_TAG=lab SSL_CERT_FILE="$ca" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
cd "$checkout"
"$python" -m unittest discover -v -s tests -t . -p 'test_wfapi_cld_appl_verdict*.py'

panwfapi="$python bin/panwfapi.py -h $host -K $key --cafile $ca"
expect() {
  wanted=$1
  shift
  if "$@" 2>&1 | grep -q "$wanted"; then echo "ok: $wanted"; else echo "FAILED: no $wanted from $*"; exit 1; fi
}
hash() { printf '%s' "$1" | "$2" | cut -d' ' -f1; }
for type in sha256sum md5sum; do
  expect '<verdict>1</verdict>' $panwfapi --verdict -x --hash "$(hash 'plumbline lab: malicious' $type)"
  expect '<verdict>0</verdict>' $panwfapi --verdict -x --hash "$(hash 'plumbline lab: benign' $type)"
done
for number in $(seq 501); do hash "$number" md5sum; done > "$home/hashes"
expect 'HTTP Error 413' $panwfapi --verdict --hash "$home/hashes"
head -n 500 "$home/hashes" > "$home/fewer"
expect 'verdicts: 200 OK' $panwfapi --verdict --hash "$home/fewer"
expect 'verdicts_changed: 200 OK' $panwfapi --changed --date -1
expect 'HTTP Error 401' $panwfapi -K wrong --verdict --hash "$(hash x md5sum)"
