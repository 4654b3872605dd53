#!/bin/sh
# Runs a playbook with the vendor's Ansible collection against the first device of a lab: ansible.sh CHECKOUT READY_FILE PLAYBOOK
#
# ANSIBLE_PLAYBOOK must be in an environment with ansible-core, pan-os-python, xmltodict, dpath and aiohttp.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "$1" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir -p "$home/collections/ansible_collections/paloaltonetworks"
ln -s "$checkout" "$home/collections/ansible_collections/paloaltonetworks/panos"
port=$(python3 -c 'import json, sys, urllib.parse; print(urllib.parse.urlparse(json.load(open(sys.argv[1]))["firewall"]).port)' "$2")
playbook=${ANSIBLE_PLAYBOOK:-ansible-playbook}
cd "$home"
ANSIBLE_COLLECTIONS_PATH="$home/collections" ANSIBLE_LOCAL_TEMP="$home" ANSIBLE_NOCOWS=1 ANSIBLE_DEPRECATION_WARNINGS=0 PYTHONDONTWRITEBYTECODE=1 \
  "$playbook" -i localhost, -e "ansible_python_interpreter=$(dirname "$(readlink -f "$(command -v "$playbook")")")/python" -e "lab_port=$port" "$here/$3"
