"""Runs pan-python's `panxapi.py`, as it is, against a lab firewall.

The script runs as `__main__` inside this process, once a call: the same file with the same words and streams as from a
shell, without the start of an interpreter each time.
"""
import io
import json
import re
import runpy
import sys
import urllib.parse
import warnings
from dataclasses import dataclass


class Kept(io.BytesIO):
    """Stays readable when the script's writer on it goes."""

    def close(self):
        pass


@dataclass(frozen=True)
class Done:
    """How a run ended. `out` is what it printed, `err` its status line and errors."""

    code: int
    out: str
    err: str


class Panxapi:
    """`panxapi.py` for the first firewall that a lab's ready file names, with the lab's authority and a generated key."""

    def __init__(self, script, ready_file):
        with open(ready_file) as file:
            ready = json.load(file)
        self.script = script
        self.ca = ready["ca"]
        self.url = ready["firewall"]
        self.plain_url = ready["firewalls"][0].get("plainUrl")
        address = urllib.parse.urlparse(self.url)
        self.where = ["-h", address.hostname, "-P", str(address.port), "--cafile", self.ca]
        keygen = self.words(*self.where, "-l", "admin:admin", "-k")
        found = re.search(r'API key:\s+"(.+)"', keygen.out)
        if found is None:
            raise RuntimeError(f"no key: {keygen}")
        self.key = found.group(1)

    def run(self, *words):
        """One call with address, certificate authority and key."""
        return self.words(*self.where, "-K", self.key, *words)

    def words(self, *words, stdin=""):
        """One call with nothing but these words."""
        out, err = Kept(), Kept()
        kept = sys.argv, sys.path[:], sys.stdin, sys.stdout, sys.stderr
        sys.argv = [self.script, *words]
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        sys.stdout, sys.stderr = io.TextIOWrapper(out, encoding="utf-8"), io.TextIOWrapper(err, encoding="utf-8")
        code = 0
        try:
            # How the script sets up TLS is deprecated in newer Pythons; the warning would stand in its status line.
            warnings.simplefilter("ignore", DeprecationWarning)
            runpy.run_path(self.script, run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
        finally:
            # The script puts writers of its own on the streams.
            sys.stdout.flush()
            sys.stderr.flush()
            sys.argv, sys.path[:], sys.stdin, sys.stdout, sys.stderr = kept
        return Done(code, out.getvalue().decode(), err.getvalue().decode())
