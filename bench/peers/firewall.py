"""firewall.py PORT bare|careful|checked|commit WANTED.json: applies a file of {name: value} to the addresses of a firewall with pan-os-python.

bare: reads, writes the differences in one request, commits.
careful: also locks the configuration and commits, checks for pending changes of other administrators, reads again under the lock, validates,
commits, and compares the running configuration.
checked: makes all checks of docs/contributing/requests.md. It also checks the identity of the device, its HA role, pending changes and locks
at the same steps as Plumbline, and commits only its own changes.
commit: only commits, after Terraform.
"""
import json
import sys

from panos.errors import PanLockError
from panos.firewall import Firewall
from panos.objects import AddressObject

port, way, file = sys.argv[1:]
wanted = json.load(open(file, encoding="utf-8"))
firewall = Firewall("127.0.0.1", "admin", "admin", port=int(port), vsys="vsys1")


def commit():
    done = firewall.commit(sync=True, exception=True)
    if done is None:
        print("nothing to commit")


def query(*commands):
    return [firewall.op(command, cmd_xml=False) for command in commands]


SYSTEM = "<show><system><info/></system></show>"
PAIR = "<show><high-availability><state/></high-availability></show>"
CHANGES = "<show><config><list><changes/></list></config></show>"
LOCKS = "<show><config-locks><vsys>all</vsys></config-locks></show>"
COMMIT_LOCKS = "<show><commit-locks><vsys>all</vsys></commit-locks></show>"


def pending(changes):
    """Returns the administrators with changes in the candidate. The lab and devices list them as `journal/entry` with an `owner`."""
    return {each.findtext("owner") for each in changes.iterfind(".//journal/entry")}


def checked():
    """Follows the order of docs/contributing/requests.md. This client sends one request after the other."""
    system, _, before = query(SYSTEM, PAIR, CHANGES)
    assert not pending(before), pending(before)
    changed, gone = differing()
    assert not gone, gone
    (after,) = query(CHANGES)
    assert not pending(after), pending(after)
    if not changed:
        return
    for locks in query(LOCKS, COMMIT_LOCKS):
        assert locks.find(".//entry") is None, "another administrator has a lock"
    firewall.add_config_lock()
    try:
        (changes,) = query(CHANGES)
        assert not pending(changes), pending(changes)
        changed, _ = differing()
        again, changes, locks = query(SYSTEM, CHANGES, LOCKS)
        assert again.findtext(".//serial") == system.findtext(".//serial")
        assert not pending(changes) and locks.find(".//entry") is not None
        write(changed)
        job = firewall.op("<validate><partial><admin><member>admin</member></admin></partial></validate>", cmd_xml=False)
        firewall.syncjob(job, interval=0.5)
        _, locks, changes = query(PAIR, LOCKS, CHANGES)
        assert locks.find(".//entry") is not None and pending(changes) <= {"admin"}
        firewall.commit(sync=True, exception=True, admins=["admin"])
        firewall.removeall()
        assert differing(running=True) == ([], []), "the running configuration differs from the written one"
        changes, locks = query(CHANGES, LOCKS)
        assert not pending(changes)
    finally:
        try:
            firewall.remove_config_lock()
        except PanLockError as error:  # the commit has released it
            print(error)


def differing(running=False):
    known = {each.name: each.value for each in AddressObject.refreshall(firewall, running_config=running)}
    firewall.removeall()
    gone = [name for name in known if name not in wanted]
    return [(name, value) for name, value in wanted.items() if known.get(name) != value], gone


def write(changed):
    """Writes all addresses in one `set` of the list, which does not change other addresses."""
    objects = [AddressObject(name, value) for name, value in changed]
    for each in objects:
        firewall.add(each)
    objects[0].create_similar()


if way == "commit":
    commit()
elif way == "checked":
    checked()
else:
    changed, gone = differing()
    assert not gone, gone
    if changed:
        if way == "careful":
            firewall.add_commit_lock()
            firewall.add_config_lock()
        try:
            if way == "careful":
                firewall.pending_changes()
                changed, _ = differing()
            if changed:
                write(changed)
                if way == "careful":
                    assert differing() == ([], []), "the candidate differs from the written configuration"
                    job = firewall.op("<validate><full></full></validate>", cmd_xml=False)
                    firewall.syncjob(job, interval=0.5)
                commit()
                if way == "careful":
                    firewall.removeall()
                    assert differing(running=True) == ([], []), "the running configuration differs from the written one"
        finally:
            for release in (firewall.remove_config_lock, firewall.remove_commit_lock) if way == "careful" else ():
                try:
                    release()
                except PanLockError as error:  # the commit has released it
                    print(error)
