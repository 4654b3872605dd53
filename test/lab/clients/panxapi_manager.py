"""Tests the functions of pan-python's `panxapi.py` for managers against a lab with a manager (managed_lab.mjs).

    /usr/bin/python3 panxapi_manager.py --panxapi PATH/bin/panxapi.py --ready ready.json
"""
import argparse
import sys
import time
import xml.etree.ElementTree as etree

from cases import Cases, equal, holds
from panxapi import Panxapi

A, B, C = "007000000000001", "007000000000002", "007000000000003"
BRANCH = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='branch']"
VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']"


class Manager:
    def __init__(self, client):
        self.client = client

    def call(self, *words, status="success", text=""):
        """Runs one function and returns the printed XML. Its status line must contain `status` and `text`."""
        done = self.client.run("-x", "--interval", "0.05", *words)
        line = done.err.strip()
        holds(line, f": {status}")
        holds(line, text)
        equal(done.code, 0 if status == "success" else 1)
        return etree.fromstring(done.out) if done.out.startswith("<") else None

    def change(self, name):
        """Commits an object of the group on the manager that its firewalls do not have yet."""
        self.call("-S", f"<entry name='{name}'><ip-netmask>192.0.2.77</ip-netmask></entry>", f"{BRANCH}/address")
        self.call("-C", "", "--sync")

    def pushed(self, cmd, *words):
        """Pushes, waits for all firewalls, and returns the rows of the job."""
        job = self.call("-A", cmd, *words).findtext(".//job")
        for _ in range(100):
            found = self.call("-o", f'show jobs id "{job}"', "-X").find(".//job")
            rows = [[each.findtext(tag) for tag in ("serial-no", "result")] for each in found.findall("devices/entry")]
            if found.findtext("status") == "FIN" and all(result != "PEND" for _, result in rows):
                return rows
            time.sleep(0.05)
        raise AssertionError(f"job {job} does not end")

    def synced(self):
        """Returns the serial numbers that the manager reports as in sync with the group."""
        entries = self.call("-o", 'show devicegroups name "branch"', "-X").findall(".//devices/entry")
        return [each.get("name") for each in entries if each.findtext("shared-policy-status") == "In Sync"]

    # Pushes

    def commit_all_of_a_group(self):
        self.change("one")
        cmd = '<commit-all><shared-policy><device-group><entry name="branch"/></device-group></shared-policy></commit-all>'
        equal(self.pushed(cmd), [[A, "OK"], [B, "OK"]])
        equal(self.synced(), [A, B])

    def commit_all_of_one_firewall(self):
        self.change("two")
        cmd = f'<commit-all><shared-policy><device-group><entry name="branch"><devices><entry name="{B}"/></devices></entry></device-group></shared-policy></commit-all>'
        equal(self.pushed(cmd), [[B, "OK"]])
        equal(self.synced(), [B])

    def commit_all_of_a_stack(self):
        cmd = f"<commit-all><template-stack><name>branches</name><device><member>{A}</member></device></template-stack></commit-all>"
        equal(self.pushed(cmd), [[A, "OK"]])

    def commit_all_and_wait(self):
        done = self.call("-A", '<commit-all><shared-policy><device-group><entry name="plants"/></device-group></shared-policy></commit-all>', "--sync")
        equal(done.findtext(".//job/status"), "FIN")

    def commit_all_validates(self):
        cmd = '<commit-all><shared-policy><device-group><entry name="branch"/></device-group><validate-only>yes</validate-only></shared-policy></commit-all>'
        self.change("three")
        equal(self.pushed(cmd), [[A, "OK"], [B, "OK"]])
        equal(self.synced(), [])

    def commit_all_by_words(self):
        equal(self.pushed("", "--group", "branch", "--merge"), [[A, "OK"], [B, "OK"]])

    def commit_all_of_nobody(self):
        cmd = '<commit-all><shared-policy><device-group><entry name="nobody"/></device-group></shared-policy></commit-all>'
        self.call("-A", cmd, status="error", text="code=\"17\"")

    # Through the manager

    def op_through_the_manager(self):
        equal(self.call("--serial", A, "-o", "show system info", "-X").findtext(".//hostname"), "fw-a")
        equal(self.call("-o", "show system info", "-X").findtext(".//hostname"), "manager")

    def op_of_a_virtual_system_through_the_manager(self):
        self.call("--serial", C, "--vsys", "vsys2", "-o", "<show><config><pushed-shared-policy><vsys>vsys2</vsys></pushed-shared-policy></config></show>")

    def configuration_through_the_manager(self):
        address = f"{VSYS}/address/entry[@name='own']"
        self.call("--serial", B, "-S", "<ip-netmask>192.0.2.9</ip-netmask>", address)
        equal(self.call("--serial", B, "-g", address).findtext(".//ip-netmask"), "192.0.2.9")
        self.call("--serial", A, "-g", address, text='code="7"')
        self.call("--serial", B, "-d", address)

    def commit_through_the_manager(self):
        self.call("--serial", B, "-S", "<ip-netmask>192.0.2.9</ip-netmask>", f"{VSYS}/address/entry[@name='own']")
        self.call("--serial", B, "-C", "<commit/>", "--sync")
        equal(self.call("--serial", B, "-s", f"{VSYS}/address").findtext(".//ip-netmask"), "192.0.2.9")

    def export_through_the_manager(self):
        done = self.client.run("--serial", A, "--export", "configuration", "-x")
        holds(done.err, "export: success")

    def nobody_through_the_manager(self):
        self.call("--serial", "007999999999999", "-o", "show system info", "-X", status="error", text="not connected")

    # Firewalls and hierarchy

    def firewalls(self):
        found = self.call("-o", "show devices all", "-X").findall(".//devices/entry")
        equal([each.get("name") for each in found], [A, B, C])

    def hierarchy(self):
        found = self.call("-o", "show dg-hierarchy", "-X").find(".//dg[@name='offices']/dg")
        equal(found.get("name"), "branch")


KNOWN = {
    "commit_all_by_words": "a form of versions before 7: group and firewall as text, which newer ones do not document; the lab refuses it",
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--panxapi", required=True)
    options.add_argument("--ready", required=True)
    args = options.parse_args()
    manager = Manager(Panxapi(args.panxapi, args.ready))
    cases = Cases("panxapi.py and a manager", KNOWN)
    for name in [each for each in vars(Manager) if not each.startswith("_") and each not in ("call", "change", "pushed", "synced")]:
        cases.run(name, getattr(manager, name))
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
