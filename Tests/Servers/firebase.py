#!/usr/bin/env python3
"""A fake of Firebase's Auth Emulator, made from the recorded exchanges in Tests/Exchanges/firebase.

Listens on a free loopback port, prints {"port": N}, and exits with its parent. The project is `demo-shop`. Unlike the
emulator, it rejects ID tokens whose life is over, and a login before CONTROL's `oldest` for the deletion of an account. PATCH
/control sets `oldest` to the current time, whatever its value, and returns the controls and the number of refreshes.
Accounts whose address begins with `single` have a TOTP factor with the code 123456.
"""

import base64
import json
import os
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import serve

PROJECT = "demo-shop"
CONTROL = {"oldest": 0, "refreshes": 0}
LIFE = 3600
USERS, CODES, PENDING = [], [], {}
LOCK = threading.RLock()


class Fault(Exception):
    def __init__(self, code, status=400):
        self.status, self.body = status, {"error": {"code": status, "message": code}}


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def claims(token):
    try:
        text = token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (IndexError, ValueError):
        raise Fault("INVALID_ID_TOKEN")


class User:
    def __init__(self, fields):
        self.fields = {"localId": secrets.token_hex(14), "createdAt": str(int(time.time() * 1000))}
        self.password, self.identities, self.since = None, [], 0
        self.change(fields)
        USERS.append(self)

    def change(self, fields):
        for name in ("email", "displayName", "photoUrl"):
            if name in fields:
                self.fields[name] = fields[name].lower() if name == "email" else fields[name]
        if "email" in fields:
            self.fields["emailVerified"] = False
        if "password" in fields:
            if len(fields["password"]) < 6:
                raise Fault("WEAK_PASSWORD : Password should be at least 6 characters")
            self.password = fields["password"]
            self.since += 1
        for name in fields.get("deleteAttribute", []):
            self.fields.pop({"DISPLAY_NAME": "displayName", "PHOTO_URL": "photoUrl"}[name], None)
        self.identities = [row for row in self.identities if row["providerId"] not in fields.get("deleteProvider", [])]

    @property
    def id(self):
        return self.fields["localId"]

    def json(self):
        own = [{"providerId": "password", "rawId": self.fields.get("email")}] if self.password else []
        hidden = {"passwordHash": "fakeHash:" + self.password, "salt": "fakeSalt"} if self.password else {}
        return {**self.fields, **hidden, "providerUserInfo": own + self.identities}

    def tokens(self, login=None):
        now = time.time()
        body = {
            "iss": f"https://securetoken.google.com/{PROJECT}", "aud": PROJECT, "sub": self.id, "iat": int(now),
            "exp": int(now + LIFE), "auth_time": login or now, "since": self.since, "n": secrets.token_hex(4),
        }
        refresh = part({"sub": self.id, "auth_time": login or now, "since": self.since})
        return {
            "idToken": f"{part({'alg': 'none'})}.{part(body)}.", "refreshToken": refresh,
            "expiresIn": str(LIFE),
        }

    def grant(self, **more):
        return {"localId": self.id, "email": self.fields.get("email", ""), **more, **self.tokens()}


def find(**wanted):
    for user in USERS:
        if all(user.fields.get(name) == value for name, value in wanted.items()):
            return user
    return None


def owner(token):
    body = claims(token)
    user = find(localId=body["sub"])
    if not user:
        raise Fault("USER_NOT_FOUND")
    if body["since"] != user.since or body["exp"] <= time.time():
        raise Fault("TOKEN_EXPIRED")
    return user, body


def send_code(kind, email, **more):
    code = secrets.token_hex(12)
    mode = {"VERIFY_EMAIL": "verifyEmail", "PASSWORD_RESET": "resetPassword"}.get(kind, "verifyAndChangeEmail")
    link = f"http://127.0.0.1/emulator/action?mode={mode}&lang=en&oobCode={code}&apiKey=fake-api-key"
    CODES.append({"email": email, "requestType": kind, "oobCode": code, "oobLink": link, **more})


def take(code, kinds):
    for row in CODES:
        if row["oobCode"] == code and row["requestType"] in kinds:
            return row
    raise Fault("INVALID_OOB_CODE")


def sign_up(body):
    if "email" in body and find(email=body["email"].lower()):
        raise Fault("EMAIL_EXISTS")
    return User(body).grant()


def sign_in(body):
    user = find(email=body["email"].lower())
    if not user or user.password != body["password"]:
        raise Fault("INVALID_LOGIN_CREDENTIALS")
    if user.fields["email"].startswith("single"):
        PENDING["p" + user.id] = user
        factor = {"mfaEnrollmentId": "f1", "totpInfo": {}}
        return {"localId": user.id, "mfaPendingCredential": "p" + user.id, "mfaInfo": [factor]}
    return user.grant(registered=True)


def finalize(body):
    user = PENDING.get(body["mfaPendingCredential"])
    if not user or body["totpVerificationInfo"]["verificationCode"] != "123456":
        raise Fault("INVALID_CODE" if user else "INVALID_MFA_PENDING_CREDENTIAL")
    return user.tokens()


def sign_in_with_provider(body):
    form = {name: values[0] for name, values in parse_qs(body["postBody"]).items()}
    proof = claims(form["id_token"]) if "id_token" in form else json.loads(form["access_token"])
    row = {"providerId": form["providerId"], "rawId": proof["sub"]}
    known = next((user for user in USERS if row in user.identities), None)
    if "idToken" in body:
        user, _ = owner(body["idToken"])
        if known:
            raise Fault("FEDERATED_USER_ID_ALREADY_LINKED")
        user.identities = [one for one in user.identities if one["providerId"] != row["providerId"]] + [row]
        return user.grant()
    if known:
        return known.grant()
    if find(email=proof.get("email")):
        return {"needConfirmation": True, "email": proof["email"]}
    user = User({"email": proof["email"]} if "email" in proof else {})
    user.identities.append(row)
    return user.grant(isNewUser=True)


def update(body):
    if "oobCode" in body:
        row = take(body["oobCode"], ["VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL"])
        user = find(email=row["email"])
        user.fields.update(email=row.get("newEmail", row["email"]), emailVerified=True)
        CODES.remove(row)
        return user.json()
    user, _ = owner(body["idToken"])
    user.change(body)
    return {**user.json(), **(user.tokens() if "password" in body else {})}


def delete(body):
    user, own = owner(body["idToken"])
    if own["auth_time"] < CONTROL["oldest"]:
        raise Fault("CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    USERS.remove(user)
    return {}


def send_mail(body):
    kind = body["requestType"]
    if kind == "PASSWORD_RESET":
        if not find(email=body["email"].lower()):
            raise Fault("EMAIL_NOT_FOUND")
        send_code(kind, body["email"].lower())
        return {"email": body["email"]}
    user, _ = owner(body["idToken"])
    send_code(kind, user.fields["email"], **({"newEmail": body["newEmail"]} if "newEmail" in body else {}))
    return {"email": user.fields["email"]}


def reset(body):
    row = take(body["oobCode"], ["PASSWORD_RESET"] if "newPassword" in body else [c["requestType"] for c in CODES])
    if "newPassword" not in body:
        return {"requestType": row["requestType"], "email": row["email"]}
    find(email=row["email"]).change({"password": body["newPassword"]})
    CODES.remove(row)
    return {"requestType": row["requestType"], "email": row["email"]}


def refresh(form):
    text = form["refresh_token"][0]
    try:
        body = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except ValueError:
        raise Fault("INVALID_REFRESH_TOKEN")
    user = find(localId=body["sub"])
    if not user:
        raise Fault("USER_NOT_FOUND")
    # The emulator revives a session that a password change has ended.
    CONTROL["refreshes"] += 1
    new = user.tokens(body["auth_time"])
    return {"id_token": new["idToken"], "refresh_token": new["refreshToken"], "expires_in": new["expiresIn"]}


def custom(body):
    uid = json.loads(body["token"])["uid"]
    user = find(localId=uid) or User({})
    return {**user.tokens(), "isNewUser": False}


VERBS = {
    "signUp": sign_up, "signInWithPassword": sign_in, "signInWithIdp": sign_in_with_provider, "update": update,
    "delete": delete, "sendOobCode": send_mail, "resetPassword": reset, "signInWithCustomToken": custom,
    "lookup": lambda body: {"users": [owner(body["idToken"])[0].json()]},
}


def administrate(verb, query, body):
    if verb == "batchGet":
        rows = sorted(USERS, key=lambda user: user.id)
        after = query.get("nextPageToken", [""])[0]
        page = [user for user in rows if user.id > after][: int(query["maxResults"][0])]
        more = {"nextPageToken": page[-1].id} if page and page[-1] is not rows[-1] else {}
        return {"users": [user.json() for user in page], **more}
    if verb == "lookup":
        user = find(**{name: values[0] for name, values in body.items()})
        return {"users": [user.json()]} if user else {}
    user = find(localId=body["localId"])
    if not user:
        raise Fault("USER_NOT_FOUND")
    USERS.remove(user)
    return {}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def route(self):
        url = urlsplit(self.path)
        data = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        path = url.path
        if path == "/":
            return {"authEmulator": {"ready": True}}
        if path == "/control":
            CONTROL.update({name: time.time() for name in json.loads(data)})
            return CONTROL
        if path == f"/emulator/v1/projects/{PROJECT}/oobCodes":
            return {"oobCodes": CODES}
        if path.startswith("/emulator/"):
            return {"oobCodes": []}
        if path == "/securetoken.googleapis.com/v1/token":
            return refresh(parse_qs(data))
        path = path.removeprefix("/identitytoolkit.googleapis.com/")
        body = json.loads(data or "{}")
        if path == "v2/accounts/mfaSignIn:finalize":
            return finalize(body)
        if path.startswith(f"v1/projects/{PROJECT}/accounts:"):
            if self.headers.get("Authorization") != "Bearer owner":
                raise Fault("Request had invalid authentication credentials.", 401)
            return administrate(path.split(":")[1], parse_qs(url.query), body)
        verb = VERBS.get(path.removeprefix("v1/accounts:"))
        if not verb:
            raise Fault("Not Found", 404)
        if not self.headers.get("X-Goog-Api-Key"):
            raise Fault("The request is missing a valid API key.", 403)
        return verb(body)

    def do_GET(self):
        status = 200
        with LOCK:
            try:
                body = self.route()
            except Fault as fault:
                status, body = fault.status, fault.body
            text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_PATCH = do_GET

    def log_message(self, *_):
        pass


serve(Handler)
