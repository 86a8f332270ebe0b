#!/usr/bin/env python3
"""Runs a program, and tells what it took at most.

    measure.py RECORD PROGRAM [WORD...]

RECORD gets one line: the KiB of memory that were resident at the peak, and the milliseconds of processor time. It is
the parent that has to be small: what the system calls the peak of a child is no less than the parent had at its start.
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
