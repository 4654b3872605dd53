"""firewall.py PORT bare|careful|checked|commit WANTED.json: addresses of a firewall made equal to a file of {name: value}, by pan-os-python.

bare: read, write what differs in one request, commit. careful: also lock configuration and commits, look for work of others, read
again under the lock, validate, commit, and compare what runs afterwards. checked: keeps the promises of docs/contributing/requests.md: also asks who answers,
which of a pair it is, whose changes are pending and whose locks stand, where Plumbline asks; commits its own changes alone. commit: nothing
but a commit, behind Terraform.
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


def asked(*commands):
    return [firewall.op(command, cmd_xml=False) for command in commands]


SYSTEM = "<show><system><info/></system></show>"
PAIR = "<show><high-availability><state/></high-availability></show>"
CHANGES = "<show><config><list><changes/></list></config></show>"
LOCKS = "<show><config-locks><vsys>all</vsys></config-locks></show>"
COMMIT_LOCKS = "<show><commit-locks><vsys>all</vsys></commit-locks></show>"


def pending(changes):
    """Whose work is in the candidate; the lab and devices list it as `journal/entry` with an `owner`."""
    return {each.findtext("owner") for each in changes.iterfind(".//journal/entry")}


def checked():
    """The order of docs/contributing/requests.md, with one request after the other, as this client asks them."""
    system, _, before = asked(SYSTEM, PAIR, CHANGES)
    assert not pending(before), pending(before)
    changed, gone = differing()
    assert not gone, gone
    (after,) = asked(CHANGES)
    assert not pending(after), pending(after)
    if not changed:
        return
    for locks in asked(LOCKS, COMMIT_LOCKS):
        assert locks.find(".//entry") is None, "somebody holds a lock"
    firewall.add_config_lock()
    try:
        (changes,) = asked(CHANGES)
        assert not pending(changes), pending(changes)
        changed, _ = differing()
        again, changes, locks = asked(SYSTEM, CHANGES, LOCKS)
        assert again.findtext(".//serial") == system.findtext(".//serial")
        assert not pending(changes) and locks.find(".//entry") is not None
        write(changed)
        job = firewall.op("<validate><partial><admin><member>admin</member></admin></partial></validate>", cmd_xml=False)
        firewall.syncjob(job, interval=0.5)
        _, locks, changes = asked(PAIR, LOCKS, CHANGES)
        assert locks.find(".//entry") is not None and pending(changes) <= {"admin"}
        firewall.commit(sync=True, exception=True, admins=["admin"])
        firewall.removeall()
        assert differing(running=True) == ([], []), "what runs is not what was written"
        changes, locks = asked(CHANGES, LOCKS)
        assert not pending(changes)
    finally:
        try:
            firewall.remove_config_lock()
        except PanLockError as error:  # the commit has let it go
            print(error)


def differing(running=False):
    known = {each.name: each.value for each in AddressObject.refreshall(firewall, running_config=running)}
    firewall.removeall()
    gone = [name for name in known if name not in wanted]
    return [(name, value) for name, value in wanted.items() if known.get(name) != value], gone


def write(changed):
    """One request for all of them: `set` of the list, which leaves the others alone."""
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
                    assert differing() == ([], []), "the candidate is not what was written"
                    job = firewall.op("<validate><full></full></validate>", cmd_xml=False)
                    firewall.syncjob(job, interval=0.5)
                commit()
                if way == "careful":
                    firewall.removeall()
                    assert differing(running=True) == ([], []), "what runs is not what was written"
        finally:
            for let_go in (firewall.remove_config_lock, firewall.remove_commit_lock) if way == "careful" else ():
                try:
                    let_go()
                except PanLockError as error:  # the commit has let it go
                    print(error)
