"""Creates the missing parts of a cloud: packages, configuration, databases, processes, contents."""
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
        # The lock is outside the state folder, because a new cloud replaces that folder.
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
    """Returns the cloud, and the services that were started."""
    if saved is not None and _is_reusable(saved):
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


def _is_reusable(saved):
    """The catalog contains the ports, so a stopped cloud needs its ports to be free. A cloud of an earlier version may have fewer services."""
    if set(saved.ports) != set(SERVICES):
        return False
    running = any(processes.is_running(saved, service) for service in SERVICES)
    return (saved.state / COMPLETE).exists() and (running or saved.ports_are_free())


def make(cloud):
    cloud.save()
    write_files(cloud)
    say(f"databases: creating them in {cloud.state}")
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
    """Starts the services that do not run. Keystone is first, because nova exits if it does not respond."""
    started = ["keystone"] if processes.start(cloud, "keystone") else []
    processes.wait(cloud, "keystone")
    started += [service for service in SERVICES if service != "keystone" and processes.start(cloud, service)]
    for service in SERVICES:
        processes.wait(cloud, service)
    if started:
        say(f"started {', '.join(started)}")
    return started


def wait_for_compute_host(cloud):
    """Waits until the scheduler has found the compute host. Before that, it cannot place servers."""
    wait_until(cloud, lambda: query(cloud, "nova_api", "select count(*) from host_mappings") > 0, "the scheduler found no compute host")


def reports_of_compute(cloud):
    return query(cloud, "nova", "select report_count from services where binary = 'nova-compute'")


def wait_for_report(cloud, before):
    """Waits for a report of the compute host. After a minute without one, the host counts as down and new servers fail."""
    wait_until(cloud, lambda: reports_of_compute(cloud) > before, "the compute host does not report")


def query(cloud, database, statement):
    connection = sqlite3.connect(cloud.state / f"databases/{database}.sqlite")
    try:
        return connection.execute(statement).fetchone()[0]
    finally:
        connection.close()


def wait_until(cloud, condition, failure):
    end = time.monotonic() + processes.PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{failure}. See {cloud.state}/logs/nova.log")
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
