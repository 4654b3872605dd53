"""measure.py BOUND COMMAND...: runs the command for at most BOUND seconds. Prints JSON: exit code, wall seconds, CPU seconds including child
processes, and output."""
import json
import resource
import subprocess
import sys
import time


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# Excludes the child processes before this point: a `python3` that is a wrapper script takes about 40 ms.
before = processor()
start = time.monotonic()
try:
    done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=float(sys.argv[1]))
    code, output = done.returncode, done.stdout
except subprocess.TimeoutExpired:
    code, output = "bound", ""
wall = time.monotonic() - start
print(json.dumps({"code": code, "wall": wall, "processor": processor() - before, "output": output[-3000:]}))
