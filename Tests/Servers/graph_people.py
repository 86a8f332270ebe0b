"""The users of graph.py, their tokens, and Facebook's errors.

Tokens of users:

tok-ann, tok-bob, tok-cat      with e-mail addresses, ids 1001 to 1003
tok-otherapp                   issued to another app, with another secret

After a user revokes the app's permissions, the user's tokens are invalid.

tok-expired, tok-bad           rejected with Facebook's errors for an expired and for an unknown token
"""

import hashlib
import hmac
import threading

APP = "1000"
# The Django sites are configured with the same secret.
SECRET = "a secret"
OTHER_APP = "2000"


def person(number, first, last, email=None):
    known = {"id": str(number), "name": f"{first} {last}", "first_name": first, "last_name": last}
    return {**known, "email": email} if email else known


PEOPLE = {
    "tok-ann": person(1001, "Ann", "Face", "ann.face@example.com"),
    "tok-bob": person(1002, "Bob", "Face", "bob.face@example.com"),
    "tok-cat": person(1003, "Cat", "Face", "cat.face@example.com"),
    "tok-otherapp": person(1006, "Finn", "Face", "finn.face@example.com"),
}

# Tokens of users who revoked the app's permissions.
revoked = set()
lock = threading.Lock()


class Refusal(Exception):
    """An error in Graph's format, without the members that are None."""

    def __init__(self, code, message, subcode=None, title=None, words=None, status=400, kind="OAuthException"):
        super().__init__(message)
        self.status = status
        error = {
            "message": message, "type": kind, "code": code, "error_subcode": subcode, "error_user_title": title,
            "error_user_msg": words, "fbtrace_id": "AbCdEfGhIjK",
        }
        self.body = {"error": {name: value for name, value in error.items() if value is not None}}


def owner(token):
    """The token, which is its user's key in PEOPLE. Raises a Refusal if the token is invalid."""
    if token == "tok-expired":
        raise Refusal(
            190, "Error validating access token: Session has expired on Monday, 02-Nov-26 10:00:00 PST.", subcode=463)
    if not token:
        raise Refusal(2500, "An active access token must be used to query information about the current user.")
    if token not in PEOPLE:
        raise Refusal(190, "Invalid OAuth access token - Cannot parse access token")
    if token in revoked:
        raise Refusal(
            190, f"Error validating access token: The user has not authorized application {APP}.", subcode=458)
    return token


def caller(request):
    """The token of the request. Raises a Refusal if the token or its appsecret_proof is invalid."""
    name = owner(request.token)
    proof = request.value("appsecret_proof")
    secret = "another secret" if name == "tok-otherapp" else SECRET
    right = hmac.new(secret.encode(), request.token.encode(), hashlib.sha256).hexdigest()
    if proof and proof != right:
        raise Refusal(
            100, "Invalid appsecret_proof provided in the API argument", kind="GraphMethodException")
    return name


def me(request):
    name = caller(request)
    fields = (request.value("fields") or "id,name").split(",")
    return {field: PEOPLE[name][field] for field in fields if field in PEOPLE[name]}


def google_user(request):
    """Google's userinfo. Source: django-allauth 65.21.1, `providers/google/provider.py`."""
    user = PEOPLE[owner(request.token)]
    return {"id": user["id"], "email": user.get("email"), "verified_email": True, "name": user["name"]}


def app(request):
    number = OTHER_APP if caller(request) == "tok-otherapp" else APP
    return {
        "id": number, "name": "Another app" if number == OTHER_APP else "The app",
        "link": f"https://www.facebook.com/games/?app_id={number}",
    }


def revoke(request):
    """Revokes the app's permissions. tok-cat gets the documented response `true`, others the one Facebook now sends."""
    name = caller(request)
    with lock:
        revoked.add(name)
    return True if name == "tok-cat" else {"success": True}


def access_token(request):
    """A long-lived user token if the grant type is fb_exchange_token, otherwise the app access token."""
    if request.value("client_id") != APP:
        raise Refusal(101, "Error validating application. Invalid application ID.")
    if request.value("client_secret") != SECRET:
        raise Refusal(1, "Error validating client secret.")
    if request.value("grant_type") == "fb_exchange_token":
        token = request.value("fb_exchange_token")
        owner(token)
        return {"access_token": token, "token_type": "bearer", "expires_in": 5183944}
    return {"access_token": f"{APP}|app", "token_type": "bearer"}


def debug_token(request):
    if request.token not in (f"{APP}|app", f"{APP}|{SECRET}"):
        raise Refusal(100, "(#100) You must provide an app access token, or a user access token of the app's developer")
    try:
        name = owner(request.value("input_token"))
    except Refusal as refusal:
        error = refusal.body["error"]
        return {"data": {"is_valid": False, "error": {"code": error["code"], "message": error["message"]}}}
    number = OTHER_APP if name == "tok-otherapp" else APP
    return {"data": {
        "app_id": number, "type": "USER", "is_valid": True, "user_id": PEOPLE[name].get("id"),
        "scopes": ["public_profile", "email"],
    }}
