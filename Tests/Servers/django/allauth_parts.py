"""Parts that the settings of an allauth site can name: token strategies, an adapter with phone numbers."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.headless.tokens.strategies.sessions import SessionTokenStrategy
from django.contrib.auth import get_user_model
from django.core.mail import send_mail


class SimpleTokens(SessionTokenStrategy):
    """Issues a pair of simplejwt beside the session token."""

    def create_access_token_payload(self, request):
        from rest_framework_simplejwt.tokens import RefreshToken

        pair = RefreshToken.for_user(request.user)
        return {"access_token": str(pair.access_token), "refresh_token": str(pair)}


class RefreshableTokens(SimpleTokens):
    """The same, and refreshes the pair."""

    def refresh_token(self, refresh_token):
        from rest_framework_simplejwt.tokens import RefreshToken

        return str(RefreshToken(refresh_token).access_token), refresh_token


class Phones(DefaultAccountAdapter):
    """Keeps the phone number in the first name, whether it is verified in the last, and sends each SMS as a mail."""

    def get_phone(self, user):
        return (user.first_name, user.last_name == "verified") if user.first_name else None

    def set_phone(self, user, phone, verified):
        user.first_name, user.last_name = phone, "verified" if verified else ""
        user.save()

    def set_phone_verified(self, user, phone):
        self.set_phone(user, phone, True)

    def get_user_by_phone(self, phone):
        return get_user_model().objects.filter(first_name=phone).first()

    def send_verification_code_sms(self, user, phone, code, **_):
        send_mail("Code", f"Your code is\n\n{code}\n", None, [phone])

    def send_unknown_account_sms(self, phone, **_):
        send_mail("Code", "No account", None, [phone])
