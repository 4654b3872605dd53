"""Creates the databases and the keys of the identity service."""
import base64
import os
import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor

from .cloud import PASSWORD, REGION
from .programs import PYTHON, service_environment


def make(cloud):
    for keys in ("tokens", "credentials"):
        _write_keys(cloud.state / "keys" / keys)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda work: work(cloud), (_nova, _cinder, _keystone, _neutron, _glance)))
    for file in (cloud.state / "databases").glob("*.sqlite"):
        _write_ahead(file)


def _write_keys(folder):
    """Writes a Fernet key repository: `0` is the next key, and the highest number is the current one."""
    folder.chmod(0o700)
    for number in ("0", "1"):
        (folder / number).write_bytes(base64.urlsafe_b64encode(os.urandom(32)))
        (folder / number).chmod(0o600)


def _keystone(cloud):
    manage = [f"{cloud.root}/usr/bin/keystone-manage", "--config-file", f"{cloud.state}/configuration/keystone.conf"]
    _run(cloud, "keystone", PYTHON, *manage, "db_sync")
    urls = [argument for kind in ("public", "internal", "admin") for argument in (f"--bootstrap-{kind}-url", f"{cloud.auth_url}/")]
    _run(cloud, "keystone", PYTHON, *manage, "bootstrap", "--bootstrap-password", PASSWORD, "--bootstrap-region-id", REGION, *urls)


def _glance(cloud):
    _run(cloud, "glance", PYTHON, f"{cloud.root}/usr/bin/glance-manage", "--config-file", f"{cloud.state}/configuration/glance-api.conf", "db_sync")


def _cinder(cloud):
    _run(cloud, "cinder", PYTHON, f"{cloud.root}/usr/bin/cinder-manage", "--config-file", f"{cloud.state}/configuration/cinder.conf", "db", "sync")


def _neutron(cloud):
    arguments = (f"{cloud.state}/configuration/neutron.conf", cloud.database("neutron"))
    _run(cloud, "neutron", PYTHON, "-m", "plumbline_openstack.service.neutron_tables", *arguments)


def _nova(cloud):
    arguments = (f"{cloud.state}/configuration/nova.conf", cloud.database("nova_cell0"), cloud.database("nova"))
    _run(cloud, "nova", PYTHON, "-m", "plumbline_openstack.service.nova_cells", *arguments)


def _run(cloud, service, *command):
    log = cloud.state / f"logs/{service}-database.log"
    with open(log, "a") as output:
        done = subprocess.run(command, env=service_environment(cloud), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    if done.returncode != 0:
        raise RuntimeError(f"the database of {service} could not be created. The end of {log}:\n" + "\n".join(log.read_text().splitlines()[-15:]))


def _write_ahead(file):
    """Enables the write-ahead log, so that readers do not block a writer."""
    connection = sqlite3.connect(file)
    connection.execute("pragma journal_mode = wal")
    connection.close()
