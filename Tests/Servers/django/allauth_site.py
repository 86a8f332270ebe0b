"""A site with allauth's headless API for apps, mounted at /_allauth/app/v1; see accounts.py for its use."""

import sys

import accounts

MODES = {
    "none": "accounts are good at once; log in by username or e-mail address",
    "optional": "the same without a username, too, and a mail with a link is sent",
    "mandatory-link": "addresses must be verified by a link; log in by address, the username is optional",
    "mandatory-code": "the same by a code, which is mailed again when asked; passwords are reset by a code, too",
    "nosessions": "without the list of sessions",
    "jwt": "JWTs beside the token of the session",
    "jwt-mandatory-code": "the same, and addresses must be verified by a code",
}
BY_CODE = ("mandatory-code", "jwt-mandatory-code")
VERIFYING = (*BY_CODE, "mandatory-link")
JWT = ("jwt", "jwt-mandatory-code")

if accounts.MODE not in MODES:
    sys.exit(f"no such mode: {accounts.MODE}")

by_code = accounts.MODE in BY_CODE
verifies = accounts.MODE in VERIFYING
names_are_optional = verifies or accounts.MODE == "optional"
own = {
    "ACCOUNT_EMAIL_VERIFICATION": "mandatory" if verifies else "optional" if accounts.MODE == "optional" else "none",
    "ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED": by_code,
    "ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND": by_code,
    "ACCOUNT_PASSWORD_RESET_BY_CODE_ENABLED": by_code,
    "ACCOUNT_LOGIN_METHODS": {"email"} if verifies else {"username", "email"},
    "ACCOUNT_RATE_LIMITS": False,
    "ACCOUNT_SIGNUP_FIELDS": ["username" if names_are_optional else "username*", "email*", "password1*"],
    "HEADLESS_ONLY": True,
    "HEADLESS_CLIENTS": ("app", "browser"),
    "HEADLESS_FRONTEND_URLS": {
        "account_confirm_email": "https://site.test/confirm-email/{key}",
        "account_reset_password": "https://site.test/reset",
        "account_reset_password_from_key": "https://site.test/reset/{key}",
        "account_signup": "https://site.test/signup",
    },
    "REST_FRAMEWORK": {"DEFAULT_AUTHENTICATION_CLASSES": [
        f"allauth.headless.contrib.rest_framework.authentication.{name}"
        for name in ("JWTTokenAuthentication", "XSessionTokenAuthentication")]},
    # Required for the last-seen time in the session list.
    "USERSESSIONS_TRACK_ACTIVITY": True,
    "MFA_SUPPORTED_TYPES": ["totp", "recovery_codes"],
    "SOCIALACCOUNT_PROVIDERS": {
        "facebook": {
            "APPS": [{"client_id": "1000", "secret": "a secret"}],
            "GRAPH_API_URL": accounts.GRAPH,
        },
        "openid_connect": {"APPS": [{
            "provider_id": "company",
            "name": "Company",
            "client_id": "the-app",
            "settings": {"server_url": f"{accounts.GRAPH}/issuer"},
        }]},
    },
}
if accounts.MODE in JWT:
    own.update(
        HEADLESS_TOKEN_STRATEGY="allauth.headless.tokens.strategies.jwt.JWTTokenStrategy",
        HEADLESS_JWT_ALGORITHM="HS256", HEADLESS_JWT_ACCESS_TOKEN_EXPIRES_IN=accounts.ACCESS_SECONDS)

lists_sessions = accounts.MODE != "nosessions"
accounts.configure(
    [
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.dummy",
        "allauth.socialaccount.providers.facebook",
        "allauth.socialaccount.providers.openid_connect",
        "allauth.mfa",
        "allauth.headless",
        *(["allauth.usersessions"] if lists_sessions else []),
    ],
    [
        "allauth.account.middleware.AccountMiddleware",
        *(["allauth.usersessions.middleware.UserSessionsMiddleware"] if lists_sessions else []),
    ],
    **own)

from allauth.socialaccount.providers.facebook.provider import FacebookProvider
from django.urls import include, path

# allauth has no setting for this URL.
FacebookProvider.limited_login_jwks_url = f"{accounts.GRAPH}/.well-known/oauth/openid/jwks/"

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("_allauth/", include("allauth.headless.urls")),
    path("api/", include(accounts.app())),
]


def totp(user):
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal import auth

    secret = auth.generate_totp_secret()
    auth.TOTP.activate(user, secret)
    print(secret, *RecoveryCodes.activate(user).generate_codes(), sep="\n")


def code(user):
    import pyotp
    from allauth.mfa.models import Authenticator
    from allauth.mfa.utils import decrypt

    print(pyotp.TOTP(decrypt(Authenticator.objects.get(user=user, type="totp").data["secret"])).now())


if __name__ == "__main__":
    accounts.main(totp=totp, code=code)
