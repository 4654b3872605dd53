"""Progress, on standard error, with the seconds since the start."""
import sys
import time

_BEGIN = time.monotonic()


def say(text):
    print(f"openstack {time.monotonic() - _BEGIN:5.1f}s  {text}", file=sys.stderr, flush=True)


class Unobtainable(Exception):
    """The services cannot be had on this machine; the text says why."""
