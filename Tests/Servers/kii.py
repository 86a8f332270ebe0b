#!/usr/bin/env python3
"""A fake of Kii Cloud, made from its documentation, because no Kii server can be run.

    kii.py RECORD [OPTION]...

Listens on a free loopback port, prints {"port": N}, and exits with its parent. It serves one application, `app1`, at
/api/apps/app1. Options configure the application:

refresh            logins also return a refresh token, valid once
one-call=415       a signup cannot create a session: such requests are rejected
one-call=none      such requests are accepted, but create only the account
verify             addresses must be verified before they can be used to log in
expires=N          the lifetime of tokens; responses contain N as it is, of any size

Facebook users log in with the tokens of graph_people.py. Routes below /test read or change internal state:

GET  /test/code?name=ada           the code in the newest e-mail; `none` without one
GET  /test/live?name=ada           the numbers of valid access and refresh tokens of the user: `1 1`
POST /test/disable?name=ada        disables the user as an administrator would, and revokes all tokens
POST /test/run-out?name=ada        the user's access tokens expire

All other requests are appended to the file RECORD before the response: `POST users 201`, with the path below the
application.
"""

import base64
import json
import os
import re
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlsplit

# Python runs in isolated mode (-I), which ignores PYTHONDONTWRITEBYTECODE. Keep .pyc files out of the source tree.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import graph_people
from kii_accounts import Application, Fault, Refused, TokenFault, User
from serving import serve

APP = "app1"
BASE = f"/api/apps/{APP}/"


class Request:
    def __init__(self, application, method, target, headers, body):
        parts = urlsplit(target)
        self.application = application
        self.method = method
        self.path = parts.path
        self.query = {name: values[0] for name, values in parse_qs(parts.query).items()}
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
        """Every route accepts plain JSON."""
        if self.type != "application/json" and self.type not in [f"application/vnd.kii.{n}Request+json" for n in names]:
            raise Refused(415)

    def require_nobody(self):
        """Requires the application id and any key."""
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
        return self.application.owner(self.credentials)


# MARK: - Accounts


def register(request):
    application = request.application
    request.require_nobody()
    wants_session = request.type == "application/vnd.kii.RegistrationAndAuthorizationRequest+json"
    request.require_type("Registration", "RegistrationAndAuthorization")
    if wants_session and application.one_call == "415":
        raise Refused(415)
    fields = request.body
    check(fields, application, may_be_pseudo=wants_session)
    user = User(fields)
    application.users.append(user)
    answer = {"userID": user.id}
    if wants_session and application.one_call != "none":
        token, refresh = application.grant(user)
        answer = {**user.read(), "_accessToken": token, **({"_refreshToken": refresh} if refresh else {})}
    return 201, answer, "RegistrationResponse"


def check(fields, application, may_be_pseudo):
    rules = {
        "loginName": r"[A-Za-z0-9._-]{3,64}", "password": r"[ -~]{1,50}", "emailAddress": r"[^@\s]+@[^@\s]+",
        "phoneNumber": r"\+[0-9]{2,15}" if "country" not in fields else r"\+?[0-9]{2,15}",
    }
    for name, rule in rules.items():
        if name in fields and not (isinstance(fields[name], str) and re.fullmatch(rule, fields[name])):
            raise Fault(400, "INVALID_INPUT_DATA", field=name, value="" if name == "password" else fields[name])
    names = [name for name in ("loginName", "emailAddress", "phoneNumber") if name in fields]
    if not names and may_be_pseudo and "password" not in fields:
        return
    if not names:
        raise Fault(400, "NO_ACCOUNT_PROVIDED")
    if "password" not in fields:
        raise Fault(400, "MISSING_DATA", field="password")
    if len(fields["password"]) < 4:
        raise Fault(400, "PASSWORD_TOO_SHORT", minimumLength=4)
    if application.verifies and "loginName" not in names:
        raise Fault(400, "INVALID_INPUT_DATA", field="loginName")
    for name in names:
        # An unverified address does not belong to a user yet.
        others = [user for user in application.users if user.fields.get(name) == fields[name]]
        if application.verifies and name != "loginName":
            others = [user for user in others if user.is_email_verified]
        if others:
            raise Fault(409, "USER_ALREADY_EXISTS", value=fields[name], field=name)


def me(request):
    return 200, request.user.read(), "UserDataRetrievalResponse"


def token(request):
    application = request.application
    request.require_nobody()
    if request.type != "application/json":
        raise Refused(415)
    body = request.body
    if body.get("grant_type") == "refresh_token":
        for user in application.users:
            if body.get("refresh_token") in user.refresh:
                # A refresh revokes the previous pair of tokens.
                application.end_all(user)
                return 200, application.token_answer(user), None
        raise Fault(403, "WRONG_REFRESH_TOKEN")
    if body.get("grant_type") != "password":
        raise TokenFault("unsupported_grant_type", "The grant type is not supported")
    user = application.find(body.get("username", ""), is_login=True)
    if user is None or user.password is None or user.password != body.get("password"):
        raise TokenFault("invalid_grant", f"The user was not found or a wrong password was provided")
    if user.is_disabled:
        raise Fault(401, "USER_DISABLED", userID=user.id)
    return 200, application.token_answer(user), None


def change_password(request):
    user = request.user
    request.require_type("ChangePassword")
    body = request.body
    if user.password is None:
        raise Fault(409, "OPERATION_NOT_ALLOWED")
    if user.password != body.get("oldPassword"):
        raise Fault(401, "WRONG_PASSWORD", userID=user.id)
    if len(body.get("newPassword", "")) < 4:
        raise Fault(400, "PASSWORD_TOO_SHORT", minimumLength=4)
    user.password = body["newPassword"]
    request.application.end_all(user)
    return 204, None, None


def request_reset(request, name):
    request.require_nobody()
    if request.raw:
        request.require_type("ResetPassword")
    user = request.application.find(name)
    if user is None:
        kind, _, address = name.partition(":")
        field = {"EMAIL": "emailAddress", "PHONE": "phoneNumber"}.get(kind, "userID")
        raise Fault(404, "USER_NOT_FOUND", field=field, value=address or name, appID=APP)
    if user.is_disabled:
        raise Fault(401, "USER_DISABLED", UserID=user.id)
    if user.password is None:
        raise Fault(409, "OPERATION_NOT_ALLOWED")
    if request.application.verifies and not user.is_email_verified:
        raise Fault(409, "INVALID_STATUS", appID=APP)
    return 204, None, None


# MARK: - Addresses


def unverified(user):
    if user is None:
        raise Fault(404, "USER_NOT_FOUND", field="emailAddress", appID=APP)
    if "emailAddress" not in user.fields:
        raise Fault(404, "USER_ADDRESS_NOT_FOUND")
    if user.is_email_verified:
        raise Fault(400, "INVALID_ACCOUNT_STATUS", userID=user.id, accountType="EMAIL")
    return user


def resend(request, name):
    if name == "me":
        user = request.user
    else:
        request.require_nobody()
        user = request.application.find(name)
    request.application.send_mail(unverified(user))
    return 204, None, None


def verify(request):
    request.require_type("AddressVerification")
    user = unverified(request.user)
    if not user.code or request.body.get("verificationCode") != user.code:
        raise Fault(403, "INVALID_VERIFICATION_CODE", userID=user.id, verificationCode=request.body["verificationCode"])
    user.is_email_verified = True
    return 200, {"verificationStatus": "VERIFIED"}, "AddressVerificationResponse"


# MARK: - Facebook


def person(request):
    """The Facebook user of the token in the body. The token must belong to the application's own Facebook app."""
    try:
        name = graph_people.owner(request.body.get("accessToken"))
        if name == "tok-otherapp" or "id" not in graph_people.PEOPLE[name]:
            raise graph_people.Refusal(190, "another app")
    except graph_people.Refusal as refusal:
        raise TokenFault("invalid_grant", "Facebook does not know the token") from refusal
    return graph_people.PEOPLE[name]


def facebook_log_in(request):
    application = request.application
    request.require_nobody()
    request.require_type("AuthTokenFacebook")
    known = person(request)
    user = next((user for user in application.users if user.facebook == str(known["id"])), None)
    is_new = user is None
    if is_new:
        user = User({"loginName": f"u.{uuid.uuid4()}", "displayName": known["name"]})
        user.facebook = str(known["id"])
        application.users.append(user)
    if user.is_disabled:
        raise Fault(401, "USER_DISABLED", userID=user.id)
    return 200, application.token_answer(user, new_user_created=is_new), None


def link(request):
    user = request.user
    request.require_type("LinkFacebook")
    number = str(person(request)["id"])
    if user.facebook:
        raise Fault(409, "FACEBOOK_USER_ALREADY_LINKED")
    if any(other.facebook == number for other in request.application.users):
        raise Fault(409, "USER_ALREADY_LINKED")
    user.facebook = number
    return 204, None, None


def unlink(request):
    user = request.user
    if not user.facebook:
        raise Fault(409, "USER_NOT_LINKED", userID=user.id)
    user.facebook = None
    return 204, None, None


ROUTES = {
    ("POST", "users"): register, ("GET", "users/me"): me, ("POST", "oauth2/token"): token,
    ("PUT", "users/me/password"): change_password, ("POST", "users/me/email-address/verify"): verify,
    ("POST", "integration/facebook"): facebook_log_in, ("POST", "users/me/facebook/link"): link,
    ("POST", "users/me/facebook/unlink"): unlink,
}
NAMED_ROUTES = [
    (r"users/([^/]+)/password/request-reset", request_reset),
    (r"users/([^/]+)/email-address/resend-verification", resend),
]


def answer(request):
    """Returns status, body and the name in Kii's content type."""
    if not request.path.startswith(BASE):
        raise Fault(404, "APP_NOT_FOUND") if request.path.startswith("/api/apps/") else Refused(404)
    path = request.path.removeprefix(BASE)
    route = ROUTES.get((request.method, path))
    if route:
        return route(request)
    for pattern, named in NAMED_ROUTES:
        match = re.fullmatch(pattern, path)
        if match and request.method == "POST":
            return named(request, unquote(match[1]))
    raise Refused(404)


def test_answer(request):
    application = request.application
    name = request.query["name"]
    user = next(user for user in application.users if name in (user.fields.get("loginName"), user.id))
    word = request.path.removeprefix("/test/")
    if word == "code":
        return user.code or "none"
    if word == "live":
        return f"{sum(end > time.time() for end in user.access.values())} {len(user.refresh)}"
    if word == "disable":
        user.is_disabled = True
        application.end_all(user)
    if word == "run-out":
        user.access.clear()
    return "ok"


class Handler(BaseHTTPRequestHandler):
    application = None
    record = None
    lock = threading.Lock()

    def answer(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = Request(self.application, self.command, self.path, self.headers, raw)
        if request.path.startswith("/test/"):
            with self.lock:
                self.send(200, test_answer(request).encode(), "text/plain")
            return
        with self.lock:
            try:
                status, body, name = answer(request)
                kind = f"application/vnd.kii.{name}+json" if name else "application/json"
            except Fault as fault:
                status, body, kind = fault.status, fault.body, fault.type
            except Refused as refused:
                status, body, kind = refused.status, None, None
            self.record.write(f"{self.command} {unquote(request.path.removeprefix(BASE))} {status}\n")
            self.record.flush()
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


def main(record, *words):
    Handler.application = Application(words)
    Handler.record = open(record, "a", encoding="utf-8")
    serve(Handler)


main(*sys.argv[1:])
