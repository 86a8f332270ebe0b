#!/usr/bin/env python3
"""A server that runs a scenario, for tests of clients.

    scripted-server.py RECORD < SCENARIO

Listens on loopback, writes {"ports": [...]} as one line when it is ready, and exits with its parent.
The scenario is a JSON object:

    {"listeners": [{"address": "127.0.0.1", "tls": {...}, "atAccept": [...], "atHello": [...], "routes": {...}}]}

tls        {"certificate": FILE with its key, "oldest": "1.0", "newest": "1.1", "noEncryption": true,
           "wantsCertificate": true}; without "tls", the listener uses plain TCP
atAccept   steps before the TLS handshake and before any read
atHello    steps after the first bytes arrive, before any response
routes     maps a path (without its query), "CONNECT" (every CONNECT) or "*" (any other request) to a list of
           responses. The first request gets the first response, and so on; the last response repeats.
           A response is a list of steps, or {"when": W, "steps": [...]}. The steps run when W is received: "request"
           (the whole request, the default), "headers", or a number of bytes (only in the route "*")

After the last step, the server reads the next request, unless a step closed the connection. The steps are:

    {"send": TEXT}                 the text as UTF-8; {port} is this listener's port, {port:N} the port of listener N
    {"sendBase64": TEXT}           the decoded bytes
    {"drip": TEXT, "every": S}     byte by byte, with a pause after each
    {"repeat": TEXT, "count": N}   N times; without a count forever
    {"bomb": ["gzip", "deflate"]}  endless chunks of zeros in these encodings, applied in this order
    {"pause": S}                   seconds
    {"waitFor": PATH}              waits until that file exists
    {"stall": true}                waits until the client disconnects
    {"close": "end"}               FIN, without close_notify
    {"close": "reset"}             RST
    {"tunnel": PORT}               forwards between the client and a server at a local port
    {"tunnel": N}                  for N < 16: the same with listener N, counted from 0

RECORD gets one JSON object per line. The server records each event before it runs the next step:

    {"event": "connection", "listener": 0, "connection": 1}
    {"event": "handshake", ...}    the TLS handshake is complete
    {"event": "request", ..., "method": M, "target": T, "head": TEXT, "body": BASE64, "time": SECONDS}
"""

import base64
import json
import os
import select
import socket
import ssl
import struct
import sys
import threading
import time
import warnings
import zlib

VERSIONS = {
    "1.0": ssl.TLSVersion.TLSv1,
    "1.1": ssl.TLSVersion.TLSv1_1,
    "1.2": ssl.TLSVersion.TLSv1_2,
    "1.3": ssl.TLSVersion.TLSv1_3,
}


class Gone(Exception):
    """Either side closed the connection."""


class Record:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.lock = threading.Lock()
        self.connections = 0

    def write(self, event, **members):
        with self.lock:
            self.file.write(json.dumps({"event": event, **members}) + "\n")
            self.file.flush()

    def new_connection(self, listener):
        with self.lock:
            self.connections += 1
            number = self.connections
        self.write("connection", listener=listener, connection=number)
        return number


class Listener:
    def __init__(self, number, settings, record):
        self.number = number
        self.settings = settings
        self.record = record
        self.routes = settings.get("routes", {})
        self.lock = threading.Lock()
        self.asked = {}
        self.context = context(settings["tls"]) if settings.get("tls") else None
        address = settings.get("address", "127.0.0.1")
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.create_server((address, 0), family=family, backlog=128)
        self.port = self.socket.getsockname()[1]

    def serve(self, ports):
        while True:
            accepted, _ = self.socket.accept()
            number = self.record.new_connection(self.number)
            connection = Connection(self, accepted, number, ports)
            threading.Thread(target=connection.run, daemon=True).start()

    def answer(self, key):
        """The steps for the next request with that key, and when to run them."""
        if key not in self.routes:
            key = "*"
        answers = self.routes.get(key)
        if not answers:
            return "request", [{"send": "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"}]
        with self.lock:
            index = self.asked.get(key, 0)
            self.asked[key] = index + 1
        answer = answers[min(index, len(answers) - 1)]
        if isinstance(answer, dict):
            return answer.get("when", "request"), answer["steps"]
        return "request", answer

    def bytes_to_read(self):
        """The number of bytes that the first response of the route "*" waits for, or None."""
        answers = self.routes.get("*", [])
        when = answers[0].get("when") if answers and isinstance(answers[0], dict) else None
        return when if isinstance(when, int) else None


class Connection:
    def __init__(self, listener, accepted, number, ports):
        self.listener = listener
        self.socket = accepted
        self.number = number
        self.ports = ports
        self.unread = b""
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def run(self):
        try:
            self.do(self.listener.settings.get("atAccept", []))
            if "atHello" in self.listener.settings:
                self.socket.recv(1, socket.MSG_PEEK)
                self.do(self.listener.settings["atHello"])
            if self.listener.context:
                self.socket = self.listener.context.wrap_socket(
                    self.socket, server_side=True, suppress_ragged_eofs=True, do_handshake_on_connect=False)
                self.shake_hands()
                self.note("handshake")
            while True:
                self.serve_one()
        except (Gone, OSError, ValueError):
            pass
        finally:
            self.socket.close()

    def shake_hands(self):
        try:
            self.socket.do_handshake()
        except ssl.SSLError:
            # Wait: closing with unread bytes sends an RST, which may overtake the TLS alert.
            time.sleep(0.3)
            raise

    def note(self, event, **members):
        self.listener.record.write(event, listener=self.listener.number, connection=self.number, **members)

    def note_request(self, method, target, head, body):
        body = base64.b64encode(body).decode()
        self.note("request", method=method, target=target, head=head, body=body, time=time.monotonic())

    def receive(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise Gone
        self.unread += piece

    def serve_one(self):
        limit = self.listener.bytes_to_read()
        if limit is not None:
            while len(self.unread) < limit:
                self.receive()
            self.note_request("", "", self.unread.decode("latin-1"), b"")
            self.do(self.listener.answer("*")[1])
            return
        while b"\r\n\r\n" not in self.unread:
            self.receive()
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        text = head.decode("latin-1") + "\r\n"
        method, target = (text.split("\r\n", 1)[0].split(" ") + ["", ""])[:2]
        key = "CONNECT" if method == "CONNECT" else target.split("?")[0]
        when, steps = self.listener.answer(key)
        body = self.body(text, when) if when == "request" else b""
        self.note_request(method, target, text, body)
        self.do(steps)

    def body(self, head, when):
        length = 0
        for line in head.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                length = int(value)
            if name.lower() == "transfer-encoding" and value.strip() == "chunked":
                return self.chunks()
        return self.take(length)

    def chunks(self):
        """The body without its framing."""
        body = b""
        while True:
            while b"\r\n" not in self.unread:
                self.receive()
            line, self.unread = self.unread.split(b"\r\n", 1)
            chunk = self.take(int(line, 16) + 2)[:-2]
            if not chunk:
                return body
            body += chunk

    def take(self, length):
        while len(self.unread) < length:
            self.receive()
        taken, self.unread = self.unread[:length], self.unread[length:]
        return taken

    def do(self, steps):
        for step in steps:
            self.do_step(step)

    def do_step(self, step):
        if "send" in step:
            self.socket.sendall(self.named(step["send"]).encode())
        elif "sendBase64" in step:
            self.socket.sendall(base64.b64decode(step["sendBase64"]))
        elif "drip" in step:
            for byte in step["drip"].encode():
                self.socket.sendall(bytes([byte]))
                self.pause(step["every"])
        elif "repeat" in step:
            self.repeat(step["repeat"].encode(), step.get("count"))
        elif "bomb" in step:
            self.bomb(step["bomb"])
        elif "pause" in step:
            self.pause(step["pause"])
        elif "waitFor" in step:
            while not os.path.exists(step["waitFor"]):
                self.pause(0.01)
        elif "stall" in step:
            while self.socket.recv(65536):
                pass
            raise Gone
        elif "close" in step:
            self.close(step["close"])
        elif "tunnel" in step:
            self.tunnel(step["tunnel"])
        else:
            raise SystemExit(f"unknown step {step}")

    def named(self, text):
        """Fills in the ports, which are known only when all listeners are ready."""
        for number, port in enumerate(self.ports):
            text = text.replace("{port:%d}" % number, str(port))
        return text.replace("{port}", str(self.listener.port))

    def pause(self, seconds):
        """Pauses. Without TLS, raises Gone if the client disconnects."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            readable, _, _ = select.select([self.socket], [], [], rest)
            if readable and not isinstance(self.socket, ssl.SSLSocket):
                if not self.socket.recv(1, socket.MSG_PEEK):
                    raise Gone
                time.sleep(max(0, end - time.monotonic()))
            elif readable:
                time.sleep(max(0, end - time.monotonic()))

    def repeat(self, piece, count):
        if count is not None:
            self.socket.sendall(piece * count)
            return
        while True:
            self.socket.sendall(piece * max(1, 65536 // len(piece)))

    def bomb(self, encodings):
        makers = [zlib.compressobj(9, zlib.DEFLATED, 31 if name == "gzip" else 15) for name in encodings]
        while True:
            piece = bytes(1 << 20)
            for maker in makers:
                piece = maker.compress(piece) + maker.flush(zlib.Z_SYNC_FLUSH)
            self.socket.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))

    def close(self, manner):
        # Close the plain socket, because closing the TLS socket could send close_notify.
        plain = socket.socket(fileno=self.socket.detach())
        with plain:
            if manner == "reset":
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raise Gone
            plain.shutdown(socket.SHUT_WR)
            # Read the rest first: closing with unread bytes sends an RST.
            plain.settimeout(1)
            while plain.recv(65536):
                pass
        raise Gone

    def tunnel(self, port):
        port = self.ports[port] if port < 16 else port
        with socket.create_connection(("127.0.0.1", port)) as other:
            if self.unread:
                other.sendall(self.unread)
            while True:
                for readable in select.select([self.socket, other], [], [])[0]:
                    piece = readable.recv(65536)
                    if not piece:
                        raise Gone
                    (other if readable is self.socket else self.socket).sendall(piece)


def context(settings):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(settings["certificate"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "newest" in settings:
            made.minimum_version = VERSIONS[settings.get("oldest", "1.0")]
            made.maximum_version = VERSIONS[settings["newest"]]
            # Signatures of old TLS versions are forbidden at OpenSSL's default security level.
            made.set_ciphers("ALL:@SECLEVEL=0")
    if settings.get("wantsCertificate"):
        made.verify_mode = ssl.CERT_REQUIRED
    if settings.get("noEncryption"):
        made.maximum_version = ssl.TLSVersion.TLSv1_2
        made.set_ciphers("eNULL:@SECLEVEL=0")
    return made


def main():
    scenario = json.loads(sys.stdin.readline())
    record = Record(sys.argv[1])
    listeners = [Listener(number, settings, record) for number, settings in enumerate(scenario["listeners"])]
    ports = [listener.port for listener in listeners]
    for listener in listeners:
        threading.Thread(target=listener.serve, args=(ports,), daemon=True).start()
    print(json.dumps({"ports": ports}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)


main()
