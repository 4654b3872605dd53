"""Stops the services of the cloud in the state folder."""
import shutil
import sys

from . import processes
from .cloud import SERVICES, Cloud, state_folder


def main(arguments):
    wipe = "--wipe" in arguments
    services = [argument for argument in arguments if argument != "--wipe"]
    if any(service not in SERVICES for service in services):
        print(f"usage: down [--wipe] [{'|'.join(SERVICES)}]...", file=sys.stderr)
        return 2
    # A folder without the file of a cloud is never changed.
    cloud = Cloud.saved(state_folder())
    if cloud is None:
        return 0
    stopped = processes.stop(cloud, services or SERVICES)
    if wipe:
        processes.stop(cloud)
        shutil.rmtree(cloud.state)
    print(f"openstack: stopped {', '.join(stopped) or 'nothing'}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
