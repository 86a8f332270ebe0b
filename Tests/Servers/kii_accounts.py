"""The accounts of a Kii application, and Kii's errors."""

import secrets
import time
import uuid


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
    OWN = ("loginName", "displayName", "country", "locale", "emailAddress", "phoneNumber")

    def __init__(self, fields):
        self.id = str(uuid.uuid4())
        self.password = fields.pop("password", None)
        self.fields = {name: value for name, value in fields.items() if not name.startswith("_")}
        self.is_email_verified = False
        self.is_disabled = False
        self.code = None
        self.facebook = None
        # Expiry times by token.
        self.access = {}
        self.refresh = set()

    @property
    def is_pseudo(self):
        return not any(self.fields.get(name) for name in ("loginName", "emailAddress", "phoneNumber"))

    def read(self):
        told = {"userID": self.id, "internalUserID": 148478248144076800, **self.fields}
        if "emailAddress" in self.fields:
            told["emailAddressVerified"] = self.is_email_verified
        if "phoneNumber" in self.fields:
            told["phoneNumberVerified"] = False
        told["_hasPassword"] = self.password is not None or self.facebook is not None
        told["_disabled"] = self.is_disabled
        if self.facebook:
            told["_thirdPartyAccounts"] = {
                "facebook": {"id": self.facebook, "type": "facebook", "createdAt": 1418290423360}}
        return told


class Application:
    def __init__(self, words):
        options = dict(word.partition("=")[::2] for word in words)
        self.gives_refresh = "refresh" in options
        self.one_call = options.get("one-call")
        self.verifies = "verify" in options
        self.expires = options.get("expires", "2147483647")
        self.users = []

    def owner(self, token):
        for user in self.users:
            if user.access.get(token, 0) > time.time():
                return user
        raise Fault(403, "WRONG_TOKEN")

    def grant(self, user):
        """Creates an access token and, if configured, a refresh token."""
        token = secrets.token_hex(20)
        # 10**9 s (about 32 years) avoids overflow.
        user.access[token] = time.time() + max(min(int(self.expires), 10**9), -1)
        refresh = secrets.token_hex(20) if self.gives_refresh and not user.is_pseudo else None
        if refresh:
            user.refresh.add(refresh)
        if self.verifies and "emailAddress" in user.fields and not user.is_email_verified and not user.code:
            self.send_mail(user)
        return token, refresh

    def token_answer(self, user, **more):
        token, refresh = self.grant(user)
        answer = {"id": user.id, "access_token": token, "expires_in": int(self.expires), "token_type": "bearer"}
        return {**answer, **({"refresh_token": refresh} if refresh else {}), **more}

    def send_mail(self, user):
        user.code = str(secrets.randbelow(900_000) + 100_000)

    def find(self, name, is_login=False):
        """Finds a user by `EMAIL:` or `PHONE:` and the address, by the login name (for a login), or by the id."""
        kind, _, address = name.partition(":")
        for user in self.users:
            fields = user.fields
            if kind == "EMAIL" and fields.get("emailAddress") == address:
                if user.is_email_verified or not self.verifies or not is_login:
                    return user
            elif kind == "PHONE" and fields.get("phoneNumber") == address and not (self.verifies and is_login):
                return user
            elif is_login and fields.get("loginName") == name or not is_login and user.id == name:
                return user
        return None

    def end_all(self, user):
        user.access.clear()
        user.refresh.clear()
