"""Debian's packages of the services, unpacked into a folder. Nothing is installed, no maintainer script runs."""
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
# Their paste files are wanted, the daemons that they depend on are not.
ALONE = ("glance-common", "neutron-common", "nova-common", "cinder-common")
# What the dependencies drag in for disks, drawings and documents; no service of ours loads it.
NOT_NEEDED = re.compile(r"(lib(nss|pam)-)?systemd.*|libsystemd.*|udev|libudev1|sudo|open-iscsi|qemu-utils|graphviz|(python3-)?sphinx.*|docutils-common|python3-mypy|ieee-data")
COMPLETE = ".plumbline-complete"


def install(root):
    """Fills `root` unless it is complete. Raises Unobtainable where that cannot be done."""
    if _is_complete(root):
        return
    if os.geteuid() != 0:
        raise Unobtainable(f"{root} does not hold the packages, and only root can download them (or name a folder in PLUMBLINE_OPENSTACK_ROOT)")
    if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
        raise Unobtainable("this is no Debian: there is no apt-get or no dpkg-deb")
    if "VERSION_CODENAME=bookworm" not in Path("/etc/os-release").read_text().split():
        raise Unobtainable("this is not Debian bookworm, whose packages the services are made of")
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / ".lock"):
        if not _is_complete(root):
            _fill(root)


def _is_complete(root):
    # A folder that another tool filled will do, if everything that is started from it is there; one of an earlier version may lack a service.
    needed = ("keystone-manage", "openstack", "glance-manage", "neutron-server", "nova-manage", "cinder-manage")
    filled = (root / COMPLETE).exists() or bool(list(root.glob(".complete-*")))
    return filled and all((root / "usr/bin" / name).exists() for name in needed)


def _fill(root):
    archives = root / "archives"
    shutil.rmtree(archives, ignore_errors=True)
    archives.mkdir()
    say("packages: asking apt for the list")
    try:
        _apt("update", "-qq")
    except Unobtainable as reason:
        # One source of several may be down; whether the lists that are there will do shows in the next step.
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
    """`name=version` of everything that apt would install for us and that this machine has not."""
    simulated = _apt("install", "--simulate", "--no-install-recommends", *WITH_DEPENDENCIES)
    found = re.findall(r"^Inst (\S+) (?:\[[^]]*\] )?\((\S+)", simulated, re.MULTILINE)
    return [f"{name}={version}" for name, version in found if not NOT_NEEDED.fullmatch(name)] + list(ALONE)


def _apt(command, *arguments, folder=None):
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["apt-get", command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Unobtainable(f"apt-get {command} failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    return done.stdout
