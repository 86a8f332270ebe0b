#!/usr/bin/env python3
"""A fake of the parts of Facebook's Graph that authctl and account servers use, with a few made-up users.

The server also fakes Google's userinfo, and an OpenID Connect issuer at /issuer, for the same users.

    graph.py [RECORD]

Listens on a free loopback port, prints {"port": N}, and exits with its parent. A path may begin with a version, such as
/v19.0/me. The token in a request selects the response, so tests need no setup:

tokens of users     graph_people.py
client tokens       graph_devices.py: the course of a device login
ID tokens           limited_login.py

Each request is appended to the file RECORD before its response, as a line of JSON:

method, path    without the query
status          of the response
seconds         since the start
secretInURL     whether the path or the query contains a token, a code or a proof
agent           the User-Agent header; null without one
"""

import json
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, unquote, urlsplit

# Python runs in isolated mode (-I), which ignores PYTHONDONTWRITEBYTECODE. Keep .pyc files out of the source tree.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import graph_devices
import graph_people
import limited_login
from graph_people import Refusal
from serving import serve

ROUTES = {
    ("POST", "/device/login"): graph_devices.login,
    ("POST", "/device/login_status"): graph_devices.login_status,
    ("GET", "/me"): graph_people.me,
    ("GET", "/app"): graph_people.app,
    ("DELETE", "/me/permissions"): graph_people.revoke,
    ("GET", "/oauth/access_token"): graph_people.access_token,
    ("GET", "/debug_token"): graph_people.debug_token,
    ("GET", limited_login.CONFIGURATION_PATH): limited_login.configuration,
    ("GET", limited_login.KEYS_PATH): limited_login.keys,
    ("GET", limited_login.OTHER_CONFIGURATION_PATH): limited_login.other_configuration,
    ("GET", "/oauth2/v2/userinfo"): graph_people.google_user,
}

SECRETS = {
    "access_token", "input_token", "fb_exchange_token", "id_token", "appsecret_proof", "client_secret", "code",
    "code_verifier",
}


class Request:
    """A parsed request: query, form, and the token from the header, the form or the query."""

    def __init__(self, method, target, fields, body):
        parts = urlsplit(target)
        self.method = method
        self.path = parts.path
        self.origin = f"http://{fields.get('Host')}"
        self.query = dict(parse_qsl(parts.query, keep_blank_values=True))
        is_form = fields.get("Content-Type", "").startswith("application/x-www-form-urlencoded")
        self.form = dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True)) if is_form else {}
        scheme, _, bearer = fields.get("Authorization", "").partition(" ")
        self.token = bearer.strip() if scheme == "Bearer" else self.value("access_token")
        self.agent = fields.get("User-Agent")
        text = unquote(target)
        self.has_secret_in_url = bool(SECRETS & set(self.query)) or bool(re.search(r"tok-|secret-|client-|\|", text))

    def value(self, name):
        return self.form.get(name) or self.query.get(name)


def answer(request):
    """Returns status and body of the response."""
    try:
        path = re.sub(r"^/v\d+\.\d+(?=/)", "", request.path)
        route = ROUTES.get((request.method, path))
        if route:
            return 200, route(request)
        if any(path == known for _, known in ROUTES):
            raise Refusal(100, f"Unsupported {request.method.lower()} request.", subcode=33)
        raise Refusal(2500, f"Unknown path components: {path}", status=404)
    except Refusal as refusal:
        return refusal.status, refusal.body


class Record:
    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8") if path else None
        self.start = time.monotonic()
        self.lock = threading.Lock()

    def add(self, request, status, seconds):
        if not self.file:
            return
        line = {
            "method": request.method, "path": request.path, "status": status, "seconds": seconds,
            "secretInURL": request.has_secret_in_url, "agent": request.agent,
        }
        with self.lock:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()


class Handler(BaseHTTPRequestHandler):
    record = None

    def answer(self):
        seconds = round(time.monotonic() - self.record.start, 2)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.command, self.path, self.headers, body)
        status, body = answer(request)
        self.record.add(request, status, seconds)
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


def main(record=None):
    Handler.record = Record(record)
    serve(Handler)


main(*sys.argv[1:])
