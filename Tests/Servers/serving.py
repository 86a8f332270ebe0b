"""Serves the fakes of external services."""

import base64
import json
import os
import threading
import time
from http.server import ThreadingHTTPServer


def part(value):
    """A part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def opened(text):
    """The value of a part of a JWT."""
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def serve(handler):
    """Listens on a free loopback port, prints {"port": N}, and exits with the parent."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
