#!/usr/bin/env python3
"""A fake of a Parse Server with a master key, made from the recorded exchanges in Tests/Exchanges/parse.

Listens on a free loopback port, prints {"port": N}, and exits with its parent. The application is `app1` at /parse, and
the master key `m4ster`; there are no client keys. Addresses are to be verified, but no login requires it. The class
`_Role` has the role `staff`. It has signup, login, and what an administrator needs to list and change users and roles.
"""

import json
import os
import re
import secrets
import string
import sys
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import serve

APP, MASTER = "app1", "m4ster"
# The rows of each class by id. A relation is a set of ids.
USERS, ROLES, SESSIONS = {}, {}, {}
LOCK = threading.RLock()


class Fault(Exception):
    """An error; without a code, one of the server's own 403."""

    def __init__(self, code, text, status=400):
        self.status, self.body = status, {"code": code, "error": text} if code else {"error": text}


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def stored(table, row):
    letters = string.ascii_letters + string.digits
    id = "".join(secrets.choice(letters) for _ in range(10))
    table[id] = {"objectId": id, "createdAt": now(), "updatedAt": now(), **row}
    return table[id]


stored(ROLES, {"name": "staff", "users": set()})


def pointed(value, name="_User"):
    """The id of a pointer; `None` for another value."""
    isPointer = isinstance(value, dict) and value.get("__type") == "Pointer" and value.get("className") == name
    return value["objectId"] if isPointer else None


def fits(row, conditions):
    for name, value in conditions.items():
        if name == "$or":
            found = any(fits(row, condition) for condition in value)
        elif name == "$relatedTo":
            role = ROLES.get(pointed(value["object"], "_Role"), {})
            found = row["objectId"] in role.get(value["key"], ())
        elif isinstance(row.get(name), set):
            found = pointed(value) in row[name]
        elif isinstance(value, dict) and value.keys() <= {"$gt", "$in"}:
            own = row.get(name)
            found = own in value.get("$in", [own]) and ("$gt" not in value or own is not None and own > value["$gt"])
        else:
            found = row.get(name) == value
        if not found:
            return False
    return True


def shown(row):
    relation = {"__type": "Relation", "className": "_User"}
    return {
        name: relation if isinstance(value, set) else value for name, value in row.items() if not name.startswith("_")}


def check_names(fields, own=None):
    for name, code, text in (
            ("username", 202, "Account already exists for this username."),
            ("email", 203, "Account already exists for this email address.")):
        value = str(fields.get(name) or "").lower()
        if value and any(str(row.get(name) or "").lower() == value for row in USERS.values() if row is not own):
            raise Fault(code, text)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        url = urlsplit(self.path)
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.query = {name: values[0] for name, values in parse_qs(url.query).items()}
        status = 200
        with LOCK:
            try:
                status, body = self.respond(unquote(url.path), json.loads(text or "{}"))
            except Fault as fault:
                status, body = fault.status, fault.body
            data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = handle_any

    def log_message(self, *_):
        pass

    def respond(self, path, fields):
        key = self.headers.get("X-Parse-Master-Key")
        if self.headers.get("X-Parse-Application-Id") != APP:
            raise Fault(None, "unauthorized", 403)
        # Without client keys, a wrong master key is like none.
        self.isMaster = key == MASTER
        match = re.fullmatch(r"/parse/(\w+)(?:/([^/]+))?", path)
        words = (self.command, match[1], match[2] is not None) if match else None
        if words == ("GET", "schemas", False):
            self.require_master()
            return 200, {"results": [{"className": name, "fields": {}} for name in ("_User", "_Role", "_Session")]}
        if words == ("POST", "users", False):
            return self.sign_up(fields)
        if words == ("POST", "login", False):
            return self.log_in(fields)
        if words == ("POST", "logout", False):
            SESSIONS.pop(self.headers.get("X-Parse-Session-Token"), None)
            return 200, {}
        table = {"users": USERS, "roles": ROLES}.get(match[1] if match else "")
        if table is None:
            raise Fault(None, "unauthorized", 403)
        if words[1:] == ("users", True) and match[2] == "me":
            user = SESSIONS.get(self.headers.get("X-Parse-Session-Token"))
            if user is None:
                raise Fault(209, "Invalid session token")
            return 200, shown(user)
        self.require_master()
        if not words[2]:
            return self.list(table)
        row = table.get(match[2])
        if row is None:
            raise Fault(101, "Object not found.", 404)
        if self.command == "GET":
            return 200, shown(row)
        if self.command == "DELETE":
            del table[match[2]]
            return 200, {}
        return self.change(row, fields)

    def require_master(self):
        if not self.isMaster:
            raise Fault(None, "unauthorized: master key is required", 403)

    def list(self, table):
        rows = [row for row in table.values() if fits(row, json.loads(self.query.get("where", "{}")))]
        order = self.query.get("order", "createdAt")
        rows.sort(key=lambda row: row[order.lstrip("-")], reverse=order.startswith("-"))
        start = int(self.query.get("skip", 0))
        count = {"count": len(rows)} if self.query.get("count") == "1" else {}
        return 200, {"results": [shown(row) for row in rows[start:start + int(self.query.get("limit", 100))]], **count}

    def sign_up(self, fields):
        for name in ("objectId", "createdAt", "updatedAt"):
            if name in fields:
                raise Fault(105, f"{name} is an invalid field name.")
        if "emailVerified" in fields and not self.isMaster:
            raise Fault(119, "Clients aren't allowed to manually update email verification.")
        identity = fields.get("authData")
        known = next((row for row in USERS.values() if identity and row.get("authData") == identity), None)
        if known:
            return 200, {**shown(known), "sessionToken": self.session(known)}
        if not fields.get("username") and not identity:
            raise Fault(200, "bad or missing username")
        if not fields.get("password") and not identity:
            raise Fault(201, "password is required")
        check_names(fields)
        # A name that is not one of Parse is dropped.
        fields = {name: value for name, value in fields.items() if re.fullmatch(r"[A-Za-z]\w*", name)}
        password = fields.pop("password", None)
        if fields.get("email"):
            fields["emailVerified"] = False
        user = stored(USERS, {"username": secrets.token_hex(12), **fields, "_password": password})
        token = self.session(user)
        return 201, {"objectId": user["objectId"], "createdAt": user["createdAt"], "sessionToken": token}

    def session(self, user):
        token = "r:" + secrets.token_hex(16)
        SESSIONS[token] = user
        return token

    def log_in(self, fields):
        name = str(fields.get("username"))
        user = next((row for row in USERS.values() if name in (row.get("username"), row.get("email"))), None)
        if user is None or user["_password"] is None or user["_password"] != fields.get("password"):
            raise Fault(101, "Invalid username/password.", 404)
        return 200, {**shown(user), "sessionToken": self.session(user)}

    def change(self, row, fields):
        check_names(fields, row)
        for name, value in fields.items():
            operation = value.get("__op") if isinstance(value, dict) else None
            if operation in ("AddRelation", "RemoveRelation"):
                ids = {pointed(object) for object in value["objects"]}
                row[name] = row.get(name, set()) | ids if operation == "AddRelation" else row.get(name, set()) - ids
            elif operation == "Delete":
                row.pop(name, None)
            elif name == "password":
                row["_password"] = value
                for token in [token for token, user in SESSIONS.items() if user is row]:
                    del SESSIONS[token]
            else:
                row[name] = value
        if "email" in fields and "emailVerified" not in fields:
            row["emailVerified"] = False
        row["updatedAt"] = now()
        return 200, {"updatedAt": row["updatedAt"]}


serve(Handler)
