#!/usr/bin/env python3
"""Runs a program in its own network namespace, in which no host name is known.

    unshare -n -m names.py [--refused] PROGRAM [WORD...]

The name server at 127.0.0.1 accepts queries, but does not respond. With --refused, its port is closed.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile


def main():
    words = sys.argv[1:]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.NamedTemporaryFile("w") as settings:
        settings.write("nameserver 127.0.0.1\n")
        settings.flush()
        subprocess.run(["mount", "--bind", settings.name, "/etc/resolv.conf"], check=True)
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        if words[0] == "--refused":
            words = words[1:]
        else:
            listener.bind(("127.0.0.1", 53))
        # Only the program handles Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = subprocess.run(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)).returncode
        subprocess.run(["umount", "/etc/resolv.conf"])
    os._exit(code if code >= 0 else 128 - code)


main()
