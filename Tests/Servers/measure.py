#!/usr/bin/env python3
"""Runs a program, and measures its peak memory and processor time.

    measure.py RECORD PROGRAM [WORD...]

Writes one line to RECORD: the peak resident memory in KiB, and the processor time in milliseconds. The parent must be
small, because the system's peak of a child is at least the size of the parent at the fork.
"""

import os
import sys

process = os.fork()
if process == 0:
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(process, 0)
unit = 1024 if sys.platform == "darwin" else 1
with open(sys.argv[1], "w", encoding="utf-8") as record:
    record.write(f"{usage.ru_maxrss // unit} {round((usage.ru_utime + usage.ru_stime) * 1000)}\n")
os._exit(os.waitstatus_to_exitcode(status) & 255)
