"""Lock file that also works between processes."""
import fcntl
from contextlib import contextmanager


@contextmanager
def locked(file):
    with open(file, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
