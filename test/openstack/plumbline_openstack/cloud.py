"""Describes one cloud: the folders of its packages and its state, and the ports of its services."""
import json
import os
import socket
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

HOST = "127.0.0.1"
REGION = "RegionOne"
PASSWORD = "secret"
SERVICES = ("keystone", "placement", "glance", "neutron", "nova", "cinder")


@dataclass(frozen=True)
class Cloud:
    root: Path
    state: Path
    ports: dict

    def url(self, service):
        return f"http://{HOST}:{self.ports[service]}"

    @property
    def auth_url(self):
        return self.url("keystone") + "/v3"

    def database(self, name):
        return f"sqlite:///{self.state}/databases/{name}.sqlite"

    def save(self):
        folders = ("configuration", "databases", "logs", "processes", "locks", "keys/tokens", "keys/credentials", "images", "instances")
        for folder in folders:
            (self.state / folder).mkdir(parents=True, exist_ok=True)
        written = {name: str(value) if isinstance(value, Path) else value for name, value in asdict(self).items()}
        (self.state / "cloud.json").write_text(json.dumps(written, indent=1))

    def ports_are_free(self):
        with ExitStack() as held:
            try:
                for port in self.ports.values():
                    listener = held.enter_context(socket.socket())
                    # A port with connections only in TIME_WAIT is free.
                    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    listener.bind((HOST, port))
                return True
            except OSError:
                return False

    @staticmethod
    def saved(state):
        """Returns the cloud with this state folder, or None."""
        try:
            read = json.loads((state / "cloud.json").read_text())
        except FileNotFoundError:
            return None
        return Cloud(Path(read["root"]), state, read["ports"])

    @staticmethod
    def new(root, state):
        """Returns a cloud on free ports."""
        with ExitStack() as held:
            ports = {}
            for service in SERVICES:
                listener = held.enter_context(socket.socket())
                listener.bind((HOST, 0))
                ports[service] = listener.getsockname()[1]
        return Cloud(root, state, ports)


def root_folder():
    return Path(os.environ.get("PLUMBLINE_OPENSTACK_ROOT", "/var/cache/plumbline-openstack"))


def state_folder():
    return Path(os.environ.get("PLUMBLINE_OPENSTACK_STATE", "/tmp/plumbline-openstack"))
