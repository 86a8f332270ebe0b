#!/usr/bin/env python3
"""Runs a program in its own network namespace, with a DNS server whose responses depend on the name.

    unshare -n -m names.py [--no-resolver|--dead-resolver] PROGRAM [WORD...]

On 127.0.0.1:8080 and [::1]:8081, every GET returns a user of a Parse Server. The first label of a name selects the DNS
response:

nx           NXDOMAIN                        servfail     SERVFAIL
silent       no response                     garbage      invalid bytes
four, six    one loopback address            both         an address of each version; nothing listens on the IPv6 one

--no-resolver: /etc/resolv.conf is empty. --dead-resolver: it names a port without a listener.
"""

import http.server
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

BODY = b'{"objectId":"u1","username":"ada"}'
FOUR, SIX = 1, 28


class User(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def __init__(self, address, port):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, port), User)


def answer(query):
    """The response to a query; None: no response."""
    labels, place = [], 12
    while query[place]:
        labels.append(query[place + 1 : place + 1 + query[place]].decode())
        place += query[place] + 1
    question = query[12 : place + 5]
    (kind,) = struct.unpack(">H", query[place + 1 : place + 3])

    def reply(code, addresses=()):
        head = query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(addresses), 0, 0) + question
        records = [b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 60, len(one)) + one for one in addresses]
        return head + b"".join(records)

    address = {FOUR: socket.inet_pton(socket.AF_INET, "127.0.0.1"), SIX: socket.inet_pton(socket.AF_INET6, "::1")}
    kinds = {"four": [FOUR], "six": [SIX], "both": [FOUR, SIX]}
    match labels[0]:
        case "silent":
            return None
        case "garbage":
            return query[:2] + b"\xff" * 20
        case "servfail":
            return reply(2)
        case name if name in kinds:
            return reply(0, [address[kind]] if kind in kinds[name] else [])
        case _:
            return reply(3)


def serve_names(sock):
    while True:
        query, sender = sock.recvfrom(2000)
        said = answer(query)
        if said is not None:
            sock.sendto(said, sender)


def main():
    words = sys.argv[1:]
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.NamedTemporaryFile("w") as settings:
        if words[0] != "--no-resolver":
            settings.write("nameserver 127.0.0.1\n")
        settings.flush()
        subprocess.run(["mount", "--bind", settings.name, "/etc/resolv.conf"], check=True)
        if words[0].startswith("--"):
            words = words[1:]
        else:
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.bind(("127.0.0.1", 53))
            threading.Thread(target=serve_names, args=(sock,), daemon=True).start()
        for address, port in (("127.0.0.1", 8080), ("::1", 8081)):
            threading.Thread(target=Server(address, port).serve_forever, daemon=True).start()
        # Only the program handles Ctrl-C.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        code = subprocess.run(words, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)).returncode
        subprocess.run(["umount", "/etc/resolv.conf"])
    os._exit(code if code >= 0 else 128 - code)


main()
