#!/usr/bin/env python3
"""A fake of Kii Cloud, made from its documentation, because no Kii server can be run.

Listens on a free loopback port, prints {"port": N}, and exits with its parent. It serves one application, `app1`, at
/api/apps/app1: signup, login, the current user, and a change of the password.
"""

import base64
import json
import os
import secrets
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

# Python runs in isolated mode (-I), which ignores PYTHONDONTWRITEBYTECODE. Keep .pyc files out of the source tree.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import serve

APP = "app1"
BASE = f"/api/apps/{APP}/"
USERS = []


class Fault(Exception):
    """An error in Kii's usual format."""

    def __init__(self, status, code, **more):
        super().__init__(code)
        self.status = status
        self.body = {"errorCode": code, "message": f"The server says {code}", **more, "suppressed": []}
        name = "".join(word.capitalize() for word in code.split("_"))
        self.type = f"application/vnd.kii.{name}Exception+json"


class TokenFault(Fault):
    """An error in the OAuth format, which has no message."""

    def __init__(self, code, words):
        super().__init__(400, code)
        self.body = {"errorCode": code, "error": code, "error_description": words}
        self.type = "application/json"


class Refused(Exception):
    """The resource does not support the request. The response has no body."""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


class User:
    def __init__(self, fields):
        self.id = str(uuid.uuid4())
        self.password = fields.pop("password")
        self.fields = fields
        self.tokens = set()

    def read(self):
        verified = {"emailAddressVerified": False} if "emailAddress" in self.fields else {}
        own = {"_hasPassword": True, "_disabled": False}
        return {"userID": self.id, "internalUserID": 148478248144076800, **self.fields, **verified, **own}

    def grant(self):
        token = secrets.token_hex(20)
        self.tokens.add(token)
        return token


class Request:
    def __init__(self, method, target, headers, body):
        self.method = method
        self.path = urlsplit(target).path
        self.type = headers.get("Content-Type")
        self.scheme, _, self.credentials = headers.get("Authorization", "").partition(" ")
        self.raw = body

    @property
    def body(self):
        try:
            value = json.loads(self.raw)
        except ValueError:
            raise Fault(400, "INVALID_JSON") from None
        if not isinstance(value, dict):
            raise Fault(400, "INVALID_INPUT_DATA")
        return value

    def require_type(self, *names):
        """Requires plain JSON, which every route accepts, or one of the Kii request types in `names`."""
        if self.type != "application/json" and self.type not in [f"application/vnd.kii.{n}Request+json" for n in names]:
            raise Refused(415)

    def require_nobody(self):
        """Requires Basic authentication with the application id and any key, not a user."""
        try:
            name, _, key = base64.b64decode(self.credentials, validate=True).decode().partition(":")
        except ValueError:
            name = key = ""
        if self.scheme != "Basic" or name != APP or not key:
            raise Fault(401, "UNAUTHORIZED", authenticatedAppID=APP)

    @property
    def user(self):
        if self.scheme != "Bearer":
            raise Fault(401, "UNAUTHORIZED", authenticatedAppID=APP)
        for user in USERS:
            if self.credentials in user.tokens:
                return user
        raise Fault(403, "WRONG_TOKEN")


def register(request):
    request.require_nobody()
    request.require_type("Registration", "RegistrationAndAuthorization")
    fields = request.body
    for name in ("loginName", "emailAddress"):
        if any(user.fields.get(name) == fields.get(name, "") for user in USERS):
            raise Fault(409, "USER_ALREADY_EXISTS", value=fields[name], field=name)
    user = User(fields)
    USERS.append(user)
    if request.type != "application/vnd.kii.RegistrationAndAuthorizationRequest+json":
        return 201, {"userID": user.id}, "RegistrationResponse"
    return 201, {**user.read(), "_accessToken": user.grant()}, "RegistrationResponse"


def me(request):
    return 200, request.user.read(), "UserDataRetrievalResponse"


def token(request):
    request.require_nobody()
    request.require_type()
    body = request.body
    if body.get("grant_type") != "password":
        raise TokenFault("unsupported_grant_type", "The grant type is not supported")
    name = body.get("username", "")
    for user in USERS:
        names = [user.fields.get("loginName"), f"EMAIL:{user.fields.get('emailAddress')}"]
        if name in names and user.password == body.get("password"):
            answer = {"id": user.id, "access_token": user.grant(), "expires_in": 2147483647, "token_type": "bearer"}
            return 200, answer, None
    raise TokenFault("invalid_grant", "The user was not found or a wrong password was provided")


def change_password(request):
    user = request.user
    request.require_type("ChangePassword")
    body = request.body
    if user.password != body.get("oldPassword"):
        raise Fault(401, "WRONG_PASSWORD", userID=user.id)
    user.password = body["newPassword"]
    user.tokens.clear()
    return 204, None, None


ROUTES = {
    ("POST", "users"): register, ("GET", "users/me"): me, ("POST", "oauth2/token"): token,
    ("PUT", "users/me/password"): change_password,
}


def answer(request):
    """Returns status, body and the name in Kii's content type."""
    if not request.path.startswith(BASE):
        raise Fault(404, "APP_NOT_FOUND") if request.path.startswith("/api/apps/") else Refused(404)
    route = ROUTES.get((request.method, request.path.removeprefix(BASE)))
    if route:
        return route(request)
    raise Refused(404)


class Handler(BaseHTTPRequestHandler):
    lock = threading.Lock()

    def answer(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.lock:
            try:
                status, body, name = answer(Request(self.command, self.path, self.headers, raw))
                kind = f"application/vnd.kii.{name}+json" if name else "application/json"
            except Fault as fault:
                status, body, kind = fault.status, fault.body, fault.type
            except Refused as refused:
                status, body, kind = refused.status, None, None
        self.send(status, b"" if body is None else json.dumps(body).encode(), kind if body is not None else None)

    def send(self, status, content, kind):
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


serve(Handler)
