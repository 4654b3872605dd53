"""firewall.py PORT bare|careful|commit WANTED.json: addresses of a firewall made equal to a file of {name: value}, by pan-os-python.

bare: read, write what differs in one request, commit. careful: also lock configuration and commits, look for work of others, read
again under the lock, validate, commit, and compare what runs afterwards. commit: nothing but a commit, behind Terraform.
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
