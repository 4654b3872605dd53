"""Tests pan-os-python's Panorama against a lab with a manager (managed_lab.mjs): refresh_devices, opstate, commit, each style of commit-all,
and access to firewalls through their manager.

    python pan_os_python_manager.py --ready ready.json      (a Python with pan-os-python)

The client does not verify certificates.
"""
import argparse
import json
import sys
import time
import urllib.parse

from cases import Cases, equal, holds
from panos.errors import PanDeviceError, PanDeviceXapiError
from panos.firewall import Firewall
from panos.objects import AddressObject
from panos.panorama import DeviceGroup, Panorama, PanoramaCommit, PanoramaCommitAll, Template, TemplateStack
from panos.policies import PreRulebase, SecurityRule

A, B, C = "007000000000001", "007000000000002", "007000000000003"


def raises(error, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except error as raised:
        return str(raised)
    raise AssertionError(f"{call} raised no {error.__name__}")


class Manager:
    def __init__(self, url):
        address = urllib.parse.urlparse(url)
        self.where = (address.hostname, "admin", "admin", None, address.port)
        self.panorama = Panorama(*self.where)

    def fresh(self, *objects):
        self.panorama.removeall()
        for each in objects:
            self.panorama.add(each)
        return self.panorama

    def state(self, **named):
        """Returns the firewalls by device group, and whether they are in sync."""
        groups = Panorama(*self.where).refresh_devices(**named)
        return {
            group.name: {(each.serial, each.vsys): each.state.shared_policy_synced for each in group.children if isinstance(each, Firewall)}
            for group in groups
            if isinstance(group, DeviceGroup)
        }

    def push(self, style, name, **named):
        return self.panorama.commit(cmd=PanoramaCommitAll(style, name, **named), sync=True, sync_all=True, exception=True)

    def change(self, name):
        group = DeviceGroup("branch")
        self.fresh(group)
        group.add(AddressObject(name, "192.0.2.88")).create()
        self.panorama.commit(sync=True, exception=True)

    # The manager

    def system_information(self):
        self.panorama.refresh_system_info()
        equal((self.panorama.version, self.panorama.platform), ("11.1.0", "Panorama"))

    def create_from_device(self):
        equal(type(Panorama.create_from_device(*self.where)), Panorama)

    def refresh_devices(self):
        found = self.state()
        equal({name: list(each) for name, each in found.items()}, {"offices": [], "branch": [(A, "vsys1"), (B, "vsys1")], "plants": [(C, "vsys1"), (C, "vsys2")]})
        equal(set(found["branch"].values()), {False})

    def refresh_devices_tells_of_each_virtual_system(self):
        equal(set(self.state()["plants"].values()), {False})

    def refresh_devices_that_are_connected(self):
        equal(sorted(self.state(only_connected=True)["branch"]), [(A, "vsys1"), (B, "vsys1")])

    def refresh_devices_by_serial_number(self):
        found = Panorama(*self.where).refresh_devices(devices=[Firewall(serial=B)], include_device_groups=False, expand_vsys=False)
        equal([(each.serial, each.state.connected) for each in found], [(B, True)])

    def refresh_devices_nobody_has(self):
        raises(PanDeviceError, self.panorama.refresh_devices, devices=["007999999999999"])

    # Device groups and templates

    def hierarchy(self):
        equal(self.panorama.opstate.dg_hierarchy.fetch(), {"offices": None, "plants": None, "branch": "offices"})

    def move_of_a_group(self):
        group = DeviceGroup("plants")
        self.fresh(group)
        group.opstate.dg_hierarchy.parent = "offices"
        equal(group.opstate.dg_hierarchy.update()["success"], True)
        equal(self.panorama.opstate.dg_hierarchy.fetch()["plants"], "offices")
        self.panorama.commit(sync=True, exception=True)
        group.opstate.dg_hierarchy.parent = None
        group.opstate.dg_hierarchy.update()
        group.opstate.dg_hierarchy.refresh()
        equal(group.opstate.dg_hierarchy.parent, None)
        self.panorama.commit(sync=True, exception=True)

    def move_of_a_group_below_itself(self):
        group = DeviceGroup("offices")
        self.fresh(group)
        group.opstate.dg_hierarchy.parent = "branch"
        raises(PanDeviceXapiError, group.opstate.dg_hierarchy.update)

    def new_group(self):
        group = DeviceGroup("kiosks")
        self.fresh(group)
        group.create()
        equal(self.panorama.opstate.dg_hierarchy.fetch()["kiosks"], None)
        group.opstate.dg_hierarchy.parent = "offices"
        group.opstate.dg_hierarchy.update()
        equal(self.panorama.opstate.dg_hierarchy.fetch()["kiosks"], "offices")
        group.delete()
        equal("kiosks" in self.panorama.opstate.dg_hierarchy.fetch(), False)

    def rule_of_a_group(self):
        group, rulebase = DeviceGroup("branch"), PreRulebase()
        self.fresh(group)
        group.add(rulebase)
        rulebase.add(SecurityRule("web", action="allow")).create()
        equal([each.name for each in SecurityRule.refreshall(rulebase)], ["web"])

    def templates_and_stacks(self):
        equal([each.name for each in Template.refreshall(self.panorama, add=False)], ["branch-net", "plant-net"])
        found = {each.name: (each.templates, each.devices) for each in TemplateStack.refreshall(self.panorama, add=False)}
        equal(found, {"branches": (["branch-net"], [A, B]), "plants-stack": (["plant-net"], [C])})

    # Commit and push

    def commit_of_parts(self):
        group = DeviceGroup("branch")
        self.fresh(group)
        group.add(AddressObject("part", "192.0.2.8")).create()
        done = self.panorama.commit(cmd=PanoramaCommit(description="parts", device_groups=["branch"], admins=["admin"]), sync=True, exception=True)
        equal(done["success"], True)

    def push_of_a_group(self):
        done = self.push("device group", "branch", description="by hand", include_template=True)
        equal(sorted(done["devices"]), [A, B])
        equal({each["success"] for each in done["devices"].values()}, {True})
        equal(self.state()["branch"], {(A, "vsys1"): True, (B, "vsys1"): True})

    def push_to_one_firewall(self):
        self.change("one")
        done = self.push("device group", "branch", devices=[B], include_template=False)
        equal(list(done["devices"]), [B])
        equal(self.state()["branch"], {(A, "vsys1"): False, (B, "vsys1"): True})

    def push_of_ones_own_work(self):
        self.change("mine")
        equal(sorted(self.push("device group", "branch", admins=["admin"])["devices"]), [A, B])
        equal(self.state()["branch"], {(A, "vsys1"): True, (B, "vsys1"): True})

    def push_of_ones_own_work_of_a_template(self):
        holds(raises(PanDeviceXapiError, self.push, "template", "branch-net", admins=["admin"]), "unexpected here")

    def push_of_virtual_systems(self):
        done = self.push("device group", "plants", include_template=True)
        equal(list(done["devices"]), [C])
        equal(self.state()["plants"][(C, "vsys1")], True)

    def push_of_a_parent(self):
        """Succeeds without firewalls."""
        done = self.push("device group", "offices")
        equal((done["success"], done["devices"]), (True, {}))

    def push_of_a_stack(self):
        equal(sorted(self.push("template stack", "branches", force_template_values=False)["devices"]), [A, B])

    def push_of_a_template(self):
        equal(sorted(self.push("template", "branch-net")["devices"]), [A, B])

    def push_that_a_firewall_refuses(self):
        firewall = Firewall(serial=A, vsys="vsys1")
        self.fresh(firewall)
        firewall.add(AddressObject("twin", "192.0.2.5")).create()
        firewall.commit(sync=True, exception=True)
        self.change("twin")
        done = self.panorama.commit(cmd=PanoramaCommitAll("device group", "branch"), sync=True, sync_all=True)
        equal((done["success"], done["devices"][A]["success"], done["devices"][B]["success"]), (False, False, True))
        holds(" ".join(done["devices"][A]["messages"]), "Duplicate address name 'twin'")
        equal(self.state()["branch"], {(A, "vsys1"): False, (B, "vsys1"): True})
        self.fresh(firewall)
        firewall.removeall()
        firewall.add(AddressObject("twin")).delete()
        firewall.commit(sync=True, exception=True)
        self.push("device group", "branch")
        equal(self.state()["branch"], {(A, "vsys1"): True, (B, "vsys1"): True})

    def push_of_collectors(self):
        done = self.panorama.commit(cmd=PanoramaCommitAll("log collector group", "collectors"), sync=True, sync_all=True)
        equal((done["success"], done["jobid"]), (True, "0"))

    def push_of_appliances_nobody_has(self):
        raises(PanDeviceXapiError, self.push, "wildfire appliance", "sandbox")
        raises(PanDeviceXapiError, self.push, "wildfire cluster", "sandboxes")

    def push_of_a_group_nobody_has(self):
        raises(PanDeviceXapiError, self.push, "device group", "nobody")

    # Firewalls through their manager

    def firewall_through_its_manager(self):
        firewall = Firewall(serial=B, vsys="vsys1")
        self.fresh(firewall)
        equal(firewall.op("show system info").findtext("result/system/hostname"), "fw-b")
        firewall.add(AddressObject("own", "192.0.2.6")).create()
        equal([each.name for each in AddressObject.refreshall(firewall)], ["own"])
        firewall.commit(sync=True, exception=True)

    def firewall_nobody_has(self):
        firewall = Firewall(serial="007999999999999")
        self.fresh(firewall)
        raises(PanDeviceXapiError, firewall.op, "show system info")


KNOWN = {
    "refresh_devices_tells_of_each_virtual_system": "the client merges the manager's data of several virtual systems into the first, because xml_combine compares tags",
}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--ready", required=True)
    with open(options.parse_args().ready) as file:
        manager = Manager(json.load(file)["firewall"])
    cases = Cases("pan-os-python and a manager", KNOWN)
    for name in [each for each in vars(Manager) if not each.startswith("_") and each not in ("fresh", "state", "push", "change")]:
        cases.run(name, getattr(manager, name))
    return cases.end()


if __name__ == "__main__":
    sys.exit(main())
