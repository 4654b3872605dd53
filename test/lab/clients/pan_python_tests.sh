#!/bin/sh
# Runs pan-python's live tests for firewalls against a lab: pan_python_tests.sh CHECKOUT READY_FILE
#
# One test exports a certificate that devices have and the lab does not, so this script first imports the lab's certificate authority under
# that name and commits it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$1" && pwd)
ready=$2
python=${PYTHON:-/usr/bin/python3}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
port=$("$python" -c 'import json, sys, urllib.parse; print(urllib.parse.urlparse(json.load(open(sys.argv[1]))["firewall"]).port)' "$ready")
ca=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["ca"])' "$ready")
cat > "$home/.panrc" <<END
hostname%lab=127.0.0.1
port%lab=$port
api_username%lab=admin
api_password%lab=admin
END
export HOME="$home" XAPI_TAG=lab PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
panxapi="$python $checkout/bin/panxapi.py -t lab"
certificate='0041_Entrust.net_Certification_Authority_(2048)'
$panxapi --import certificate --file "$ca" --ad-hoc "certificate-name=$certificate&format=pem"
$panxapi -C '' --sync --interval 0.1
cd "$checkout"
"$python" -m unittest discover -v -s tests -t . -p 'test_xapi_fw*'
