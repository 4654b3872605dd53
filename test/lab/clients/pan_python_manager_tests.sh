#!/bin/sh
# Runs pan-python's live tests for managers against a lab with a manager (managed_lab.mjs): pan_python_manager_tests.sh CHECKOUT READY_FILE
#
# Runs the tests of a manager, then the tests of a firewall through its manager. One test exports a certificate that devices have and the lab
# does not, so this script imports the lab's certificate authority under that name on both devices.
set -eu
checkout=$(cd "$1" && pwd)
ready=$2
python=${PYTHON:-/usr/bin/python3}
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
"$python" - "$ready" > "$home/.panrc" <<'END'
import json, sys, urllib.parse
manager, firewall = json.load(open(sys.argv[1]))["firewalls"][:2]
for tag, device, serial in (("manager", manager, None), ("through", manager, firewall["serial"]), ("firewall", firewall, None)):
    print(f"hostname%{tag}=127.0.0.1\nport%{tag}={urllib.parse.urlparse(device['url']).port}\napi_username%{tag}=admin\napi_password%{tag}=admin")
    if serial:
        print(f"serial%{tag}={serial}")
END
ca=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["ca"])' "$ready")
export HOME="$home" PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
for tag in manager firewall; do
  "$python" "$checkout/bin/panxapi.py" -t $tag --import certificate --file "$ca" --ad-hoc "certificate-name=0041_Entrust.net_Certification_Authority_(2048)&format=pem"
  "$python" "$checkout/bin/panxapi.py" -t $tag -C '' --sync --interval 0.1
done
cd "$checkout"
XAPI_TAG=manager "$python" -m unittest discover -v -s tests -t . -p 'test_xapi_fw*pano*'
XAPI_TAG=through "$python" -m unittest discover -v -s tests -t . -p 'test_xapi_fw_tgt*'
