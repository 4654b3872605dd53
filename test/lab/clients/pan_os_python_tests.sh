#!/bin/sh
# pan-os-python's live tests against a lab: pan_os_python_tests.sh CHECKOUT
#
# They take no port, so the lab must answer at 127.0.0.1:443, and some need three virtual systems:
# plumbline lab --port 443 --from three-vsys.xml; or, with MANAGER=127.0.0.1 FIREWALL=, managed_lab.mjs --port 443. PYTHON is one with pan-os-python and pytest.
set -eu
cd "$1"
export PD_USERNAME=admin PD_PASSWORD=admin PD_PANORAMAS="${MANAGER:-}" PD_FIREWALLS="${FIREWALL-127.0.0.1}" PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" -m pytest -p no:cacheprovider -q -rs --tb=line tests/live
