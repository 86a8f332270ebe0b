"""A site whose users log in with a form, without an API for accounts; see accounts.py for its use.

The user `ann` has the password `correct-horse-1`; `root` has the same one and may open the admin's pages.

    /accounts/login/   the login form: Django's own LoginView unless the mode says otherwise
    /accounts/logout/  Django's LogoutView
    /account/          a page for users, with a form
    /home/             the page to which a login leads; the same for users and visitors in the mode "public"
    /lost/             404
    /rename/           a form for users: a POST renews the key of the session, as a password change does
    /admin/            Django's admin
    /api/              as in accounts.py, with SessionAuthentication
"""

import sys

import accounts

MODES = {
    "none": "Django's login form",
    "public": "the page after the login is public",
    "captcha": "the login form has a captcha",
    "field": "the login form has a further required field",
    "lockout": "each login is rejected with 429, without a form",
    "steps": "after the password, the site asks for a code on the same page",
    "code-page": "after the password, the site redirects to a page that asks for a code",
    "name-first": "the login page asks for the name alone",
    "elsewhere": "the login form is sent to another origin",
    "https": "the site is behind a proxy with https, which its settings name",
    "https-unset": "the same, but its settings do not name it",
}

if accounts.MODE not in MODES:
    sys.exit(f"no such mode: {accounts.MODE}")

own = {}
if accounts.MODE.startswith("https"):
    from django.core.handlers.wsgi import WSGIHandler

    own = {"SESSION_COOKIE_SECURE": True, "CSRF_COOKIE_SECURE": True}
    if accounts.MODE == "https":
        own.update(SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"), SECURE_SSL_REDIRECT=True)
    handle = WSGIHandler.__call__

    def proxy(self, environ, start):
        """What a proxy does, and what a client of it sends."""
        environ["HTTP_X_FORWARDED_PROTO"] = "https"
        for name in ("HTTP_ORIGIN", "HTTP_REFERER"):
            if name in environ:
                environ[name] = environ[name].replace("http:", "https:")
        return handle(self, environ, start)

    WSGIHandler.__call__ = proxy

accounts.configure(
    ["django.contrib.admin", "django.contrib.staticfiles", "rest_framework"],
    STATIC_URL="static/",
    LOGIN_REDIRECT_URL="/home/",
    AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"]},
    **own)

from django import forms
from django.contrib import admin
from django.contrib.auth import authenticate, login, views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpResponse, HttpResponseForbidden, HttpResponseNotFound, HttpResponseRedirect
from django.template import engines
from django.urls import include, path
from django.views.decorators.http import require_POST

PAGE = """<!DOCTYPE html><!-- <form><input name="csrfmiddlewaretoken" value="wrong"><input type=password></form> -->
<html><head><title>{{ title }}</title><script>document.write("<form><input type='password'>")</script></head><body>
<h1>{{ title }} {{ request.user.username }}</h1>
<form action="/search/"><input name="q"></form>
{% if body %}<FORM id='f' METHOD="Post" action="{{ action }}">{% csrf_token %}{{ body }}
<button type=submit name="go" value="1&amp;2">Go</button></FORM>{% endif %}</body></html>"""


def page(request, title, body="", action="", status=200):
    text = engines["django"].from_string(PAGE).render(
        {"title": title, "body": body, "action": action}, request)
    return HttpResponse(text, status=status)


class CaptchaForm(AuthenticationForm):
    captcha_1 = forms.CharField(required=False, widget=forms.TextInput(attrs={"class": "captcha"}))

    def clean(self):
        raise forms.ValidationError("The captcha is wrong.")


class FieldForm(AuthenticationForm):
    company = forms.CharField()

    def clean(self):
        if self.cleaned_data.get("company") != "acme":
            raise forms.ValidationError("Unknown company.")
        return super().clean()


class Login(views.LoginView):
    template_name = "none"
    authentication_form = {"captcha": CaptchaForm, "field": FieldForm}.get(accounts.MODE, AuthenticationForm)

    def render_to_response(self, context, **_):
        action = "https://example.org/steal/" if accounts.MODE == "elsewhere" else ""
        return page(self.request, "Log in", context["form"].as_p(), action)


def form_login(request):
    if accounts.MODE == "lockout" and request.method == "POST":
        return HttpResponse("Account locked: too many login attempts. Please try again later.", status=429)
    if accounts.MODE == "name-first":
        return page(request, "Log in", engines["django"].from_string('<input name="login" required>').render())
    if accounts.MODE in ("steps", "code-page") and request.method == "POST" and "password" in request.POST:
        user = authenticate(request, username=request.POST["username"], password=request.POST["password"])
        if user:
            request.session["waiting"] = user.pk
            return code(request) if accounts.MODE == "steps" else HttpResponseRedirect("/code/")
    return Login.as_view()(request)


def code(request):
    if "waiting" not in request.session:
        return HttpResponseRedirect("/accounts/login/?next=/code/")
    return page(request, "Code", engines["django"].from_string('<input name="otp_token" required>').render())


def home(request):
    if accounts.MODE != "public" and not request.user.is_authenticated:
        return HttpResponseRedirect("/accounts/login/?next=/home/")
    return page(request, "Home")


@login_required
def account(request):
    body = engines["django"].from_string("<input name='nick'>").render()
    return page(request, "Account", body if request.method == "GET" else "")


@login_required
@require_POST
def rename(request):
    request.session.cycle_key()
    return HttpResponseRedirect("/account/")


@login_required
def forbidden(request):
    return HttpResponseForbidden("<h1>403 Forbidden</h1>")


urlpatterns = [
    path("accounts/login/", form_login),
    path("accounts/logout/", views.LogoutView.as_view(next_page="/home/")),
    path("code/", code), path("home/", home), path("account/", account), path("rename/", rename),
    path("forbidden/", forbidden), path("lost/", lambda _: HttpResponseNotFound("<h1>Not Found</h1>")),
    path("admin/", admin.site.urls),
    path("api/", include(accounts.app())),
]


def people():
    from django.contrib.admin.models import LogEntry
    from django.contrib.auth import get_user_model
    from django.db import connection

    with connection.schema_editor() as editor:
        editor.create_model(LogEntry)
    for name in ("ann", "bob"):
        get_user_model().objects.create_user(name, f"{name}@example.org", "correct-horse-1")
    get_user_model().objects.create_superuser("root", "root@example.org", "correct-horse-1")


if __name__ == "__main__":
    people()
    accounts.main()
