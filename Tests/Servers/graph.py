#!/usr/bin/env python3
"""What account servers ask of Facebook's Graph, answered for a few made-up people.

    graph.py

Listens on a free port of the loopback, prints {"port": N}, and ends when its parent does. A path may begin with a
version, as /v19.0/me. Tokens of users:

tok-ann, tok-bob, tok-cat      of people with e-mail addresses, ids 1001 to 1003
tok-dan                        of another one, id 1007
tok-noemail                    Facebook has no address of this one
tok-taken                      the address is local@example.com
tok-otherapp                   was given to another app
tok-bad, tok-expired           Facebook's own refusals; and so is any other token
tok-500, tok-html, tok-drop    Facebook is out of order: an error, a page, no answer at all
"""

import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from re import sub
from urllib.parse import parse_qs, urlsplit

APP = "1000"


def person(number, first, last, email=None):
    known = {"id": str(number), "name": f"{first} {last}", "first_name": first, "last_name": last}
    return {**known, "email": email} if email else known


PEOPLE = {
    "tok-ann": person(1001, "Ann", "Face", "ann.face@example.com"),
    "tok-bob": person(1002, "Bob", "Face", "bob.face@example.com"),
    "tok-cat": person(1003, "Cat", "Face", "cat.face@example.com"),
    "tok-dan": person(1007, "Dan", "Face", "dan.face@example.com"),
    "tok-noemail": person(1004, "Dora", "Face"),
    "tok-taken": person(1005, "Eve", "Face", "local@example.com"),
    "tok-otherapp": person(1006, "Finn", "Face", "finn.face@example.com"),
}


def refusal(message, code=190, **more):
    error = {"message": message, "type": "OAuthException", "code": code, **more, "fbtrace_id": "AbCdEfGhIjK"}
    return {"error": error}


def me(query):
    token = query.get("access_token")
    if token == "tok-500":
        return 500, refusal("An unexpected error has occurred. Please retry your request later.", 2)
    if token == "tok-html":
        return 200, "<!DOCTYPE html><html><body>Sorry, something went wrong.</body></html>"
    if token == "tok-expired":
        return 400, refusal(
            "Error validating access token: Session has expired on Monday, 02-Nov-26 10:00:00 PST.", error_subcode=463)
    if token not in PEOPLE:
        return 400, refusal("Invalid OAuth access token - Cannot parse access token")
    return 200, PEOPLE[token]


def app_token(query):
    return 200, {"access_token": f"{query.get('client_id')}|app", "token_type": "bearer"}


def debug_token(query):
    token = query.get("input_token")
    if token not in PEOPLE:
        return 200, {"data": {"is_valid": False, "error": {"code": 190, "message": "Invalid OAuth access token."}}}
    app = "2000" if token == "tok-otherapp" else APP
    return 200, {"data": {"app_id": app, "type": "USER", "is_valid": True, "user_id": PEOPLE[token]["id"]}}


ROUTES = {"/me": me, "/oauth/access_token": app_token, "/debug_token": debug_token}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        target = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(target.query).items()}
        if "tok-drop" in query.values():
            self.close_connection = True
            return
        route = ROUTES.get(sub(r"^/v\d+\.\d+", "", target.path))
        status, body = route(query) if route else (404, refusal("Unknown path components", 2500))
        is_page = isinstance(body, str)
        content = (body if is_page else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if is_page else "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)


main()
