"""Packages, configuration, databases, processes, contents: each only where it is missing."""
import json
import shutil
import sqlite3
import sys
import time

from . import client_files, configuration, databases, packages, processes, seed
from .cloud import SERVICES, Cloud, root_folder, state_folder
from .locked import locked
from .say import Unobtainable, say

COMPLETE = "complete"


def main(arguments):
    if any(argument != "--install-only" for argument in arguments):
        print("usage: up [--install-only]", file=sys.stderr)
        return 2
    try:
        packages.install(root_folder())
        if arguments:
            return 0
        # The lock lies beside the state, which a new start throws away.
        with locked(state_folder().with_name(f"{state_folder().name}.lock")):
            cloud, started = bring_up(Cloud.saved(state_folder()))
    except Unobtainable as reason:
        print(f"openstack: {reason}", file=sys.stderr)
        return 3
    except RuntimeError as failure:
        print(f"openstack: {failure}", file=sys.stderr)
        return 1
    names = {"clouds": "clouds.yaml", "command": "openstack", "session": "openstack-session", "settings": "run-time.json"}
    files = {what: str(cloud.state / name) for what, name in names.items()}
    print(json.dumps({"state": str(cloud.state), "authUrl": cloud.auth_url, **files, "started": started}))
    return 0


def bring_up(saved):
    """The cloud, and the services that had to be started."""
    if saved is not None and _can_go_on(saved):
        write_files(saved)
        before = reports_of_compute(saved)
        started = start(saved)
        if "nova" in started:
            wait_for_report(saved, before)
        return saved, started
    if saved is not None:
        processes.stop(saved)
        shutil.rmtree(saved.state)
    return make(Cloud.new(root_folder(), state_folder())), list(SERVICES)


def _can_go_on(saved):
    """Its catalog names its ports, so a cloud that is down and whose ports others took is of no use; nor is one of an earlier version, with fewer services."""
    if set(saved.ports) != set(SERVICES):
        return False
    running = any(processes.is_running(saved, service) for service in SERVICES)
    return (saved.state / COMPLETE).exists() and (running or saved.ports_are_free())


def make(cloud):
    cloud.save()
    write_files(cloud)
    say(f"databases: making them in {cloud.state}")
    databases.make(cloud)
    try:
        processes.start(cloud, "keystone")
        processes.wait(cloud, "keystone")
        say("identity: users and catalog")
        seed.identity(cloud)
        start(cloud)
        wait_for_compute_host(cloud)
        say("contents: networks, image, flavors, key pairs")
        seed.contents(cloud)
    except BaseException:
        processes.stop(cloud)
        raise
    (cloud.state / COMPLETE).touch()
    say("up")
    return cloud


def write_files(cloud):
    configuration.write(cloud)
    client_files.write(cloud)


def start(cloud):
    started = [service for service in SERVICES if processes.start(cloud, service)]
    for service in SERVICES:
        processes.wait(cloud, service)
    if started:
        say(f"started {', '.join(started)}")
    return started


def wait_for_compute_host(cloud):
    """Servers can be placed only once the scheduler has found the compute host."""
    wait_until(cloud, lambda: asked(cloud, "nova_api", "select count(*) from host_mappings") > 0, "the scheduler found no compute host")


def reports_of_compute(cloud):
    return asked(cloud, "nova", "select report_count from services where binary = 'nova-compute'")


def wait_for_report(cloud, before):
    """A compute host that has not reported for a minute counts as down: a server made before its next report goes to ERROR."""
    wait_until(cloud, lambda: reports_of_compute(cloud) > before, "the compute host does not report")


def asked(cloud, database, question):
    connection = sqlite3.connect(cloud.state / f"databases/{database}.sqlite")
    try:
        return connection.execute(question).fetchone()[0]
    finally:
        connection.close()


def wait_until(cloud, holds, otherwise):
    end = time.monotonic() + processes.PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"{otherwise}; see {cloud.state}/logs/nova.log")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
