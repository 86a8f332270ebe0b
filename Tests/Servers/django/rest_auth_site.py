"""A site with django-rest-auth 0.9.5, mounted at /rest-auth/; see accounts.py for its use.

With DRF 3.12, django-rest-auth rejects every Facebook token. The class WithView works around this.
"""

import sys

import accounts

MODES = {
    "none": "accounts are good at once; log in by username or e-mail address",
    "mandatory": "addresses must be verified; log in by address, the username is optional",
    "facebook": "the same as none",
}

if accounts.MODE not in MODES:
    sys.exit(f"no such mode: {accounts.MODE}")

own = {
    "SITE_ID": 1,
    "ACCOUNT_EMAIL_VERIFICATION": "none",
    "ACCOUNT_AUTHENTICATION_METHOD": "username_email",
    "ACCOUNT_EMAIL_REQUIRED": True,
    "ACCOUNT_LOGIN_ATTEMPTS_LIMIT": None,
    "SOCIALACCOUNT_PROVIDERS": {"facebook": {"APP": {"client_id": "1000", "secret": "a secret", "key": ""}}},
    "REST_FRAMEWORK": {"DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"]},
}
if accounts.MODE == "mandatory":
    own.update(
        ACCOUNT_EMAIL_VERIFICATION="mandatory", ACCOUNT_AUTHENTICATION_METHOD="email", ACCOUNT_USERNAME_REQUIRED=False)

accounts.configure(
    [
        # Required only for the admin's password-reset template.
        "django.contrib.admin",
        "django.contrib.sites",
        "rest_framework",
        "rest_framework.authtoken",
        "rest_auth",
        "allauth",
        "allauth.account",
        "rest_auth.registration",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.facebook",
    ],
    # The admin's system checks require settings that only its pages need.
    SILENCED_SYSTEM_CHECKS=["admin.E403", "admin.E404", "admin.E410"],
    **own)

from allauth.socialaccount.providers.facebook import views as facebook
from django.contrib.auth.views import PasswordResetConfirmView
from django.urls import include, path
from rest_auth.registration import views

# This version of allauth has no setting for this URL.
facebook.GRAPH_API_URL = accounts.GRAPH


class WithView:
    """Restores the serializer's context: django-rest-auth passes one without the view, which social login needs."""

    adapter_class = facebook.FacebookOAuth2Adapter

    def get_serializer(self, *words, **options):
        options["context"] = self.get_serializer_context()
        return super().get_serializer(*words, **options)


class FacebookLogin(WithView, views.SocialLoginView):
    pass


class FacebookConnect(WithView, views.SocialConnectView):
    pass


base = [
    path("", include("rest_auth.urls")),
    path("registration/", include("rest_auth.registration.urls")),
    path("facebook/", FacebookLogin.as_view()),
    path("facebook/connect/", FacebookConnect.as_view()),
    path("socialaccounts/", views.SocialAccountListView.as_view()),
    path("socialaccounts/<int:pk>/disconnect/", views.SocialAccountDisconnectView.as_view()),
]

urlpatterns = [
    path("accounts/", include("allauth.urls")),
    path("reset/<uidb64>/<token>/", PasswordResetConfirmView.as_view(), name="password_reset_confirm"),
    path("rest-auth/", include(base)),
    path("api/", include(accounts.app())),
]

if __name__ == "__main__":
    accounts.main()
