#!/usr/bin/env python3
"""A fake of a Supabase project, made from the recorded exchanges in Tests/Exchanges/supabase and the documentation.

Listens on a free loopback port, prints {"port": N}, and exits with its parent. The Auth server is at /auth/v1, behind a
gateway that requires the key `sb_publishable_test`; the secret key is `sb_secret_test`. Tables are at
/rest/v1/. `replay.py` compares the Auth server with the recorded exchanges. Addresses that begin with `new` must
be confirmed; `single` accounts have a second factor. The code of every factor is 123456, the code in every e-mail
424242, and the code of a reauthentication 904187. ID tokens need no signature.

PATCH /control sets `life` (of access tokens, seconds), `interval` (of the reuse of refresh tokens, seconds), `drop`
(the number of refreshes whose response is lost), `hold` (seconds before the response to a refresh), `banned` (an
address), `sms` (the project sends text messages), `version` (before v2.155 it ignores password hashes), `confirm` (all addresses must be confirmed, no anonymous
users, no unlinking), `quiet` (seconds between two e-mails of a kind to an account) and `reauthenticate` (for a change of
the password), `limit` (the number of e-mails that the project still sends); `import` adds as many accounts with one
time, `forge` an e-mail of an attacker, [address, text], and `trap` such an e-mail after each other one. GET /control returns the requests, the newest e-mail to each
address, and the number of refreshes. All e-mails are in a Mailpit server at /mailpit.
"""

import json
import os
import re
import sys
import threading
import time
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import opened, part, serve

KEY, SECRET = "sb_publishable_test", "sb_secret_test"
CONTROL = {
    "life": 3600, "interval": 10, "drop": 0, "hold": 0, "banned": None, "refreshes": 0, "confirm": False, "quiet": 0,
    "reauthenticate": False, "limit": None, "sms": False, "trap": None, "version": "v2.196.0"}
USERS, SESSIONS, MAILS, POSTED, LOG = [], {}, {}, [], []
SUBJECTS = {
    "signup": "Confirm Your Signup", "recovery": "Reset Your Password", "magiclink": "Your Magic Link",
    "email_change": "Confirm Email Change", "reauthentication": "Confirm Reauthentication"}
LOCK = threading.RLock()
PROVIDERS = (
    "anonymous_users apple azure bitbucket discord facebook snapchat figma fly github gitlab google keycloak kakao "
    "linkedin linkedin_oidc notion spotify slack slack_oidc workos twitch twitter email phone zoom").split()
WORDS = (
    "health settings well_known jwks_json signup token user identities logout reauthenticate recover otp resend verify "
    "factors challenge admin users generate_link").split()
SLOTS = {"signup": "confirmation", "recovery": "recovery", "magiclink": "recovery", "sms": "confirmation"}
UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
NONCE = "904187"
# Published password hashes, with their passwords: Supabase Auth, pull request 1641 and `password_test.go`; github.com/firebase/scrypt.
HASHES = {
    "$2y$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq": "test",
    "$argon2i$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g": "test",
    "$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk": "test",
    "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZ"
    "vpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRui"
    "d5lQ==": "user1password",
}
HASH = re.compile(
    r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$argon2id?\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+|"
    r"\$fbscrypt\$v=1,n=\d+,r=\d+,p=\d+,ss=[^,]+,sk=[^$]+\$[A-Za-z0-9+/]+=*\$[A-Za-z0-9+/]+=*")
TABLES = ("memos", "letters", "logs")
WEAK = "Password should be at least 6 characters."
OTHER_LINK = "Confirmation link accepted. Please proceed to confirm link sent to the other email"
NO_MATCH = "Only an email address or phone number should be provided on "


class Fault(Exception):
    """An error of the Auth server; `body` is the whole body of an error that has no code."""

    def __init__(self, status, code, message="", body=None, **more):
        self.status, self.code, self.message, self.more, self.body = status, code, message, more, body


def refuse(condition, fault, *words, **more):
    if condition:
        raise fault if isinstance(fault, Fault) else Fault(fault, *words, **more)


def refused(text, status=400):
    return Fault(status, "validation_failed", text)


def oauth(text, error="invalid request"):
    return Fault(400, "", body={"error": error, "error_description": text})


def duplicate(constraint, name, value):
    """An error of PostgreSQL, which the Auth server passes on."""
    message = f'duplicate key value violates unique constraint "{constraint}"'
    return Fault(500, "", body={"code": "23505", "message": message, "detail": f"Key ({name})=({value}) already exists."})


def now(later=0):
    return datetime.fromtimestamp(time.time() + later, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def merged(old, new):
    return {name: value for name, value in {**old, **new}.items() if value is not None}


def weakness(password):
    return {"message": WEAK, "reasons": ["length"]} if len(password) < 6 else None


def check_password(password, rules=True):
    refuse(len(password.encode()) > 72, refused("Password cannot be longer than 72 characters"))
    refuse(rules and weakness(password), 422, "weak_password", WEAK, weak_password={"reasons": ["length"]})


def checked(email):
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", email):
        raise refused("Unable to validate email address: invalid format")
    return email.lower()


def find(address):
    email, phone = (address.get("email") or "").lower(), (address.get("phone") or "").lstrip("+")
    return next((user for user in USERS if email and user.email == email or phone and user.phone == phone), None)


class User:
    def __init__(self, address, password=None, data=None, id=None):
        self.id, self.password, self.new_email, self.role = id or str(uuid.uuid4()), password, "", "authenticated"
        self.email, self.phone = (address.get("email") or "").lower(), (address.get("phone") or "").lstrip("+")
        self.data, self.app, self.identities, self.factors = data or {}, {}, [], []
        # `times`: members of the user; `mails`: slot -> the e-mail whose link and code are good.
        self.times, self.mails, self.waiting, self.nonce, self.banned = {}, {}, set(), None, 0
        self.challenges, self.hash = {}, None
        self.is_anonymous = not (self.email or self.phone)
        self.created = now()
        if "single" in self.email:
            self.factors.append(factor("single", "verified"))
        USERS.append(self)

    def add_identity(self, provider, claims):
        stamp = now()
        email = {"email": claims["email"]} if "email" in claims else {}
        self.identities.append({
            "identity_id": str(uuid.uuid4()), "id": claims["sub"], "user_id": self.id, "identity_data": claims,
            "provider": provider, "last_sign_in_at": stamp, "created_at": stamp, "updated_at": stamp, **email})
        if not self.is_anonymous or provider != "email":
            others = [name for name in self.app.get("providers", []) if name != provider]
            self.app = {"provider": provider, **self.app, "providers": others + [provider]}

    def own_claims(self, verified=False):
        address = {"email": self.email} if self.email else {}
        return {**address, "email_verified": verified, "phone_verified": False, "sub": self.id}

    def confirm(self):
        self.times.setdefault("email_confirmed_at" if self.email else "phone_confirmed_at", now())
        if self.email:
            self.data = {**self.data, "email_verified": True}

    @property
    def is_confirmed(self):
        return "email_confirmed_at" in self.times or "phone_confirmed_at" in self.times

    @property
    def is_banned(self):
        return self.banned > time.time() or CONTROL["banned"] == self.email

    def json(self, fresh=False):
        """`fresh`: as the server answers before it has read the row of the database again."""
        more = dict(self.times)
        if self.is_confirmed and not fresh:
            more["confirmed_at"] = self.times.get("email_confirmed_at") or self.times["phone_confirmed_at"]
        if self.new_email:
            more["new_email"] = self.new_email
        if self.factors:
            more["factors"] = self.factors
        if self.banned > time.time():
            more["banned_until"] = now(self.banned - time.time())
        return {
            "id": self.id, "aud": "authenticated", "role": self.role, "email": self.email, "phone": self.phone, **more,
            "app_metadata": self.app, "user_metadata": self.data, "identities": self.identities,
            "created_at": self.created, "updated_at": now(), "is_anonymous": self.is_anonymous}

    def change_email(self, email):
        """Sends a link to the new address, and to the old one if there is one. A second request starts over."""
        self.mail("email_change", email, "new")
        if self.email:
            self.mail("email_change", self.email, "old", isSecond=True)
        self.new_email, self.waiting = email, {"new", "old"} if self.email else {"new"}

    def administrate(self, fields):
        """Takes the members that an administrator may set, except the password."""
        ban = fields.get("ban_duration", "none")
        if ban != "none" and not re.fullmatch(r"(\d+(ns|us|ms|s|m|h))+", ban):
            raise refused(f'invalid format for ban duration: time: invalid duration "{ban}"')
        if "ban_duration" in fields:
            units = {"h": 3600, "m": 60, "s": 1}
            seconds = sum(int(count) * units.get(unit, 0) for count, unit in re.findall(r"(\d+)([a-z]+)", ban))
            self.banned = time.time() + seconds if seconds else 0
        if fields.get("phone"):
            self.phone = fields["phone"].lstrip("+")
            self.add_identity("phone", {**merged(self.own_claims(), {"email": None}), "phone": self.phone})
        self.email = (fields.get("email") or self.email).lower()
        for kind in ("email", "phone"):
            if fields.get(kind + "_confirm"):
                self.times.setdefault(kind + "_confirmed_at", now())
        if fields.get("email_confirm"):
            self.data = {**self.data, "email_verified": True}
        self.data = merged(self.data, fields.get("user_metadata") or {})
        self.app = merged(self.app, fields.get("app_metadata") or {})
        self.role = fields.get("role") or self.role

    def mail(self, kind, address=None, slot=None, isSecond=False):
        slot = slot or SLOTS[kind]
        name = {"old": "email_change", "new": "email_change"}.get(slot, slot) + "_sent_at"
        last = self.times.get(name)
        if last and not isSecond and last > now(-CONTROL["quiet"]) and CONTROL["quiet"]:
            raise Fault(
                429, "over_email_send_rate_limit",
                f"For security purposes, you can only request this after {CONTROL['quiet']} seconds.")
        if CONTROL["limit"] is not None:
            refuse(CONTROL["limit"] < 1, 429, "over_email_send_rate_limit", "email rate limit exceeded")
            CONTROL["limit"] -= 1
        # A second request in the same second has a later time.
        self.times[name] = max(now(), now(5) if last else "")
        address = address or self.email or self.phone
        self.mails[slot] = MAILS[address] = {
            "hash": uuid.uuid4().hex, "type": kind, "code": NONCE if slot == "reauthentication" else "424242",
            "user": self.id, "address": address}
        if kind == "sms":
            return {"message_id": str(uuid.uuid4())}
        link = f"http://127.0.0.1/auth/v1/verify?token={self.mails[slot]['hash']}&type={kind}&redirect_to=http://x.example"
        post(address, SUBJECTS.get(kind, "Mail"), f"Follow this link:\n\n{link}\n")
        if CONTROL["trap"]:
            post(CONTROL["trap"][0], SUBJECTS["magiclink"], CONTROL["trap"][1])
        return {}

    def end(self, kept=None):
        for session in [session for session in SESSIONS.values() if session.user is self and session is not kept]:
            del SESSIONS[session.id]


def post(address, subject, text):
    POSTED.insert(0, {
        "ID": uuid.uuid4().hex, "To": [{"Address": address}], "Cc": None, "Bcc": None, "Subject": subject,
        "Created": now(), "Text": text, "HTML": ""})


def mailpit(path, query):
    """The messages of a Mailpit server, newest first, or one of them."""
    if path.startswith("message/"):
        return next(mail for mail in POSTED if mail["ID"] == path.removeprefix("message/"))
    wanted = query.get("query", "").lower()
    return {"messages": [mail for mail in POSTED if wanted in json.dumps(mail).lower()]}


def factor(name, status="unverified"):
    return {
        "id": str(uuid.uuid4()), "created_at": now(), "updated_at": now(), "status": status, "friendly_name": name,
        "factor_type": "totp", "phone": None, "last_challenged_at": None}


class Session:
    """`tokens` are the refresh tokens, the active one last, each with the time when it was replaced."""

    def __init__(self, user, method="password"):
        self.id, self.user, self.aal, self.tokens, self.revoked = str(uuid.uuid4()), user, "aal1", [], None
        self.amr = [{"method": method, "timestamp": int(time.time())}]
        user.times["last_sign_in_at"] = now()
        SESSIONS[self.id] = self
        self.rotate()

    def rotate(self):
        if self.tokens:
            self.tokens[-1][1] = time.time()
        self.tokens.append([uuid.uuid4().hex[:12], None])

    def json(self, fresh=False):
        start, user = int(time.time()), self.user
        claims = {
            "iss": "http://127.0.0.1/auth/v1", "sub": user.id, "aud": "authenticated", "exp": start + CONTROL["life"],
            "iat": start, "email": user.email, "phone": user.phone, "app_metadata": user.app,
            "user_metadata": user.data, "role": user.role, "aal": self.aal, "amr": self.amr, "session_id": self.id,
            "is_anonymous": user.is_anonymous}
        return {
            "access_token": f'{part({"alg": "HS256", "typ": "JWT"})}.{part(claims)}.c2ln', "token_type": "bearer",
            "expires_in": CONTROL["life"], "expires_at": claims["exp"], "refresh_token": self.tokens[-1][0],
            "user": user.json(fresh)}


def refresh(token):
    refuse(not re.fullmatch(r"[a-z0-9]{12}", token), refused("Refresh token is not valid"))
    for session in SESSIONS.values():
        names = [name for name, _ in session.tokens]
        if token not in names:
            continue
        refuse(session.user.is_banned, 400, "user_banned", "Invalid Refresh Token: User Banned")
        place = names.index(token)
        since = session.revoked or (session.tokens[place][1] if place < len(names) - 2 else None)
        if since and time.time() - since >= CONTROL["interval"]:
            session.revoked = session.revoked or time.time()
            raise Fault(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
        if place != len(names) - 2:
            session.rotate()
        return session.json()
    raise Fault(400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, more=()):
        text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        self.send_response(status)
        kind = "text/plain; charset=utf-8" if isinstance(body, str) else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        for name, value in dict(more).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def handle_any(self):
        url = urlsplit(self.path)
        self.query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if url.path == "/control":
            CONTROL.update(json.loads(self.text or b"{}"))
            for number in range(CONTROL.pop("import", 0)):
                User({"email": f"import-{number}@example.org", "phone": f"155500{number:05}"}).created = "2026-01-01T00:00:00Z"
            if forged := CONTROL.pop("forge", None):
                post(forged[0], "Your Magic Link", forged[1])
            return self.answer(200, {"log": LOG, "mails": MAILS, "refreshes": CONTROL["refreshes"]})
        if url.path.startswith("/mailpit/api/v1/"):
            return self.answer(200, mailpit(url.path.removeprefix("/mailpit/api/v1/"), self.query))
        status, self.more = 200, {}
        try:
            with LOCK:
                LOG.append(f"{self.command} {self.path}")
                body = self.respond(url.path)
                status = 204 if body is None else 200
        except Fault as fault:
            status, body = fault.status, fault.body
            if fault.code and re.fullmatch(r"\d{4}-\d\d-\d\d", self.headers.get("X-Supabase-Api-Version") or ""):
                body = {"code": fault.code, "message": fault.message, **fault.more}
            elif fault.code:
                body = {"code": status, "error_code": fault.code, "msg": fault.message, **fault.more}
        if self.query.get("grant_type") == "refresh_token":
            CONTROL["refreshes"] += 1
            if CONTROL["hold"]:
                time.sleep(CONTROL["hold"])
            if CONTROL["drop"]:
                CONTROL["drop"] -= 1
                self.close_connection = True
                return self.connection.close()
        self.answer(status, body, self.more)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    @property
    def fields(self):
        try:
            fields = json.loads(self.text)
        except ValueError:
            raise Fault(400, "bad_json", "Could not parse request body as JSON: unexpected end of JSON input")
        for name, value in fields.items():
            kind = dict if name in ("data", "user_metadata", "app_metadata") else str
            if name in ("email", "phone", "password", "data", "user_metadata", "app_metadata", "refresh_token"):
                if value is not None and not isinstance(value, kind):
                    raise Fault(400, "bad_json", f"Could not parse request body as JSON: json: cannot unmarshal {name}")
        return fields

    def claims(self):
        token = self.headers.get("Authorization") or ""
        refuse(not token.startswith("Bearer "), 401, "no_authorization", "This endpoint requires a valid Bearer token")
        problem, claims = "token is malformed: token contains an invalid number of segments", {}
        try:
            header, claims = map(opened, token.removeprefix("Bearer ").split(".")[:2])
            problem = "token has invalid claims: token is expired" if claims["exp"] <= time.time() else None
            if header["alg"] == "none":
                problem = "token signature is invalid: signing method none is invalid"
            elif not token.endswith(".c2ln"):
                problem = "token signature is invalid: signature is invalid"
        except (KeyError, ValueError):
            pass
        refuse(problem, 403, "bad_jwt", f"invalid JWT: unable to parse or verify signature, {problem}")
        return claims

    def session(self):
        claims = self.claims()
        user = next((user for user in USERS if user.id == claims["sub"]), None)
        refuse(user is None, 403, "user_not_found", "User from sub claim in JWT does not exist")
        session = SESSIONS.get(claims["session_id"])
        refuse(session is None, 403, "session_not_found", "Session from session_id claim in JWT does not exist")
        refuse(user.is_banned, 403, "user_banned", "User is banned")
        return session

    def respond(self, path):
        key = self.headers.get("apikey")
        if not path.startswith(("/auth/v1/", "/rest/v1/")):
            raise Fault(404, "", body={"message": "no Route matched with those values"})
        if key not in (KEY, SECRET) and path != "/auth/v1/verify":
            text = "Invalid API key" if key else "No API key found in request"
            raise Fault(401, "", body={"message": text, "hint": "x"})
        if path == "/rest/v1/":
            # Source: supabase/supabase#45462.
            refuse(key != SECRET or self.headers.get("Authorization"), 403, "", body={"message": "Forbidden"})
            return self.description()
        if path in ("/rest/v1/memos", "/rest/v1/letters", "/rest/v1/logs"):
            return self.table(path.removeprefix("/rest/v1/"))
        if path == "/rest/v1/notes":
            return self.notes()
        if path == "/rest/v1/reports":
            # A policy of the table reads the claim.
            claims = self.claims() if self.headers.get("Authorization") else {}
            return [{"id": 1}] if claims.get("app_metadata", {}).get("role") == "admin" else []
        path = path.removeprefix("/auth/v1/")
        # The names of the methods below consist of the words of paths; `one` stands for an id.
        words = [re.sub("[.-]", "_", word.lstrip(".")) for word in path.replace("magiclink", "otp").split("/")]
        names = "_".join(word if word in WORDS else "one" for word in words)
        methods = {word: getattr(self, f"{word.lower()}_{names}", None) for word in ("GET", "POST", "PUT", "DELETE")}
        refuse(not any(methods.values()), 404, "", body="404 page not found\n")
        if words[0] == "admin" and (key != SECRET or self.headers.get("Authorization")):
            if self.headers.get("Authorization"):
                self.claims()
            raise Fault(403, "not_admin", "User not allowed")
        refuse(not methods.get(self.command), 405, "")
        return methods[self.command](*(text for text, word in zip(path.split("/"), words) if word not in WORDS))

    def description(self):
        """The tables `memos`, `letters` and `logs`, and a function. Source: PostgREST, "OpenAPI" and `OpenAPI.hs`."""
        key = {"description": "Note:\nThis is a Primary Key.<pk/>", "format": "uuid", "type": "string"}
        tables = {name: {"id": key if name != "logs" else {"format": "uuid", "type": "string"}} for name in TABLES}
        get = {"parameters": [{"$ref": "#/parameters/select"}], "responses": {"200": {"description": "OK"}}}
        return {
            "swagger": "2.0", "info": {"title": "standard public schema", "version": "12.2.3"},
            "host": "0.0.0.0:3000", "basePath": "/", "schemes": ["http"],
            "paths": {
                "/": {"get": {"tags": ["Introspection"]}}, "/rpc/purge": {"get": get, "post": {}},
                **{f"/{name}": {"get": get, "post": {}, "delete": {}, "patch": {}} for name in TABLES}},
            "definitions": {
                name: {"required": ["id"], "properties": columns, "type": "object"} for name, columns in tables.items()},
            "parameters": {"select": {"name": "select", "required": False, "type": "string", "in": "query"}}}

    def table(self, name):
        """A row for each user. Only `memos` has a policy: users see their own row."""
        mine = self.claims()["sub"] if self.headers.get("Authorization") else None
        denied = {"code": "42501", "details": None, "hint": None, "message": f"permission denied for table {name}"}
        refuse(name == "memos" and not mine, 401, "", body=denied)
        rows = [{"id": user.id} for user in USERS if name != "memos" or user.id == mine]
        return [row for row in rows if self.query.get("id") in (None, f"eq.{row['id']}")]

    def notes(self):
        start, size = int(self.query.get("offset", 0)), min(int(self.query.get("limit", 2)), 2)
        rows = [{"id": number, "owner": self.session().user.id} for number in range(1, 6)]
        if "id" in self.query:
            rows = [row for row in rows if self.query["id"] == f"eq.{row['id']}"]
        if self.command in ("PATCH", "DELETE"):
            return rows if self.headers["Prefer"] == "return=representation" else {}
        return rows[start:start + size]

    # MARK: The server

    def get_health(self):
        return {"version": CONTROL["version"], "name": "GoTrue", "description": "GoTrue is a user registration API"}

    def get_settings(self):
        on = ["email", "phone", "keycloak", "google"] + ["anonymous_users"] * (not CONTROL["confirm"])
        return {
            "external": {name: name in on for name in PROVIDERS}, "disable_signup": False,
            "mailer_autoconfirm": not CONTROL["confirm"], "phone_autoconfirm": True, "sms_provider": "",
            "saml_enabled": False, "saml_private_key_next_configured": True, "passkeys_enabled": False}

    def get_well_known_jwks_json(self):
        return {"keys": []}

    # MARK: Sign-up and login

    def post_signup(self):
        fields, data = self.fields, self.fields.get("data") or {}
        refuse(fields.get("email") and fields.get("phone"), refused(NO_MATCH + "signup."))
        if not fields.get("email") and not fields.get("phone"):
            refuse(CONTROL["confirm"], 422, "anonymous_provider_disabled", "Anonymous sign-ins are disabled")
            return Session(User({}, data=data), "anonymous").json()
        refuse(not fields.get("password"), refused("Signup requires a valid password"))
        check_password(fields["password"])
        address = {"email": checked(fields["email"])} if fields.get("email") else fields
        waits = "email" in address and (CONTROL["confirm"] or address["email"].startswith("new"))
        user = find(address)
        if user and user.is_confirmed and waits:
            hidden = ("email_confirmed_at", "confirmed_at", "last_sign_in_at")
            made_up = {name: value for name, value in user.json().items() if name not in hidden}
            return {**made_up, "id": str(uuid.uuid4()), "role": "", "identities": [], "user_metadata": data}
        refuse(user and user.is_confirmed, 422, "user_already_exists", "User already registered")
        if not user:
            user = User(address, fields["password"])
            user.data = {**data, **user.own_claims()}
            user.add_identity("email" if user.email else "phone", {**data, **user.own_claims()})
        if waits:
            user.mail("signup")
            return user.json(fresh=True)
        user.confirm()
        return Session(user).json(fresh=True)

    def post_token(self):
        kind, fields = self.query.get("grant_type"), self.fields
        if kind == "refresh_token":
            return refresh(fields.get("refresh_token") or "")
        if kind == "id_token":
            return self.id_token(fields)
        refuse(kind != "password", 400, "invalid_credentials", "unsupported_grant_type")
        refuse(fields.get("email") and fields.get("phone"), refused(NO_MATCH + "login."))
        refuse(not fields.get("email") and not fields.get("phone"), refused("missing email or phone"))
        user = find(fields)
        refuse(user and user.is_banned, 400, "user_banned", "User is banned")
        # Nobody knows the password of another hash.
        password = HASHES.get(user.hash) if user and user.hash else user and user.password
        if not password or password != fields.get("password"):
            raise Fault(400, "invalid_credentials", "Invalid login credentials")
        refuse(not user.is_confirmed, 400, "email_not_confirmed", "Email not confirmed")
        return {**Session(user).json(), "weak_password": weakness(password)}

    def id_token(self, fields):
        refuse(not fields.get("id_token"), oauth("id_token required"))
        refuse(not fields.get("provider"), oauth("provider or client_id and issuer required"))
        refuse(fields["provider"] not in PROVIDERS, refused(f'Custom OIDC provider "{fields["provider"]}" not allowed'))
        try:
            claims = opened(fields["id_token"].split(".")[1])
        except (IndexError, ValueError):
            raise oauth("Bad ID token")
        owner = next((user for user in USERS for row in user.identities if row["id"] == claims["sub"]), None)
        if fields.get("link_identity"):
            if not self.headers.get("Authorization"):
                raise oauth("Linking requires a valid user access token in Authorization")
            user = self.session().user
            if owner:
                to = "" if owner is user else " to another user"
                raise Fault(422, "identity_already_exists", "Identity is already linked" + to)
            before = Session(user, "oauth").json()
            if user.is_anonymous and "email" in claims:
                user.email, user.is_anonymous = claims["email"], False
                user.confirm()
                # The server answers with the identities of the time before.
                before = {**before, "user": user.json(fresh=True)}
            before["user"] = {**before["user"], "identities": list(user.identities)}
            user.add_identity(fields["provider"], claims)
            return {**before, "user": {**before["user"], "app_metadata": user.app}}
        verified = claims.get("email_verified", True)
        if "email" in claims and not verified and CONTROL["confirm"]:
            raise Fault(
                422, "provider_email_needs_verification", f"Unverified email with {fields['provider']}. A confirmation "
                f"email has been sent to your {fields['provider']} email")
        user = owner or find({"email": claims.get("email")})
        fresh = user is None or not user.is_confirmed
        if user and not user.is_confirmed:
            USERS.remove(user)
        if fresh:
            user = User({"email": claims.get("email")})
            user.is_anonymous = False
            user.times["email_confirmed_at"] = now()
        user.data = {**user.data, **claims, "email_verified": True, "phone_verified": False}
        if not owner:
            user.add_identity(fields["provider"], dict(user.data))
        return Session(user, "oauth").json(fresh)

    # MARK: The user

    def get_user(self):
        return self.session().user.json()

    def put_user(self):
        session, fields = self.session(), self.fields
        user = session.user
        refuse("app_metadata" in fields, 403, "not_admin", "Updating app_metadata requires admin privileges")
        is_factor_due = session.aal == "aal1" and any(row["status"] == "verified" for row in user.factors)
        if is_factor_due and ("password" in fields or "email" in fields):
            raise Fault(
                401, "insufficient_aal", "AAL2 session is required to update email or password when MFA is enabled.")
        email = checked(fields["email"]) if "email" in fields else user.email
        if "password" in fields:
            if not email:
                text = "Updating password of an anonymous user without an email or phone is not allowed"
                raise refused(text, 422)
            if CONTROL["reauthenticate"] and "nonce" not in fields:
                raise Fault(400, "reauthentication_needed", "Password update requires reauthentication")
            if CONTROL["reauthenticate"] and (not user.nonce or fields["nonce"] != user.nonce):
                raise Fault(422, "reauthentication_not_valid", "Nonce has expired or is invalid")
            check_password(fields["password"])
            if fields["password"] == user.password:
                raise Fault(422, "same_password", "New password should be different from the old password.")
        if email != user.email and find({"email": email}):
            raise Fault(422, "email_exists", "A user with this email address has already been registered")
        if email != user.email and user.is_anonymous and not CONTROL["confirm"]:
            user.email, user.is_anonymous = email, False
            user.confirm()
            user.add_identity("email", user.own_claims(True))
            user.app, fresh = {}, True
        else:
            fresh = False
            if email != user.email:
                user.change_email(email)
        if "password" in fields:
            user.password, user.hash, user.nonce = fields["password"], None, None
            for name in ("recovery_sent_at", "reauthentication_sent_at"):
                user.times.pop(name, None)
            user.end(session)
        user.data = merged(user.data, fields.get("data") or {})
        return user.json(fresh)

    def delete_user_identities_one(self, identity):
        user = self.session().user
        refuse(CONTROL["confirm"], 404, "manual_linking_disabled", "Manual linking is disabled")
        refuse(not re.fullmatch(UUID, identity), 404, "validation_failed", "identity_id must be an UUID")
        if len(user.identities) < 2:
            raise Fault(422, "single_identity_not_deletable", "User must have at least 1 identity after unlinking")
        rows = [row for row in user.identities if row["identity_id"] != identity]
        refuse(len(rows) == len(user.identities), 422, "identity_not_found", "Identity doesn't exist")
        user.identities = rows
        user.app["providers"] = [row["provider"] for row in rows]
        return {}

    def post_logout(self):
        session, scope = self.session(), self.query.get("scope", "global")
        refuse(scope not in ("local", "others", "global"), refused(f'Unsupported logout scope "{scope}"'))
        if scope != "local":
            session.user.end(session)
        if scope != "others":
            del SESSIONS[session.id]

    # MARK: E-mails

    def get_reauthenticate(self):
        user = self.session().user
        user.mail("reauthentication", slot="reauthentication")
        user.nonce = NONCE
        return {}

    def post_recover(self):
        refuse(not self.fields.get("email"), refused("Password recovery requires an email"))
        user = find({"email": checked(self.fields["email"])})
        return user.mail("recovery") if user else {}

    def post_otp(self):
        kind = "phone" if "phone" in self.fields else "email"
        if kind == "phone":
            refuse(not CONTROL["sms"], 422, "sms_send_failed", "Error sending confirmation OTP to provider")
        else:
            checked(self.fields["email"])
        user = find(self.fields)
        if user is None and not self.fields.get("create_user", True):
            raise Fault(422, "otp_disabled", "Signups not allowed for otp")
        if user is None:
            user = User(self.fields)
            user.data = {**(self.fields.get("data") or {}), **user.own_claims()}
            user.add_identity(kind, user.own_claims())
        if kind == "phone":
            return user.mail("sms")
        return user.mail("magiclink" if user.is_confirmed or not CONTROL["confirm"] else "signup")

    def post_resend(self):
        kind = self.fields.get("type")
        if kind not in ("signup", "email_change"):
            raise refused("Missing one of these types: signup, email_change, sms, phone_change")
        refuse(not self.fields.get("email"), refused("Type provided requires an email address"))
        user = find(self.fields)
        if user and kind == "signup" and not user.is_confirmed:
            user.mail("signup")
        if user and kind == "email_change" and user.new_email:
            user.change_email(user.new_email)
        return {}

    def get_verify(self):
        raise refused("Verify requires a verification type")

    def post_verify(self):
        fields = self.fields
        kind, by_hash = fields.get("type"), "token_hash" in fields
        refuse(not kind, refused("Verify requires a verification type"))
        if by_hash and (fields.get("email") or fields.get("phone") or fields.get("token")):
            raise refused("Only the token_hash and type should be provided")
        refuse(not by_hash and not (fields.get("email") or fields.get("phone")), refused(NO_MATCH + "verify"))
        slots = {"email_change": ["old", "new"], "email": ["confirmation", "recovery"]}.get(kind) or [SLOTS.get(kind)]
        refuse(slots == [None], refused("Invalid email verification type"))
        address = (fields.get("email") or fields.get("phone") or "").lower().lstrip("+")
        for user in USERS:
            for slot in slots:
                mail = user.mails.get(slot)
                if mail and (
                    mail["hash"] == fields["token_hash"].removeprefix("pkce_") if by_hash
                    else (mail["address"], mail["code"]) == (address, fields.get("token"))
                ):
                    return self.confirmed(user, slot)
        text = "Email link is invalid or has expired" if by_hash else "Token has expired or is invalid"
        raise Fault(403, "otp_expired", text)

    def confirmed(self, user, slot):
        refuse(user.is_banned, 403, "user_banned", "User is banned")
        address = user.mails.pop(slot)["address"]
        MAILS.pop(address, None)
        if slot in ("old", "new"):
            user.waiting.discard(slot)
            if user.waiting:
                return {"code": "200", "msg": OTHER_LINK}
            was_anonymous, user.is_anonymous = user.is_anonymous, False
            user.email, user.new_email = user.new_email, ""
            user.confirm()
            if was_anonymous:
                user.add_identity("email", user.own_claims(True))
                user.app = {"provider": "email", "providers": ["email"]}
        user.confirm()
        return Session(user, "otp").json()

    # MARK: Second factors

    def post_factors(self):
        session, fields = self.session(), self.fields
        user = session.user
        refuse(user.is_anonymous, 403, "no_authorization", "Anonymous user not allowed to perform these actions")
        if fields.get("factor_type") == "phone":
            raise Fault(422, "mfa_phone_enroll_not_enabled", "MFA enroll is disabled for Phone")
        refuse(fields.get("factor_type") != "totp", refused("factor_type needs to be totp, phone, or webauthn"))
        if session.aal == "aal1" and any(row["status"] == "verified" for row in user.factors):
            raise Fault(403, "insufficient_aal", "AAL2 required to enroll a new factor")
        name = fields.get("friendly_name", "")
        if any(row["friendly_name"] == name for row in user.factors):
            text = f'A factor with the friendly name "{name}" for this user already exists'
            raise Fault(422, "mfa_factor_name_conflict", text)
        user.factors.append(factor(name))
        totp = {"qr_code": "x", "secret": "JBSWY3DPEHPK3PXP", "uri": "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"}
        return {"id": user.factors[-1]["id"], "type": "totp", "friendly_name": name, "totp": totp}

    def factor(self, name):
        session = self.session()
        row = next((row for row in session.user.factors if row["id"] == name), None)
        refuse(row is None, 404, "mfa_factor_not_found", "Factor not found")
        return session, row

    def post_factors_one_challenge(self, name):
        session, row = self.factor(name)
        row["last_challenged_at"] = now()
        challenge = str(uuid.uuid4())
        session.user.challenges[challenge] = False
        return {"id": challenge, "type": "totp", "expires_at": int(time.time()) + 300}

    def post_factors_one_verify(self, name):
        session, row = self.factor(name)
        challenges, challenge = session.user.challenges, self.fields.get("challenge_id")
        if challenge not in challenges:
            raise Fault(422, "mfa_factor_not_found", "MFA factor with the provided challenge ID not found")
        refuse(challenges[challenge], 422, "mfa_ip_address_mismatch", "Challenge and verify IP addresses mismatch.")
        refuse(self.fields.get("code") != "123456", 422, "mfa_verification_failed", "Invalid TOTP code entered")
        challenges[challenge], row["status"], session.aal = True, "verified", "aal2"
        session.amr = [{"method": "totp", "timestamp": int(time.time())}] + session.amr
        session.rotate()
        return session.json()

    def delete_factors_one(self, name):
        session, row = self.factor(name)
        if session.aal == "aal1" and row["status"] == "verified":
            raise Fault(422, "insufficient_aal", "AAL2 required to unenroll verified factor")
        session.user.factors.remove(row)
        return {"id": name}

    # MARK: The administrator

    def get_admin_users(self):
        """Orders by time alone. PostgreSQL sorts the accounts of one time in another way if less than half of all rows
        is wanted, so that pages overlap. Source: PostgreSQL, `puttuple_common` in tuplesort.c."""
        page, size = self.query.get("page", "1"), int(self.query.get("per_page", 50))
        if not page.isdigit():
            raise refused(f'Bad Pagination Parameters: strconv.ParseUint: parsing "{page}": invalid syntax')
        rows = [user for user in USERS[::-1] if self.query.get("filter", "") in user.email]
        total, end = len(rows), max(int(page), 1) * size
        shuffled = (lambda user: user.id[int(page) % 8:]) if end * 2 < total else lambda user: ""
        rows = sorted(rows, key=lambda user: (user.created, shuffled(user)), reverse=True)[end - size:end]
        self.more = {"X-Total-Count": str(total)}
        return {"users": [{**user.json(), "identities": None} for user in rows], "aud": "authenticated"}

    def post_admin_users(self):
        fields = self.fields
        if not fields.get("email") and not fields.get("phone"):
            raise refused("Cannot create a user without either an email or phone")
        if fields.get("email"):
            checked(fields["email"])
        taken = find(fields)
        if taken and taken.email and fields.get("email"):
            raise Fault(422, "email_exists", "A user with this email address has already been registered")
        refuse(taken, 422, "phone_exists", "Phone number already registered by another user")
        check_password(fields.get("password") or "", rules=False)
        old = re.match(r"v2\.(\d+)\.", CONTROL["version"])
        hash = None if old and int(old[1]) < 155 else fields.get("password_hash")
        both = "Only a password or a password hash should be provided"
        refuse(hash and fields.get("password") is not None, refused(both))
        refuse(hash and not HASH.fullmatch(hash), 500, "unexpected_failure", "Error creating user")
        id = (fields.get("id") or "").lower()
        refuse(id and not re.fullmatch(UUID, id), refused("ID must conform to the uuid v4 format"))
        refuse(id == str(uuid.UUID(int=0)), refused("ID cannot be a nil uuid"))
        if any(user.id == id for user in USERS):
            raise duplicate("users_pkey", "id", id)
        user = User(fields, fields.get("password"), fields.get("user_metadata"), id)
        user.hash = hash
        for kind in ("email", "phone"):
            if fields.get(kind):
                user.add_identity(kind, {**merged(user.own_claims(), {"email": None}), "phone": user.phone}
                                  if kind == "phone" else user.own_claims())
        user.administrate({name: value for name, value in fields.items() if name not in ("email", "phone", "password")})
        return user.json(fresh=True)

    def one(self, name):
        refuse(not re.fullmatch(UUID, name), 404, "validation_failed", "user_id must be an UUID")
        user = next((user for user in USERS if user.id == name), None)
        refuse(user is None, 404, "user_not_found", "User not found")
        return user

    def get_admin_users_one(self, name):
        return self.one(name).json()

    def put_admin_users_one(self, name):
        user, fields = self.one(name), self.fields
        other = find(fields)
        if other and other is not user:
            raise duplicate("users_email_partial_key", "email", other.email)
        if "password" in fields:
            check_password(fields["password"])
            user.password, user.hash = fields["password"], None
            user.end()
        user.administrate(fields)
        return user.json()

    def delete_admin_users_one(self, name):
        user = self.one(name)
        user.end()
        USERS.remove(user)
        return {}

    def post_admin_generate_link(self):
        fields = self.fields
        kind, user = fields.get("type"), find(fields)
        refuse(kind not in SLOTS, refused(f"Invalid email action link type requested: {kind}"))
        refuse(kind == "recovery" and user is None, 404, "user_not_found", "User with this email not found")
        if kind == "signup" and user and user.is_confirmed:
            raise Fault(422, "email_exists", "A user with this email address has already been registered")
        if user is None:
            user = User(fields, fields.get("password"))
            user.add_identity("email", user.own_claims())
            kind = "signup" if kind == "magiclink" else kind
        user.mail(kind)
        mail = user.mails[SLOTS[kind]]
        return {
            **user.json(), "action_link": f"http://127.0.0.1/auth/v1/verify?token={mail['hash']}&type={kind}",
            "email_otp": mail["code"], "hashed_token": mail["hash"], "verification_type": kind, "redirect_to": ""}


serve(Handler)
