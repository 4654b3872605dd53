#!/bin/sh
# Runs pan-os-python's live tests against a lab: pan_os_python_tests.sh CHECKOUT
#
# The tests have no option for a port, so the lab must listen on 127.0.0.1:443. Some tests need three virtual systems. Start
# `plumbline lab --port 443 --from three-vsys.xml`, or `managed_lab.mjs --port 443` with MANAGER=127.0.0.1 FIREWALL=. PYTHON must have
# pan-os-python and pytest.
set -eu
cd "$1"
export PD_USERNAME=admin PD_PASSWORD=admin PD_PANORAMAS="${MANAGER:-}" PD_FIREWALLS="${FIREWALL-127.0.0.1}" PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" -m pytest -p no:cacheprovider -q -rs --tb=line tests/live
