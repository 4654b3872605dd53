"""measure.py COMMAND...: runs it and prints JSON: exit code, wall seconds, processor seconds of it and all that it started, its output."""
import json
import resource
import subprocess
import sys
import time

start = time.monotonic()
try:
    done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=float(sys.argv[1]))
    code, said = done.returncode, done.stdout
except subprocess.TimeoutExpired:
    code, said = "bound", ""
wall = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"code": code, "wall": wall, "processor": used.ru_utime + used.ru_stime, "said": said[-3000:]}))
