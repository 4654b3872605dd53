"""Prints progress to standard error, with the seconds since the start."""
import sys
import time

_BEGIN = time.monotonic()


def say(text):
    print(f"openstack {time.monotonic() - _BEGIN:5.1f}s  {text}", file=sys.stderr, flush=True)


class Unobtainable(Exception):
    """The services are not available on this machine. The message contains the reason."""
