#!/usr/bin/env python3
"""A fake of a Supabase project, made from the recorded exchanges in Tests/Exchanges/supabase and the documentation.

Listens on a free loopback port, prints {"port": N}, and exits with its parent. The Auth server is at /auth/v1, behind a
gateway that requires the key `sb_publishable_test`; the secret key is `sb_secret_test`. A table of notes is at
/rest/v1/notes. Addresses that begin with `new` must be confirmed; `single` accounts have a second factor with the code
123456.

It keeps the rules of refresh tokens: each refresh replaces the token; the one before the active one gets the active one;
an older one, after the reuse interval, ends the session.

PATCH /control sets `life` (of access tokens, seconds), `interval`, `drop` (the number of refreshes whose response is
lost) and `hold` (seconds before the response to a refresh). GET /control returns the requests, the newest e-mail for each
address, and the number of refreshes.
"""

import base64
import json
import os
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import serve

KEY, SECRET = "sb_publishable_test", "sb_secret_test"
CONTROL = {"life": 3600, "interval": 10, "drop": 0, "hold": 0}
USERS, SESSIONS, MAILS, LOG = [], {}, {}, []
LOCK = threading.RLock()


class Fault(Exception):
    def __init__(self, status, code, message="x"):
        self.status, self.body = status, {"code": code, "message": message}


def now(later=0):
    return time.strftime("%Y-%m-%dT%H:%M:%S.123456Z", time.gmtime(time.time() + later))


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


class User:
    def __init__(self, address, password, data, confirmed):
        self.id, self.password, self.data, self.new_email = str(uuid.uuid4()), password, data, None
        self.email, self.phone = address.get("email", "").lower(), address.get("phone", "").lstrip("+")
        self.created, self.confirmed, self.banned = now(), now() if confirmed else None, False
        self.nonce, self.identities = None, [{"identity_id": self.id, "id": self.id, "provider": "email"}]
        self.factors = [{"id": "f1", "status": "verified", "factor_type": "totp"}] if "single" in self.email else []
        USERS.append(self)

    def json(self):
        return {
            "id": self.id, "role": "authenticated", "email": self.email, "phone": self.phone,
            "email_confirmed_at": self.confirmed, "new_email": self.new_email or "", "created_at": self.created,
            "user_metadata": {**self.data, "email": self.email, "sub": self.id}, "identities": self.identities,
            "app_metadata": {"provider": "email"}, "is_anonymous": not (self.email or self.phone),
            "factors": self.factors}


class Session:
    """`tokens` are the refresh tokens, the active one last, each with the time when it was replaced."""

    def __init__(self, user, aal="aal1"):
        self.id, self.user, self.aal, self.tokens, self.revoked = str(uuid.uuid4()), user, aal, [], False
        SESSIONS[self.id] = self
        self.rotate()

    def rotate(self):
        if self.tokens:
            self.tokens[-1][1] = time.time()
        self.tokens.append([uuid.uuid4().hex[:12], None])

    def json(self):
        start = int(time.time())
        claims = {
            "sub": self.user.id, "session_id": self.id, "aal": self.aal, "iat": start, "exp": start + CONTROL["life"]}
        return {
            "access_token": f'{part({"alg": "HS256"})}.{part(claims)}.c2ln', "token_type": "bearer",
            "expires_in": CONTROL["life"], "expires_at": claims["exp"], "refresh_token": self.tokens[-1][0],
            "user": self.user.json()}


def refresh(token):
    for session in SESSIONS.values():
        names = [name for name, _ in session.tokens]
        if token not in names:
            continue
        place = names.index(token)
        if session.user.banned:
            raise Fault(400, "user_banned", "Invalid Refresh Token: User Banned")
        if session.revoked:
            raise Fault(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        if place == len(names) - 1:
            session.rotate()
        elif place < len(names) - 2 and time.time() - session.tokens[place][1] > CONTROL["interval"]:
            session.revoked = True
            raise Fault(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        return session.json()
    raise Fault(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        url = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(url.query).items()}
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.fields = json.loads(text or b"{}")
        if url.path == "/control":
            CONTROL.update(self.fields)
            for user in USERS:
                user.banned = CONTROL.get("banned") == user.email
            return self.answer(200, {"log": LOG, "mails": MAILS, "refreshes": CONTROL.get("refreshes", 0)})
        try:
            with LOCK:
                LOG.append(f"{self.command} {self.path}")
                body, status = self.route(url.path), 200
        except Fault as fault:
            body, status = fault.body, fault.status
        if self.query.get("grant_type") == "refresh_token":
            CONTROL["refreshes"] = CONTROL.get("refreshes", 0) + 1
            if CONTROL["hold"]:
                time.sleep(CONTROL["hold"])
            if CONTROL["drop"]:
                CONTROL["drop"] -= 1
                self.close_connection = True
                return self.connection.close()
        self.answer(204 if body is None else status, body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def session(self):
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        try:
            claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        except (IndexError, ValueError):
            raise Fault(403, "bad_jwt", "invalid JWT: token is malformed")
        if claims["exp"] <= time.time():
            raise Fault(403, "bad_jwt", "invalid JWT: token has invalid claims: token is expired")
        session = SESSIONS.get(claims["session_id"])
        if session is None:
            raise Fault(403, "session_not_found", "Session from session_id claim in JWT does not exist")
        if session.user.banned:
            raise Fault(403, "user_banned", "User is banned")
        return session

    def route(self, path):
        key = self.headers.get("apikey")
        if not path.startswith(("/auth/v1/", "/rest/v1/")):
            raise Fault(404, "not_found")
        if key not in (KEY, SECRET) and path != "/auth/v1/verify":
            fault = Fault(401, "")
            fault.body = {"message": "Invalid API key" if key else "No API key found in request", "hint": "x"}
            raise fault
        if path == "/rest/v1/notes":
            start, size = int(self.query.get("offset", 0)), min(int(self.query.get("limit", 2)), 2)
            rows = [{"id": number, "owner": self.session().user.id} for number in range(1, 6)]
            if "id" in self.query:
                rows = [row for row in rows if self.query["id"] == f"eq.{row['id']}"]
            if self.command in ("PATCH", "DELETE"):
                return rows if self.headers["Prefer"] == "return=representation" else {}
            return rows[start:start + size]
        name = path.removeprefix("/auth/v1/")
        if name.startswith("admin/"):
            if key != SECRET:
                raise Fault(403, "not_admin", "User not allowed")
            return self.admin(name.removeprefix("admin/"))
        words = name.split("/")
        method = getattr(self, f"{self.command.lower()}_{words[0].strip('.').replace('-', '_')}", None)
        if method is None:
            raise Fault(404, "not_found")
        return method(*words[1:])

    def find(self, address):
        email, phone = address.get("email", "").lower(), address.get("phone", "").lstrip("+")
        return next((user for user in USERS if email and user.email == email or phone and user.phone == phone), None)

    def mail(self, kind, user):
        MAILS[user.email or user.phone] = {"hash": uuid.uuid4().hex, "type": kind, "code": "424242", "user": user.id}
        return {}

    def post_signup(self):
        fields = self.fields
        user = self.find(fields)
        isOld = user is not None
        if user and user.confirmed and user.email.startswith("new"):
            return {**user.json(), "id": str(uuid.uuid4()), "identities": [], "confirmation_sent_at": now()}
        if user and user.confirmed:
            raise Fault(422, "user_already_exists", "User already registered")
        waits = fields.get("email", "").startswith("new")
        if not user:
            user = User(fields, fields.get("password"), fields.get("data", {}), not waits)
        if not waits:
            return Session(user).json()
        self.mail("signup", user)
        return {**user.json(), "confirmation_sent_at": now(5 if isOld else 0)}

    def post_token(self):
        kind, fields = self.query.get("grant_type"), self.fields
        if kind == "refresh_token":
            return refresh(fields["refresh_token"])
        if kind == "id_token":
            sub = json.loads(base64.urlsafe_b64decode(fields["id_token"].split(".")[1] + "=="))["sub"]
            owner = next((user for user in USERS for row in user.identities if row["id"] == sub), None)
            user = self.session().user if fields.get("link_identity") else owner
            if fields.get("link_identity") and owner:
                raise Fault(422, "identity_already_exists", "Identity is already linked" + " to another user" * (owner != user))
            user = user or User({"email": f"{sub}@example.org"}, None, {}, True)
            if not owner:
                user.identities.append({"identity_id": str(uuid.uuid4()), "id": sub, "provider": fields["provider"]})
            return Session(user).json()
        user = self.find(fields)
        if user is None or user.password != fields.get("password"):
            raise Fault(400, "invalid_credentials", "Invalid login credentials")
        if user.banned:
            raise Fault(400, "user_banned", "User is banned")
        if not user.confirmed:
            raise Fault(400, "email_not_confirmed", "Email not confirmed")
        return Session(user).json()

    def get_user(self):
        return self.session().user.json()

    def put_user(self):
        session, fields = self.session(), self.fields
        user = session.user
        if "password" in fields:
            if len(fields["password"]) < 6:
                raise Fault(422, "weak_password", "Password should be at least 6 characters.")
            if "nonce" in user.data and ("nonce" not in fields or fields["nonce"] != user.nonce):
                raise Fault(*(422, "reauthentication_not_valid") if "nonce" in fields else (400, "reauthentication_needed"))
            user.password = fields["password"]
            self.end(user, session)
        if "email" in fields:
            user.new_email = fields["email"]
            self.mail("email_change", user)
        user.data = {k: v for k, v in {**user.data, **fields.get("data", {})}.items() if v is not None}
        return user.json()

    def end(self, user, kept=None):
        for session in [s for s in SESSIONS.values() if s.user is user and s is not kept]:
            del SESSIONS[session.id]

    def post_logout(self):
        session = self.session()
        scope = self.query.get("scope", "global")
        if scope != "local":
            self.end(session.user, session)
        if scope != "others":
            del SESSIONS[session.id]

    def get_reauthenticate(self):
        self.session().user.nonce = "904187"
        return {}

    def post_recover(self):
        user = self.find(self.fields)
        return self.mail("recovery", user) if user else {}

    def post_resend(self):
        user = self.find(self.fields)
        return self.mail("signup", user) if user and not user.confirmed else {}

    def get_verify(self):
        raise Fault(400, "validation_failed", "Verify requires a verification type")

    def post_verify(self):
        fields = self.fields
        for address, mail in list(MAILS.items()):
            isMeant = mail["hash"] == fields.get("token_hash") or (
                mail["code"] == fields.get("token") and address in (fields.get("email"), fields.get("phone")))
            if isMeant and fields["type"] in (mail["type"], "email" if mail["type"] == "signup" else ""):
                del MAILS[address]
                user = next(user for user in USERS if user.id == mail["user"])
                user.confirmed = user.confirmed or now()
                if mail["type"] == "email_change":
                    user.email, user.new_email = user.new_email, None
                return Session(user).json()
        raise Fault(403, "otp_expired", "Email link is invalid or has expired")

    def post_factors(self, factor, step):
        session = self.session()
        if step == "challenge":
            return {"id": "c1", "type": "totp"}
        if self.fields["code"] != "123456":
            raise Fault(422, "mfa_verification_failed", "Invalid TOTP code entered")
        session.aal = "aal2"
        session.rotate()
        return session.json()

    def delete_user(self, _, identity):
        user = self.session().user
        user.identities = [row for row in user.identities if row["identity_id"] != identity]
        return {}

    def get_well_known(self, _):
        return {"keys": []}

    def admin(self, name):
        if name == "generate_link":
            user = self.find(self.fields) or User(self.fields, None, {}, False)
            self.mail("magiclink", user)
            return {**user.json(), "hashed_token": MAILS[user.email]["hash"], "verification_type": "magiclink"}
        words = name.split("/")
        if self.command == "POST":
            if self.find(self.fields):
                raise Fault(422, "email_exists")
            return User(self.fields, self.fields["password"], self.fields.get("user_metadata", {}), True).json()
        if len(words) == 1:
            start, size = int(self.query.get("page", 1)) - 1, int(self.query.get("per_page", 50))
            return {"users": [{**user.json(), "identities": None} for user in USERS[::-1][start * size:][:size]]}
        user = next((user for user in USERS if user.id == words[1]), None)
        if user is None:
            raise Fault(404, "user_not_found", "User not found")
        if self.command == "DELETE":
            USERS.remove(user)
            self.end(user)
            return {}
        return user.json()


serve(Handler)
