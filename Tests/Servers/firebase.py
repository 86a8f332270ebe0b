#!/usr/bin/env python3
"""A fake of Firebase's Auth Emulator, made from the recorded exchanges in Tests/Exchanges/firebase.

Listens on a free loopback port, prints {"port": N}, and exits with its parent. The project is `demo-shop`. `replay.py`
compares the fake with the recorded exchanges. Unlike the emulator, it rejects ID tokens whose life is over, a login before
CONTROL's `oldest` for the deletion of an account, and unknown members in a request of the administrator. PATCH /control sets `oldest` to the current time, whatever its
value, and returns the controls and the number of refreshes. Accounts whose address begins with `single` have a TOTP
factor with the code 123456.
"""

import json
import os
import re
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import opened, part, serve

PROJECT = "demo-shop"
CONTROL = {"oldest": 0, "refreshes": 0}
CONFIG = {"signIn": {"allowDuplicateEmails": False}, "emailPrivacyConfig": {"enableImprovedEmailPrivacy": False}}
LIFE = 3600
USERS, CODES, MESSAGES, PENDING = [], [], [], {}
LOCK = threading.RLock()
MODES = {
    "VERIFY_EMAIL": "verifyEmail", "PASSWORD_RESET": "resetPassword", "VERIFY_AND_CHANGE_EMAIL": "verifyAndChangeEmail",
    "EMAIL_SIGNIN": "signIn", "RECOVER_EMAIL": "recoverEmail"}
FORBIDDEN = "iss aud sub iat exp nbf jti nonce azp acr amr cnf auth_time firebase at_hash c_hash".split()
# The members of an administrator's request that the service knows, and the client may send.
MEMBERS = {
    "": set("localId email password emailVerified displayName photoUrl phoneNumber disabled".split()),
    "update": set(
        "localId email password emailVerified displayName photoUrl phoneNumber disableUser customAttributes validSince "
        "deleteAttribute deleteProvider".split())}
BAD_KEY = (
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
    "authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.")


class Fault(Exception):
    def __init__(self, code, status=400, reason="invalid", state=None, **more):
        first = {"message": code, "reason": reason, **more}
        if reason in ("invalid", "forbidden", "parseError", "authError"):
            first["domain"] = "global"
        self.status, self.body = status, {"error": {"code": status, "message": code, "errors": [first]}}
        if state:
            self.body["error"]["status"] = state


def refuse(condition, fault, *words, **more):
    if condition:
        raise fault if isinstance(fault, Fault) else Fault(fault, *words, **more)


def unknown():
    return Fault("Not Found", 404, "notFound", "NOT_FOUND")


def unimplemented(text):
    return Fault(text, 501, "unimplemented", "NOT_IMPLEMENTED")


def milliseconds():
    return str(int(time.time() * 1000))


def checked(email):
    refuse(not isinstance(email, str) or not re.fullmatch(r"[^@\s]+@[^@\s]+", email), "INVALID_EMAIL")
    return email.lower()


class User:
    """`since` counts the ends of all sessions; `fields` are members of the account as the server returns it."""

    def __init__(self, fields, **more):
        self.password, self.identities, self.since, self.claims = None, [], 0, {}
        self.fields = {
            "localId": secrets.token_hex(14), "createdAt": milliseconds(), "lastLoginAt": milliseconds(), **more}
        self.change(fields)
        USERS.append(self)

    def change(self, fields):
        """Changes what the user may change, and returns whether all sessions end."""
        email = checked(fields["email"]) if "email" in fields else None
        refuse(email and find(email=email) not in (None, self), "EMAIL_EXISTS")
        if len(fields.get("password", "long enough")) < 6:
            raise Fault("WEAK_PASSWORD : Password should be at least 6 characters")
        ends = "password" in fields or email not in (None, self.fields.get("email"))
        phone = fields.get("phoneNumber")
        refuse(phone is not None and not phone.startswith("+"), "INVALID_PHONE_NUMBER : Invalid format.")
        refuse(phone and find(phoneNumber=phone) not in (None, self), "PHONE_NUMBER_EXISTS")
        for name in ("displayName", "photoUrl", "phoneNumber"):
            if name in fields:
                self.fields[name] = fields[name]
        if email and email != self.fields.get("email"):
            self.move(email, False)
        if "password" in fields:
            self.password = fields["password"]
            stamps = {"passwordUpdatedAt": int(time.time() * 1000), "validSince": str(int(time.time()))}
            secret = f"fakeHash:salt=fakeSalt:password={self.password}"
            self.fields.update(salt="fakeSalt", passwordHash=secret, **stamps)
        self.since += ends
        for name in fields.get("deleteAttribute", []):
            self.fields.pop({"DISPLAY_NAME": "displayName", "PHOTO_URL": "photoUrl"}[name], None)
        if "password" in fields.get("deleteProvider", []):
            self.forget_password()
            self.fields.pop("email", None)
            self.fields.pop("emailVerified", None)
        if "phone" in fields.get("deleteProvider", []):
            self.fields.pop("phoneNumber", None)
        self.identities = [row for row in self.identities if row["providerId"] not in fields.get("deleteProvider", [])]
        return ends

    def move(self, email, isVerified):
        if "email" in self.fields:
            send_code("RECOVER_EMAIL", self.fields["email"])
            self.fields.setdefault("initialEmail", self.fields["email"])
        self.fields.update(email=email, emailVerified=isVerified)

    def forget_password(self):
        self.password = None
        for name in ("salt", "passwordHash", "passwordUpdatedAt"):
            self.fields.pop(name, None)

    @property
    def id(self):
        return self.fields["localId"]

    @property
    def providers(self):
        email = self.fields.get("email")
        more = {name: self.fields[name] for name in ("displayName", "photoUrl") if name in self.fields}
        own = [{"providerId": "password", "email": email, "federatedId": email, "rawId": email, **more}]
        phone = self.fields.get("phoneNumber")
        rows = [{"providerId": "phone", "phoneNumber": phone, "rawId": phone}] if phone else []
        return (own if self.password else []) + rows + self.identities

    def json(self):
        providers = {"providerUserInfo": self.providers} if self.providers or "email" in self.fields else {}
        return {**self.fields, **providers}

    def changed(self, fields={}, ends=False):
        """The response to a change; with tokens, even of a disabled account, if the change ends all sessions."""
        names = ("localId", "emailVerified", "email", "displayName", "photoUrl", "passwordHash")
        old = {name: self.fields[name] for name in names if name in self.fields}
        new = {"newEmail": self.fields["email"]} if "email" in fields else {}
        return {
            "kind": "identitytoolkit#SetAccountInfoResponse", **old, "providerUserInfo": self.providers, **new,
            **(self.issue() if ends else {})}

    def tokens(self, provider=None, login=None, extra=None):
        refuse(self.fields.get("disabled"), "USER_DISABLED")
        return self.issue(provider, login, extra)

    def issue(self, provider=None, login=None, extra=None):
        now = time.time()
        provider = provider or ("password" if "email" in self.fields else "anonymous")
        names = (("email", "email"), ("phone", "phoneNumber"))
        identities = {kind: [self.fields[name]] for kind, name in names if name in self.fields}
        body = {
            **({"provider_id": "anonymous"} if provider == "anonymous" else {}),
            **({"name": self.fields["displayName"]} if "displayName" in self.fields else {}), **self.claims,
            **(extra or {}), "auth_time": int(login or now), "user_id": self.id, "iat": int(now),
            "exp": int(now + LIFE),
            "firebase": {
                "identities": {**identities, **{row["providerId"]: [row["rawId"]] for row in self.identities}},
                "sign_in_provider": provider},
            "aud": PROJECT, "iss": f"https://securetoken.google.com/{PROJECT}", "sub": self.id}
        for name, member in (("email", "email"), ("emailVerified", "email_verified"), ("phoneNumber", "phone_number")):
            if name in self.fields:
                body[member] = self.fields[name]
        self.fields["lastRefreshAt"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(now))
        header = {"alg": "none", "typ": "JWT", "since": self.since, "login": login or now, "n": secrets.token_hex(4)}
        refresh = {
            "_AuthEmulatorRefreshToken": "DO NOT MODIFY", "localId": self.id, "provider": provider,
            "extraClaims": extra or {}, "projectId": PROJECT, "auth_time": login or now}
        return {"idToken": f"{part(header)}.{part(body)}.", "refreshToken": part(refresh), "expiresIn": str(LIFE)}


def find(**wanted):
    for user in USERS:
        if all(user.fields.get(name) == value for name, value in wanted.items()):
            return user
    return None


def owner(token):
    refuse(not token, "MISSING_ID_TOKEN")
    try:
        header, body = map(opened, token.split(".")[:2])
    except ValueError:
        raise Fault("INVALID_ID_TOKEN")
    user = find(localId=body.get("sub"))
    refuse(not user, "USER_NOT_FOUND")
    refuse(user.fields.get("disabled"), "USER_DISABLED")
    refuse(header.get("since", 0) != user.since or body["exp"] <= time.time(), "TOKEN_EXPIRED")
    return user, header


def send_code(kind, email, **more):
    code = secrets.token_hex(12)
    link = f"http://127.0.0.1/emulator/action?mode={MODES[kind]}&lang=en&oobCode={code}&apiKey=fake-api-key"
    CODES.append({"email": email, "requestType": kind, "oobCode": code, "oobLink": link, **more})
    return CODES[-1]


def take(body, kinds):
    refuse(not body.get("oobCode"), "MISSING_OOB_CODE")
    for row in CODES:
        if row["oobCode"] == body["oobCode"] and row["requestType"] in kinds:
            return row
    raise Fault("INVALID_OOB_CODE")


def is_private():
    return CONFIG["emailPrivacyConfig"]["enableImprovedEmailPrivacy"]


def sign_up(body, isAdmin=False):
    kind = {"kind": "identitytoolkit#SignupNewUserResponse"}
    refuse("localId" in body and not isAdmin, "UNEXPECTED_PARAMETER : User ID")
    if not isAdmin and any(name in body for name in ("email", "password")):
        refuse(not body.get("email"), "MISSING_EMAIL")
        checked(body["email"])
        refuse(not body.get("password"), "MISSING_PASSWORD")
    refuse(find(localId=body.get("localId", "")), "DUPLICATE_LOCAL_ID")
    names = ["email", "password", "displayName"] + ["photoUrl", "phoneNumber"] * isAdmin
    fields = {name: body[name] for name in names if name in body}
    if "idToken" in body:
        user = owner(body["idToken"])[0]
        user.change(fields)
    else:
        user = User(fields, **({"localId": body["localId"]} if "localId" in body else {}))
    if isAdmin:
        user.fields.update({
            name: body[key] for name, key in (("emailVerified", "emailVerified"), ("disabled", "disabled"))
            if body.get(key)})
    shown = {name: user.fields[name] for name in ("localId", "displayName", "email") if name in user.fields}
    return {**kind, **shown, **({} if isAdmin else user.tokens())}


def sign_in(body):
    refuse(not body.get("email"), "MISSING_EMAIL")
    email = checked(body["email"])
    refuse(not body.get("password"), "MISSING_PASSWORD")
    user = find(email=email)
    refuse(user and user.fields.get("disabled"), "USER_DISABLED")
    if not user or user.password != body["password"]:
        code = "INVALID_PASSWORD" if user else "EMAIL_NOT_FOUND"
        raise Fault("INVALID_LOGIN_CREDENTIALS" if is_private() else code)
    user.fields["lastLoginAt"] = milliseconds()
    shown = {
        "kind": "identitytoolkit#VerifyPasswordResponse", "registered": True, "localId": user.id,
        "email": user.fields["email"]}
    if user.fields["email"].startswith("single"):
        PENDING["p" + user.id] = user
        return {**shown, "mfaPendingCredential": "p" + user.id, "mfaInfo": [{"mfaEnrollmentId": "f1", "totpInfo": {}}]}
    return {**shown, **user.tokens()}


def finalize(body):
    user = PENDING.get(body["mfaPendingCredential"])
    if not user or body["totpVerificationInfo"]["verificationCode"] != "123456":
        raise Fault("INVALID_CODE" if user else "INVALID_MFA_PENDING_CREDENTIAL")
    return user.tokens()


def proof(form, uri):
    """The claims of an identity, from an ID token or from a JSON object in place of an access token."""
    provider = form.get("providerId")
    if not provider:
        text = "&".join(f"{name}={value}" for name, value in form.items())
        raise Fault(f"INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: {uri}/?{text}")
    if "id_token" in form:
        try:
            claims = opened(form["id_token"].split(".")[1])
        except (IndexError, ValueError):
            raise Fault(
                f"INVALID_IDP_RESPONSE : Unable to parse id_token: {form['id_token']} "
                "((Auth Emulator only accepts strict JSON or JWTs as fake id_tokens.))")
    elif "access_token" not in form:
        raise unimplemented("The Auth Emulator only supports sign-in with credentials (id_token required).")
    elif provider == "google.com":
        raise unimplemented(
            "The Auth Emulator only support sign-in with google.com using id_token, not access_token. "
            "Please update your code to use id_token.")
    else:
        try:
            claims = json.loads(form["access_token"])
        except ValueError:
            raise unimplemented(f"The Auth Emulator does not support {provider} sign-in with credentials.")
    if not claims.get("sub"):
        raise Fault(
            'INVALID_IDP_RESPONSE : Invalid Idp Response: id_token missing required fields. ((Missing "sub" field. '
            "This field is required and must be a unique identifier.))")
    return provider, claims


def sign_in_with_provider(body):
    form = {name: values[0] for name, values in parse_qs(body.get("postBody", "")).items()}
    refuse(not body.get("requestUri"), "MISSING_REQUEST_URI")
    provider, claims = proof(form, body["requestUri"])
    email, vouches = claims.get("email"), provider == "google.com" or bool(claims.get("email_verified"))
    federated = f"https://accounts.google.com/{claims['sub']}" if provider == "google.com" else claims["sub"]
    name = {"displayName": claims["name"], "fullName": claims["name"]} if "name" in claims else {}
    token = form.get("access_token") or f"FirebaseAuthEmulatorFakeAccessToken_{provider}"
    shown = {
        "kind": "identitytoolkit#VerifyAssertionResponse", "context": "", "providerId": provider, **name,
        **({"email": email, "emailVerified": vouches} if email else {}), "rawUserInfo": json.dumps(claims),
        "federatedId": federated, "oauthAccessToken": token,
        **({"oauthIdToken": form["id_token"]} if "id_token" in form else {})}
    row = {
        "providerId": provider, "rawId": claims["sub"], "federatedId": federated,
        **({"email": email} if email else {}), **({"displayName": claims["name"]} if "name" in claims else {})}
    known = next((user for user in USERS for own in user.identities if own["rawId"] == row["rawId"]
                  and own["providerId"] == provider), None)
    if "idToken" in body:
        user, _ = owner(body["idToken"])
        refuse(known, "FEDERATED_USER_ID_ALREADY_LINKED")
        refuse(email and find(email=email) not in (None, user), "EMAIL_EXISTS")
        shown.setdefault("emailVerified", False)
    else:
        user = known or find(email=email or "")
    isNew = user is None
    if user and not known and "idToken" not in body and not vouches:
        rows = [own["providerId"] for own in user.identities]
        return {**shown, "needConfirmation": True, "localId": user.id, "verifiedProvider": rows}
    if isNew:
        user = User({"displayName": claims["name"]} if "name" in claims else {})
        user.fields.update({"email": email, "emailVerified": vouches} if email else {})
    elif vouches and email == user.fields.get("email"):
        if not user.fields.get("emailVerified") and "idToken" not in body:
            user.forget_password()
        user.fields["emailVerified"] = True
    user.identities = [own for own in user.identities if own["providerId"] != provider] + [row]
    return {
        **shown, **({"isNewUser": True} if isNew else {}), "localId": user.id,
        **user.tokens(provider)}


def update(body):
    if "oobCode" in body:
        row = take(body, ["VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL", "RECOVER_EMAIL", "PASSWORD_RESET"])
        refuse(row["requestType"] == "PASSWORD_RESET", unimplemented("PASSWORD_RESET"))
        user = find(email=row["email"])
        CODES.remove(row)
        if "newEmail" in row:
            user.move(row["newEmail"], True)
        user.fields["emailVerified"] = True
        return user.changed({"email": row["newEmail"]} if "newEmail" in row else {})
    refuse("idToken" not in body, "INVALID_REQ_TYPE : Unsupported request parameters.")
    user, _ = owner(body["idToken"])
    refuse("customAttributes" in body, "INSUFFICIENT_PERMISSION")
    refuse("disableUser" in body, "OPERATION_NOT_ALLOWED")
    return user.changed(body, user.change(body))


def delete(body):
    user, header = owner(body.get("idToken"))
    refuse(header["login"] < CONTROL["oldest"], "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    USERS.remove(user)
    return {"kind": "identitytoolkit#DeleteAccountResponse"}


def send_mail(body, isAdmin=False):
    kind = body.get("requestType")
    refuse(not kind, "MISSING_REQ_TYPE")
    if kind not in MODES or kind == "RECOVER_EMAIL":
        text = "Invalid JSON payload received. /requestType must be equal to one of the allowed values"
        raise Fault(text, state="INVALID_ARGUMENT")
    refuse("returnOobLink" in body and not isAdmin, "INSUFFICIENT_PERMISSION")
    if not re.match("https?://", body.get("continueUrl", "http://")):
        raise Fault("INVALID_CONTINUE_URI : ((expected an absolute URI with valid scheme and host))")
    more = {}
    if kind in ("PASSWORD_RESET", "EMAIL_SIGNIN") or isAdmin:
        refuse(not body.get("email"), "MISSING_EMAIL")
        email = body["email"].lower()
        if kind != "EMAIL_SIGNIN" and not find(email=email):
            if is_private():
                return {"kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": body["email"]}
            raise Fault("EMAIL_NOT_FOUND")
    else:
        refuse(kind == "VERIFY_EMAIL" and "idToken" not in body, "INVALID_ID_TOKEN")
        email = owner(body.get("idToken"))[0].fields.get("email")
        refuse(not email, "MISSING_EMAIL")
        if kind == "VERIFY_AND_CHANGE_EMAIL":
            refuse(not body.get("newEmail"), "MISSING_NEW_EMAIL")
            more = {"newEmail": checked(body["newEmail"])}
            refuse(find(email=more["newEmail"]), "EMAIL_EXISTS")
    row = send_code(kind, email, **more)
    link = {name: row[name] for name in ("oobCode", "oobLink")} if body.get("returnOobLink") else {}
    return {"kind": "identitytoolkit#GetOobConfirmationCodeResponse", "email": email, **link}


def reset(body):
    row = take(body, ["PASSWORD_RESET"] if "newPassword" in body else list(MODES))
    shown = {name: row[name] for name in ("requestType", "email", "newEmail") if name in row}
    if "newPassword" in body:
        user = find(email=row["email"])
        user.change({"password": body["newPassword"]})
        user.identities, user.fields["emailVerified"] = [], True
        CODES.remove(row)
    return {"kind": "identitytoolkit#ResetPasswordResponse", **shown}


def sign_in_with_link(body):
    row = take(body, ["EMAIL_SIGNIN"])
    if row["email"] != body.get("email", "").lower():
        raise Fault("INVALID_EMAIL : The email provided does not match the sign-in email address.")
    CODES.remove(row)
    user = find(email=row["email"])
    isNew, user = user is None, user or User({"email": row["email"]})
    user.fields["emailVerified"] = True
    return {
        "kind": "identitytoolkit#EmailLinkSigninResponse", "email": row["email"], "localId": user.id,
        "isNewUser": isNew, **user.tokens()}


def send_message(body):
    phone = body.get("phoneNumber", "")
    refuse(not re.fullmatch(r"\+\d{6,15}", phone), "INVALID_PHONE_NUMBER : Invalid format.")
    code = str(secrets.randbelow(900000) + 100000)
    MESSAGES.append({"code": code, "phoneNumber": phone, "sessionInfo": secrets.token_urlsafe(60)})
    return {"sessionInfo": MESSAGES[-1]["sessionInfo"]}


def sign_in_with_phone(body):
    row = next((row for row in MESSAGES if row["sessionInfo"] == body.get("sessionInfo")), None)
    refuse(row is None, "INVALID_SESSION_INFO")
    refuse(row["code"] != body.get("code"), "INVALID_CODE")
    MESSAGES.remove(row)
    user = find(phoneNumber=row["phoneNumber"])
    isNew, user = user is None, user or User({"phoneNumber": row["phoneNumber"]})
    shown = {"isNewUser": isNew, "phoneNumber": row["phoneNumber"], "localId": user.id}
    return {**shown, **user.tokens("phone")}


def refresh(form):
    grant = form.get("grant_type") or form.get("grantType")
    text = form.get("refresh_token") or form.get("refreshToken")
    refuse(not grant, "MISSING_GRANT_TYPE")
    refuse(grant != "refresh_token", "INVALID_GRANT_TYPE")
    refuse(not text, "MISSING_REFRESH_TOKEN")
    try:
        body = opened(text)
    except ValueError:
        raise Fault("INVALID_REFRESH_TOKEN")
    user = find(localId=body["localId"])
    refuse(not user, "INVALID_REFRESH_TOKEN")
    # The emulator revives a session that a password change has ended.
    CONTROL["refreshes"] += 1
    new = user.tokens(body["provider"], body["auth_time"], body["extraClaims"])
    return {
        "id_token": new["idToken"], "access_token": new["idToken"], "expires_in": new["expiresIn"],
        "refresh_token": new["refreshToken"], "token_type": "Bearer", "user_id": user.id, "project_id": "12345"}


def custom(body):
    text = body.get("token")
    refuse(not text, "MISSING_CUSTOM_TOKEN")
    try:
        claims = json.loads(text) if text.startswith("{") else opened(text.split(".")[1])
    except (IndexError, ValueError):
        raise Fault("INVALID_CUSTOM_TOKEN : Invalid assertion format")
    refuse(not claims.get("uid"), "MISSING_IDENTIFIER")
    user = find(localId=claims["uid"])
    isNew, user = user is None, user or User({}, localId=claims["uid"])
    shown = {"kind": "identitytoolkit#VerifyCustomTokenResponse", "isNewUser": isNew}
    return {**shown, **user.tokens("custom", extra=claims.get("claims"))}


def lookup(user):
    return {"kind": "identitytoolkit#GetAccountInfoResponse", **({"users": [user.json()]} if user else {})}


VERBS = {
    "signUp": sign_up, "signInWithPassword": sign_in, "signInWithIdp": sign_in_with_provider, "update": update,
    "delete": delete, "sendOobCode": send_mail, "resetPassword": reset, "signInWithCustomToken": custom,
    "signInWithEmailLink": sign_in_with_link, "sendVerificationCode": send_message,
    "signInWithPhoneNumber": sign_in_with_phone, "lookup": lambda body: lookup(owner(body.get("idToken"))[0]),
}


def administrate(verb, query, body, users):
    if verb == "batchGet":
        rows = sorted(users, key=lambda user: user.id)
        after, size = query.get("nextPageToken", [""])[0], int(query.get("maxResults", ["20"])[0])
        page = [user for user in rows if user.id > after][:min(size, 1000)]
        more = {"nextPageToken": page[-1].id} if len(page) == size else {}
        return {"kind": "identitytoolkit#DownloadAccountResponse", "users": [user.json() for user in page], **more}
    if verb == "lookup":
        return lookup(next((user for user in users for name in body if user.fields.get(name) == body[name][0]), None))
    if verb in MEMBERS:
        for name in body.keys() - MEMBERS[verb]:
            text = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
            raise Fault(text, state="INVALID_ARGUMENT")
    if verb == "":
        return sign_up(body, isAdmin=True)
    if verb == "sendOobCode":
        return send_mail(body, isAdmin=True)
    refuse(verb not in ("update", "delete"), unknown())
    refuse(not body.get("localId"), "MISSING_LOCAL_ID")
    user = find(localId=body["localId"])
    refuse(not user, "USER_NOT_FOUND")
    if verb == "delete":
        USERS.remove(user)
        return {"kind": "identitytoolkit#DeleteAccountResponse"}
    if "customAttributes" in body:
        user.claims = claims(body["customAttributes"])
        user.fields["customAttributes"] = body["customAttributes"]
    user.change(body)
    if "disableUser" in body:
        user.fields["disabled"] = body["disableUser"]
    if "emailVerified" in body:
        user.fields["emailVerified"] = body["emailVerified"]
    if "validSince" in body:
        user.since += 1
        user.fields["validSince"] = body["validSince"]
    return user.changed(body, "password" in body)


def claims(text):
    refuse(len(text) > 1000, "CLAIMS_TOO_LARGE")
    try:
        found = json.loads(text)
    except ValueError:
        raise Fault("INVALID_CLAIMS")
    refuse(not isinstance(found, dict), "INVALID_CLAIMS")
    for name in FORBIDDEN:
        refuse(name in found, f"FORBIDDEN_CLAIM : {name}")
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def parsed(self, data, isForm=False):
        if self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded"):
            refuse(not isForm, "Invalid content-type: application/x-www-form-urlencoded", reason="unknown")
            return {name: values[0] for name, values in parse_qs(data).items()}
        try:
            return json.loads(data or "{}")
        except ValueError:
            text = "Invalid JSON payload received. Unexpected end of JSON input"
            raise Fault(text, reason="parseError", state="INVALID_ARGUMENT")

    def route(self):
        url = urlsplit(self.path)
        data, query = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(), parse_qs(url.query)
        path = url.path
        if path == "/":
            return {"authEmulator": {"ready": True, "docs": "x", "apiSpec": "/emulator/openapi.json"}}
        if path == "/control":
            CONTROL.update({name: time.time() for name in json.loads(data)})
            return CONTROL
        if path.startswith("/emulator/v1/projects/"):
            return self.emulate(*path.split("/")[4:6], data)
        key = self.headers.get("X-Goog-Api-Key") or query.get("key")
        admin = self.headers.get("Authorization")
        project = re.fullmatch(r"/identitytoolkit\.googleapis\.com/v1/projects/([^/]+)/accounts(?::(\w+))?", path)
        verb = re.fullmatch(r"/identitytoolkit\.googleapis\.com/v1/accounts:(\w+)", path)
        isProjects = path == "/identitytoolkit.googleapis.com/v1/projects"
        isRefresh = path == "/securetoken.googleapis.com/v1/token"
        isFinalize = path == "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:finalize"
        refuse(not (project or verb and verb[1] in VERBS or isProjects or isRefresh or isFinalize), unknown())
        if verb and self.command == "GET":
            fault = Fault("", 405)
            fault.body = {"message": f"Method GET not allowed for {self.path}"}
            raise fault
        refuse(not key and not admin, "The request is missing a valid API key.", 403, "forbidden", "PERMISSION_DENIED")
        if admin not in (None, "Bearer owner"):
            raise Fault(BAD_KEY, 401, "authError", "UNAUTHENTICATED", location="Authorization", locationType="header")
        if isProjects:
            return {"projectId": "12345", "authorizedDomains": ["localhost"]}
        body = self.parsed(data, isRefresh)
        if isRefresh:
            return refresh(body)
        if isFinalize:
            return finalize(body)
        if not project:
            return VERBS[verb[1]](body)
        refuse(not admin, "INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id.")
        return administrate(project[2] or "", query, body, USERS if project[1] == PROJECT else [])

    def emulate(self, project, name, data):
        if name == "oobCodes":
            return {"oobCodes": CODES if project == PROJECT else []}
        if name == "verificationCodes":
            return {"verificationCodes": MESSAGES if project == PROJECT else []}
        if name == "config":
            for member, value in (self.parsed(data) if self.command == "PATCH" else {}).items():
                CONFIG[member] = value
            return CONFIG
        if name == "accounts" and self.command == "DELETE":
            USERS.clear()
            return {}
        raise unknown()

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

    do_POST = do_PATCH = do_DELETE = do_GET

    def log_message(self, *_):
        pass


serve(Handler)
