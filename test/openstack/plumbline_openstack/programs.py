"""Environment for programs of the unpacked packages."""
import os
import platform
from pathlib import Path

PYTHON = "/usr/bin/python3"
HERE = Path(__file__).resolve().parent.parent
# Prefixes of the user's credentials, proxies and Python settings, which must not affect the services.
_REMOVED = ("OS_", "PYTHON", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


def package_environment(root):
    """Returns variables that make Python and the dynamic loader search in `root`."""
    libraries = root / "usr/lib" / f"{platform.machine()}-linux-gnu"
    return {
        "PYTHONPATH": f"{HERE}:{root}/usr/lib/python3/dist-packages",
        # Byte code is stored next to the packages and not in the checkout. Without it, each start compiles all modules.
        "PYTHONPYCACHEPREFIX": f"{root}/byte-code",
        "PYTHONWARNINGS": "ignore",
        "LD_LIBRARY_PATH": ":".join(str(folder) for folder in (libraries, libraries / "blas", libraries / "lapack", root / f"lib/{libraries.name}")),
    }


def service_environment(cloud):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_REMOVED)}
    configuration = str(cloud.state / "configuration")
    return {
        **kept,
        **package_environment(cloud.root),
        "LC_ALL": "C.UTF-8",
        "PATH": f"{cloud.root}/usr/bin:{os.environ.get('PATH', '/usr/bin:/bin')}",
        "XDG_CACHE_HOME": f"{cloud.root}/cache",
        **{f"OS_{service}_CONFIG_DIR": configuration for service in ("KEYSTONE", "PLACEMENT", "GLANCE", "NEUTRON")},
        "OS_NEUTRON_CONFIG_FILES": "neutron.conf",
        "PLUMBLINE_RUN_TIME_SETTINGS": str(cloud.state / "run-time.json"),
    }
