"""Runs a command, then says how long it took and how much memory it held at most: `peak.py COMMAND...`."""

import resource
import subprocess
import sys
import time

start = time.perf_counter()
status = subprocess.call(sys.argv[1:])
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"[{seconds:.1f} s, {used.ru_utime + used.ru_stime:.1f} CPU seconds, peak {used.ru_maxrss // 1024} MB]", flush=True)
sys.exit(status)
