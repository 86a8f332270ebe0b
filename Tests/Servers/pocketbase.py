#!/usr/bin/env python3
"""Runs a PocketBase server with collections for the tests, an SMTP server and an OpenID Connect provider.

    pocketbase.py PROGRAM FOLDER

Listens on free loopback ports, prints {"port": N}, and exits with its parent. FOLDER gets the database, and the e-mails
in FOLDER/mails. A code of the provider `oidc` is the base64url of the user's claims as JSON.
"""

import base64
import json
import os
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

ROOT = {"identity": "root@example.org", "password": "correct horse battery"}
OWN = "id = @request.auth.id"
OWNER = "owner = @request.auth.id"
STOCK = {"listRule": OWN, "viewRule": OWN, "createRule": "", "updateRule": OWN, "deleteRule": OWN}


class Mails(socketserver.StreamRequestHandler):
    """Accepts every e-mail and saves it as FOLDER/mails/N.eml."""

    count = 0

    def say(self, line):
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self):
        self.say("220 test")
        while line := self.rfile.readline():
            word = line[:4].upper()
            if word == b"DATA":
                self.say("354 go on")
                self.save()
            elif word == b"QUIT":
                self.say("221 bye")
                return
            self.say("250 ok")

    def save(self):
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b".") else line)
        Mails.count += 1
        path = f"{sys.argv[2]}/mails/{Mails.count:04}.eml"
        with open(f"{path}.part", "wb") as file:
            file.write(b"".join(lines))
        os.rename(f"{path}.part", path)


class Provider(BaseHTTPRequestHandler):
    """The endpoints of an OpenID Connect provider that the server calls."""

    def do_POST(self):
        code = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())["code"][0]
        known = self.claims(code) is not None
        self.answer(200 if known else 400, {"access_token": code, "token_type": "Bearer"} if known else {})

    def do_GET(self):
        self.answer(200, self.claims(self.headers["Authorization"].split()[1]))

    @staticmethod
    def claims(code):
        try:
            return json.loads(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)))
        except ValueError:
            return None

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


def listen(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def send(method, url, body=None, token=""):
    headers = {"Content-Type": "application/json", "Authorization": token}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as response:
        return json.load(response)


def collections(provider):
    """The collections of the tests, by name; `users` exists."""
    oauth2 = {
        "enabled": True,
        "providers": [
            {
                "name": "oidc", "clientId": "app", "clientSecret": "s", "authURL": f"{provider}/auth",
                "tokenURL": f"{provider}/token", "userInfoURL": f"{provider}/user", "displayName": "Test",
            }
        ],
    }
    text = {"type": "text", "name": "username", "pattern": "^[a-z0-9_]+$", "min": 3, "max": 20}
    return {
        "users": {"oauth2": oauth2},
        "members": {
            "fields": [text, {"type": "text", "name": "city", "required": True}, {"type": "number", "name": "age"},
                       {"type": "date", "name": "born"}],
            "indexes": ["CREATE UNIQUE INDEX idx_members_username ON members (username)"],
            "passwordAuth": {"enabled": True, "identityFields": ["email", "username"]},
        },
        "names": {
            "fields": [{"type": "text", "name": "username"}],
            "indexes": ["CREATE UNIQUE INDEX idx_names_username ON names (username)"],
            "passwordAuth": {"enabled": True, "identityFields": ["email", "username"]},
        },
        "strict": {"authRule": "verified = true"},
        "closed": {"createRule": None},
        "nopass": {"passwordAuth": {"enabled": False, "identityFields": ["email"]}, "oauth2": oauth2},
        "codes": {"otp": {"enabled": True, "length": 6, "duration": 180}, "mfa": {"enabled": True, "duration": 600}},
        "brief": {"authToken": {"duration": 10}},
        "bycode": {"otp": {"enabled": True, "length": 6, "duration": 180}},
        "staff": {"fields": [{"type": "text", "name": "role"}]},
    }


def prepare(url, ports):
    token = send("POST", f"{url}/api/collections/_superusers/auth-with-password", ROOT)["token"]
    smtp = {"enabled": True, "host": "127.0.0.1", "port": ports["mails"]}
    meta = {"appName": "Test", "appURL": url, "senderName": "Test", "senderAddress": "test@example.org"}
    send("PATCH", f"{url}/api/settings", {"smtp": smtp, "meta": meta}, token)
    for name, values in collections(f"http://127.0.0.1:{ports['provider']}").items():
        body = {"authAlert": {"enabled": False}, **values}
        if name == "users":
            send("PATCH", f"{url}/api/collections/users", body, token)
        else:
            send("POST", f"{url}/api/collections", {"name": name, "type": "auth", **STOCK, **body}, token)
    rules = {name: OWNER for name in ("listRule", "viewRule", "updateRule", "deleteRule")}
    rules["createRule"] = "@request.body.owner = @request.auth.id && @request.auth.id != ''"
    fields = [{"type": "text", "name": "owner"}, {"type": "text", "name": "text"}]
    send("POST", f"{url}/api/collections", {"name": "notes", "type": "base", "fields": fields, **rules}, token)
    # One rule was left open.
    open_rules = {**rules, "viewRule": ""}
    send("POST", f"{url}/api/collections", {"name": "letters", "type": "base", "fields": fields, **open_rules}, token)
    send("POST", f"{url}/api/collections", {"name": "secrets", "type": "base", "fields": fields}, token)
    reports = {"name": "reports", "type": "base", "fields": fields, "listRule": "@request.auth.role = 'admin'"}
    send("POST", f"{url}/api/collections", reports, token)
    send("POST", f"{url}/api/collections/reports/records", {"text": "x"}, token)


def main():
    program, folder = sys.argv[1:]
    # Ends the server, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    os.makedirs(f"{folder}/mails")
    ports = {
        "mails": listen(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mails)),
        "provider": listen(ThreadingHTTPServer(("127.0.0.1", 0), Provider)),
    }
    folders = ["--dir", f"{folder}/data", "--migrationsDir", f"{folder}/migrations"]
    quiet = {"stdout": sys.stderr, "stderr": sys.stderr}
    subprocess.run([program, "superuser", "upsert", *ROOT.values(), *folders], check=True, **quiet)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    more = ["--hooksDir", f"{folder}/hooks", "--publicDir", f"{folder}/public"]
    server = subprocess.Popen([program, "serve", "--http", f"127.0.0.1:{port}", *folders, *more], **quiet)
    try:
        url = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                send("GET", f"{url}/api/health")
                break
            except urllib.error.URLError:
                time.sleep(0.05)
        prepare(url, ports)
        print(json.dumps({"port": port}), flush=True)
        parent = os.getppid()
        while os.getppid() == parent:
            time.sleep(0.5)
    finally:
        server.kill()


main()
