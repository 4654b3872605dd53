"""Unpacks Debian's packages of the services into a folder. Does not install them and runs no maintainer scripts."""
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .locked import locked
from .say import Unobtainable, say

WITH_DEPENDENCIES = (
    "python3-keystone", "python3-placement", "python3-glance", "python3-neutron", "python3-nova", "python3-cinder", "python3-openstackclient", "python3-waitress",
)
# Only the paste files of these packages are needed, not the daemons that they depend on.
WITHOUT_DEPENDENCIES = ("glance-common", "neutron-common", "nova-common", "cinder-common")
# Dependencies for disks, graphics and documents. The services do not load them.
NOT_NEEDED = re.compile(r"(lib(nss|pam)-)?systemd.*|libsystemd.*|udev|libudev1|sudo|open-iscsi|qemu-utils|graphviz|(python3-)?sphinx.*|docutils-common|python3-mypy|ieee-data")
COMPLETE = ".plumbline-complete"


def install(root):
    """Fills `root` unless it is complete. Raises Unobtainable if this machine cannot do it."""
    if _is_complete(root):
        return
    if os.geteuid() != 0:
        raise Unobtainable(f"{root} does not contain the packages, and only root can download them (or set PLUMBLINE_OPENSTACK_ROOT to another folder)")
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise Unobtainable("this machine is not Debian: apt-get or dpkg-deb is missing")
    if "VERSION_CODENAME=bookworm" not in Path("/etc/os-release").read_text().split():
        raise Unobtainable("this machine is not Debian bookworm, and the services use the packages of bookworm")
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / ".lock"):
        if not _is_complete(root):
            _fill(root)


def _is_complete(root):
    # Another tool or an earlier version may have filled the folder, so check that all programs exist.
    needed = ("keystone-manage", "openstack", "glance-manage", "neutron-server", "nova-manage", "cinder-manage")
    filled = (root / COMPLETE).exists() or bool(list(root.glob(".complete-*")))
    return filled and all((root / "usr/bin" / name).exists() for name in needed)


def _fill(root):
    archives = root / "archives"
    shutil.rmtree(archives, ignore_errors=True)
    archives.mkdir()
    say("packages: updating the list of apt")
    try:
        _apt("update", "-qq")
    except Unobtainable as reason:
        # One of several sources may be down. The next step fails if the existing lists are not sufficient.
        say(f"packages: {reason}")
    wanted = _resolved()
    say(f"packages: downloading {len(wanted)}")
    _apt("download", "-qq", "-o", "APT::Sandbox::User=root", *wanted, folder=archives)
    say("packages: unpacking")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda archive: subprocess.run(["dpkg-deb", "-x", archive, root], check=True), archives.glob("*.deb")))
    shutil.rmtree(archives)
    (root / COMPLETE).touch()


def _resolved():
    """Returns `name=version` of all packages that apt would install."""
    simulated = _apt("install", "--simulate", "--no-install-recommends", *WITH_DEPENDENCIES)
    found = re.findall(r"^Inst (\S+) (?:\[[^]]*\] )?\((\S+)", simulated, re.MULTILINE)
    return [f"{name}={version}" for name, version in found if not NOT_NEEDED.fullmatch(name)] + list(WITHOUT_DEPENDENCIES)


def _apt(command, *arguments, folder=None):
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["apt-get", command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Unobtainable(f"apt-get {command} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return done.stdout
