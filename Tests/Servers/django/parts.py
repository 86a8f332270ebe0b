"""Parts that the settings of a site can name: authentication classes, serializers, error formats, middleware."""

import json

from dj_rest_auth.registration.serializers import RegisterSerializer
from dj_rest_auth.serializers import LoginSerializer, UserDetailsSerializer
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from rest_framework import exceptions, serializers, views
from rest_framework.authentication import TokenAuthentication


class Keyword(TokenAuthentication):
    keyword = "Bearer"


class KnoxToken(serializers.Serializer):
    def to_representation(self, pair):
        return {"expiry": serializers.DateTimeField().to_representation(pair[0].expiry), "token": pair[1]}


def knox_token(model, user, serializer):
    from knox.models import AuthToken

    return AuthToken.objects.create(user)


class Key(serializers.Serializer):
    """A key under another name."""

    auth_token = serializers.CharField(source="key")


class PlainUser(serializers.ModelSerializer):
    """A serializer with a writable e-mail."""

    class Meta:
        model = get_user_model()
        fields = ("pk", "username", "email")


class DeviceLogin(LoginSerializer):
    device_id = serializers.CharField()


class Invited(RegisterSerializer):
    def validate(self, data):
        raise exceptions.NotFound("No such invitation.")


class Maintained(RegisterSerializer):
    def validate(self, data):
        error = exceptions.APIException("Maintenance until 18:00")
        error.status_code = 503
        raise error


def envelope(error, context):
    """Puts the errors of the REST framework into an object of the site's own."""
    response = views.exception_handler(error, context)
    if response is not None:
        response.data = {
            "success": False, "status_code": response.status_code, "message": "The request failed",
            "errors": response.data}
    return response


def first_message(error, context):
    """Sends the first message alone."""
    response = views.exception_handler(error, context)
    if response is not None:
        data = response.data
        while not isinstance(data, str):
            data = next(iter(data.values())) if isinstance(data, dict) else data[0]
        response.data = {"error": data}
    return response


class WrapGrants:
    """Wraps the responses to logins and signups."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.path.endswith(("/login/", "/registration/")) and response.status_code < 300:
            response.content = json.dumps({"status": "success", "data": json.loads(response.content)})
            response["Content-Length"] = str(len(response.content))
        return response


class LockByPage:
    """Answers a locked-out client with django-axes' own response, as its decorator does."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        from axes.handlers.proxy import AxesProxyHandler
        from axes.helpers import get_lockout_response

        if request.path.endswith("/login/") and not AxesProxyHandler.is_allowed(request):
            return get_lockout_response(request)
        return self.get_response(request)


class LockByError:
    """Reports a lockout of django-axes by an exception, as its documentation suggests for the REST framework."""

    def __init__(self, get_response):
        from axes.signals import user_locked_out

        user_locked_out.connect(self.refuse)
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def refuse(self, *_, **__):
        raise PermissionDenied("Too many failed login attempts")
