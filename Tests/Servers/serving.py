"""How a fake for somebody else's server is served to the tests."""

import json
import os
import threading
import time
from http.server import ThreadingHTTPServer


def serve(handler):
    """Listens on a free port of the loopback, prints {"port": N}, and ends when the parent does."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)
