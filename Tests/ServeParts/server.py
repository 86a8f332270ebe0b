"""A running `authctl serve`, and its clients."""

import http.client
import json
import os
import subprocess
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
HEADERS = {"X-Parse-Application-Id": "local", "Content-Type": "application/json"}


def built(binary):
    """The path of the program: the one given, or a new release build."""
    if binary:
        return Path(binary).resolve()
    subprocess.run(["swift", "build", "-c", "release", "--product", "authctl"], cwd=ROOT, check=True)
    return ROOT / ".build/release/authctl"


class Server:
    def __init__(self, binary, folder, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AUTHCTL_")}
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--json", "--database", f"{folder}/accounts.db", *words],
            stdout=subprocess.PIPE, env=environment | {"HOME": str(folder)})
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: exit code {self.process.wait()}")
        self.url = urllib.parse.urlsplit(json.loads(line)["url"])

    def end(self, signal):
        self.process.send_signal(signal)
        return self.process.wait()


class Client:
    """One connection that stays open. A request fails with `OSError` or `HTTPException` if the server is gone."""

    def __init__(self, server, headers={}):
        """Every request has these headers."""
        self.base, self.headers = server.url.path, HEADERS | headers
        self.connection = http.client.HTTPConnection(server.url.hostname, server.url.port, timeout=30)

    def send(self, method, path, body=None, token=None, headers={}):
        """The status, the headers and the text of the response."""
        headers = self.headers | ({"X-Parse-Session-Token": token} if token else {}) | headers
        self.connection.request(method, self.base + path, None if body is None else json.dumps(body), headers)
        response = self.connection.getresponse()
        return response.status, response.getheaders(), response.read()

    def close(self):
        self.connection.close()
