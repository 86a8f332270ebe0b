"""A site with dj-rest-auth 7.2.0, mounted at /dj-rest-auth/; see accounts.py for its use."""

import sys
from datetime import timedelta

import accounts

MODES = {
    "none": "keys; accounts are good at once; log in by username or e-mail address",
    "mandatory": "keys; addresses must be verified; log in by address, the username is optional",
    "facebook": "the same as none",
    "mfa": "keys; accounts may have a second factor",
    "jwt": "JWT in the body; refresh tokens are good for one use",
    "jwt-keep": "JWT in the body; a refresh token is used until it expires",
    "jwt-mandatory": "as jwt, and addresses must be verified",
    "jwt-noblacklist": "JWT in the body; nothing can be ended before it expires",
    "jwt-cookie": "JWT in cookies; the refresh token is nowhere else",
    "jwt-nocookie": "the factory settings of JWT: login hands out no refresh token",
    "facebook-jwt": "the same as jwt",
    "mfa-jwt": "as jwt, and accounts may have a second factor",
}
VERIFYING = ("mandatory", "jwt-mandatory")
JWT = [name for name in MODES if "jwt" in name]

if accounts.MODE not in MODES:
    sys.exit(f"no such mode: {accounts.MODE}")

authentication = (
    "dj_rest_auth.jwt_auth.JWTCookieAuthentication" if accounts.MODE in JWT
    else "rest_framework.authentication.TokenAuthentication")
rest_auth = {"USE_JWT": accounts.MODE in JWT, "JWT_AUTH_HTTPONLY": False}
rotates = accounts.MODE not in ("jwt-keep", "jwt-noblacklist")
own = {
    "ACCOUNT_EMAIL_VERIFICATION": "mandatory" if accounts.MODE in VERIFYING else "none",
    "ACCOUNT_LOGIN_METHODS": {"username", "email"},
    "ACCOUNT_SIGNUP_FIELDS": ["username*", "email*", "password1*", "password2*"],
    "ACCOUNT_RATE_LIMITS": False,
    "SOCIALACCOUNT_PROVIDERS": {
        "facebook": {
            "APPS": [{"client_id": "1000", "secret": "a secret"}],
            "GRAPH_API_URL": accounts.GRAPH,
        },
        "google": {
            "APPS": [{"client_id": "1000", "secret": "a secret"}],
            "CERTS_URL": f"{accounts.GRAPH}/.well-known/oauth/openid/jwks/",
            "IDENTITY_URL": f"{accounts.GRAPH}/oauth2/v2/userinfo",
        },
    },
    "REST_FRAMEWORK": {"DEFAULT_AUTHENTICATION_CLASSES": [authentication]},
    "SIMPLE_JWT": {
        "ACCESS_TOKEN_LIFETIME": timedelta(seconds=accounts.ACCESS_SECONDS),
        "ROTATE_REFRESH_TOKENS": rotates,
        "BLACKLIST_AFTER_ROTATION": rotates,
    },
}
if accounts.MODE in VERIFYING:
    own.update(
        ACCOUNT_LOGIN_METHODS={"email"}, ACCOUNT_SIGNUP_FIELDS=["username", "email*", "password1*", "password2*"])
elif accounts.MODE == "jwt-cookie":
    rest_auth.update(
        JWT_AUTH_HTTPONLY=True, JWT_AUTH_COOKIE="auth", JWT_AUTH_REFRESH_COOKIE="refresh",
        JWT_AUTH_REFRESH_COOKIE_PATH="/dj-rest-auth/token/", JWT_AUTH_SAMESITE="Strict")
elif accounts.MODE == "jwt-nocookie":
    rest_auth.update(JWT_AUTH_HTTPONLY=True)

accounts.configure(
    [
        "rest_framework",
        "rest_framework.authtoken",
        "dj_rest_auth",
        "allauth",
        "allauth.account",
        "dj_rest_auth.registration",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.facebook",
        "allauth.socialaccount.providers.google",
        *(["dj_rest_auth.mfa"] if accounts.MODE in ("mfa", "mfa-jwt") else []),
        *([] if accounts.MODE == "jwt-noblacklist" else ["rest_framework_simplejwt.token_blacklist"]),
        # Their tables are in every database.
        *(["axes", "knox"] if "migrate" in sys.argv else []),
    ],
    ["allauth.account.middleware.AccountMiddleware"],
    REST_AUTH=rest_auth,
    **own)

from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.providers.facebook.views import FacebookOAuth2Adapter
from allauth.socialaccount.providers.google.views import GoogleOAuth2Adapter
from dj_rest_auth.registration import views
from django.conf import settings
from django.contrib.auth.views import PasswordResetConfirmView
from django.urls import include, path

# allauth expects Google's keys as certificates, but the fake server publishes a JWKS.
jwtkit.lookup_kid_pem_x509_certificate = jwtkit.lookup_kid_jwk


class Registration(views.RegisterView):
    def get_response_data(self, user):
        if "knox" in settings.INSTALLED_APPS:
            import parts

            return parts.KnoxToken(parts.knox_token(None, user, None)).data
        return super().get_response_data(user)


class FacebookLogin(views.SocialLoginView):
    adapter_class = FacebookOAuth2Adapter


class FacebookConnect(views.SocialConnectView):
    adapter_class = FacebookOAuth2Adapter


class GoogleLogin(views.SocialLoginView):
    adapter_class = GoogleOAuth2Adapter


class GoogleConnect(views.SocialConnectView):
    adapter_class = GoogleOAuth2Adapter


base = [
    path("registration/", Registration.as_view()),
    path("registration/", include("dj_rest_auth.registration.urls")),
    path("facebook/", FacebookLogin.as_view()),
    path("facebook/connect/", FacebookConnect.as_view()),
    path("auth/google/", GoogleLogin.as_view()),
    path("auth/google/link/", GoogleConnect.as_view()),
    path("auth/accounts/", views.SocialAccountListView.as_view()),
    path("auth/accounts/<int:pk>/disconnect/", views.SocialAccountDisconnectView.as_view()),
    path("socialaccounts/", views.SocialAccountListView.as_view()),
    path("socialaccounts/<int:pk>/disconnect/", views.SocialAccountDisconnectView.as_view()),
    path("", include("dj_rest_auth.urls")),
]
if accounts.MODE in ("mfa", "mfa-jwt"):
    from dj_rest_auth.mfa.views import MFALoginView

    base = [path("login/", MFALoginView.as_view()), path("", include("dj_rest_auth.mfa.urls")), *base]

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("reset/<uidb64>/<token>/", PasswordResetConfirmView.as_view(), name="password_reset_confirm"),
    path("dj-rest-auth/", include(base)),
    path("api/", include(accounts.app())),
]


def totp(user):
    from dj_rest_auth.mfa import recovery_codes, totp

    secret = totp.generate_totp_secret()
    totp.TOTP.activate(user, secret)
    print(secret, *recovery_codes.RecoveryCodes.activate(user), sep="\n")


def code(user):
    import pyotp
    from dj_rest_auth.mfa import totp

    print(pyotp.TOTP(totp.TOTP.get_secret(user)).now())


if __name__ == "__main__":
    accounts.main(totp=totp, code=code)
