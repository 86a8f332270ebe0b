"""Serves the fakes of external services."""

import json
import os
import threading
import time
from http.server import ThreadingHTTPServer


def serve(handler):
    """Listens on a free loopback port, prints {"port": N}, and exits with the parent."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
