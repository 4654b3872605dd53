"""Runs pan-python's unmodified `panxapi.py` against a lab firewall.

Each call runs the script as `__main__` in this process, with the same arguments and streams as from a shell. This saves the start of an
interpreter.
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
    """Buffer that stays readable after the script closes its writer."""

    def close(self):
        pass


@dataclass(frozen=True)
class Done:
    """Result of a run. `out` is the standard output, `err` contains the status line and errors."""

    code: int
    out: str
    err: str


class Panxapi:
    """Runs `panxapi.py` for the first firewall in the ready file of a lab, with the lab's certificate authority and a generated key."""

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
        """Makes one call with address, certificate authority and key."""
        return self.words(*self.where, "-K", self.key, *words)

    def words(self, *words, stdin=""):
        """Makes one call with only these arguments."""
        out, err = Kept(), Kept()
        kept = sys.argv, sys.path[:], sys.stdin, sys.stdout, sys.stderr
        sys.argv = [self.script, *words]
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        sys.stdout, sys.stderr = io.TextIOWrapper(out, encoding="utf-8"), io.TextIOWrapper(err, encoding="utf-8")
        code = 0
        try:
            # Newer versions of Python deprecate the script's TLS setup. The warning would appear in its status line.
            warnings.simplefilter("ignore", DeprecationWarning)
            runpy.run_path(self.script, run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
        finally:
            # The script replaces the writers of the streams.
            sys.stdout.flush()
            sys.stderr.flush()
            sys.argv, sys.path[:], sys.stdin, sys.stdout, sys.stderr = kept
        return Done(code, out.getvalue().decode(), err.getvalue().decode())
