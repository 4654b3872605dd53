"""Runs one measurement of xml.mjs: python3 bench/xml-lxml.py FILE RUNS. The output has the format of xml-run.mjs."""

import json
import resource
import sys
import time

from lxml import etree

data = open(sys.argv[1], "rb").read()
root = None
for _ in range(int(sys.argv[2])):
    root = None
    start = time.perf_counter()
    root = etree.fromstring(data)
    elapsed = (time.perf_counter() - start) * 1e3
print(json.dumps({"milliseconds": elapsed, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
