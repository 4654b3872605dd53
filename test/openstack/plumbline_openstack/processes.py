"""Starts, watches and stops the processes of the services. Only stops a process that `start` created."""
import json
import os
import signal
import subprocess
import time
import urllib.error
from pathlib import Path

from . import web
from .cloud import SERVICES
from .programs import PYTHON, service_environment

MARK = b"plumbline_openstack"
PATIENCE = 120


def start(cloud, service):
    """Starts a service in a session of its own. Returns False if it was already running."""
    if is_running(cloud, service):
        return False
    module = "plumbline_openstack.service." + {"nova": "compute", "cinder": "volume"}.get(service, "serve")
    command = [PYTHON, "-m", module, service, str(cloud.ports[service]), str(cloud.state)]
    with open(cloud.state / f"logs/{service}.output", "ab") as output:
        process = subprocess.Popen(
            command, env=service_environment(cloud), cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    # `Popen` returns during `exec`, when the command line is still empty and the mark is missing. A process that exited has an empty one, too.
    end = time.monotonic() + 1
    while time.monotonic() < end and not Path(f"/proc/{process.pid}/cmdline").read_bytes():
        time.sleep(0.01)
    _record(cloud, service).write_text(json.dumps({"pid": process.pid, "born": _born(process.pid)}))
    return True


def is_running(cloud, service):
    return _pid(cloud, service) is not None


def wait(cloud, service):
    """Waits until the service responds on its port. Raises with the end of its output if it exits, and after a timeout."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not is_running(cloud, service):
            output = (cloud.state / f"logs/{service}.output").read_text().splitlines()
            raise RuntimeError(f"{service} exited:\n" + "\n".join(output[-15:]))
        try:
            web.answers(cloud.url(service))
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise RuntimeError(f"{service} did not respond at {cloud.url(service)} in {PATIENCE} s. Its logs are in {cloud.state}/logs")


def stop(cloud, services=SERVICES):
    """Stops these services of this cloud. Returns the ones that were running."""
    running = {service: pid for service in services if (pid := _pid(cloud, service)) is not None}
    for pid in running.values():
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + 3
    while time.monotonic() < end and any(is_running(cloud, service) for service in running):
        time.sleep(0.05)
    for service in running:
        if (pid := _pid(cloud, service)) is not None:
            os.kill(pid, signal.SIGKILL)
    for service in services:
        _record(cloud, service).unlink(missing_ok=True)
    return list(running)


def _record(cloud, service):
    return cloud.state / f"processes/{service}.json"


def _pid(cloud, service):
    """Returns the recorded process id if the process runs, has the mark, and has the recorded start time. Process ids are reused."""
    try:
        record = json.loads(_record(cloud, service).read_text())
        command = Path(f"/proc/{record['pid']}/cmdline").read_bytes()
        alive = _born(record["pid"]) == record["born"] and MARK in command and str(cloud.state).encode() in command.split(b"\0")
        return record["pid"] if alive else None
    except (FileNotFoundError, ProcessLookupError):
        return None


def _born(pid):
    """Returns the start time in clock ticks. The process name before it may contain spaces."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
