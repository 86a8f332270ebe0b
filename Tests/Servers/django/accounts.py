"""The shared parts of the Django sites in this folder: settings, a request log, e-mails as files, and commands.

    SITE.py serve                   serves on a free loopback port, prints {"port": N}, exits with its parent
    SITE.py migrate                 creates the tables in FOLDER/database
    SITE.py dumpdata [MODEL...]     prints the objects of these models as JSON

A request for /_change/COMMAND/NAME changes an account as an administrator would:

    totp               enables the second factor, returns the secret and then the recovery codes
    code               returns the current one-time code
    delete             deletes the account

Each site also has an API below /api/: `items/` is a list of 25 objects in pages of 10, and `echo/` returns the body of
a request. Both require a session. `admin/` is for administrators only.

Environment variables:

    SITE_MODE      one of MODES of the site; default "none"
    SITE_FOLDER    the folder of "database", "mails" and "requests"; default: the current folder
    SITE_GRAPH     the URL of the fake of Facebook's Graph; default: a port without a listener
    SITE_LANGUAGE  the default language; default "en-us"
    SITE_SETTINGS  more settings as a JSON object; objects in it are merged with those of the site
    SITE_APPS      more applications, separated by spaces; "-NAME" removes one
    SITE_MIDDLEWARE  the same for middleware
    SITE_MAILS     the e-mail backend, which writes to FOLDER/mails; default: MailFiles
    ACCESS_SECONDS the lifetime of access tokens; default 300
"""

import contextlib
import io
import json
import os
import sys
import threading
import time

from django.conf import settings

MODE = os.environ.get("SITE_MODE", "none")
FOLDER = os.path.abspath(os.environ.get("SITE_FOLDER", "."))
GRAPH = os.environ.get("SITE_GRAPH", "http://127.0.0.1:9")
ACCESS_SECONDS = int(os.environ.get("ACCESS_SECONDS", "300"))


def configure(apps, middleware=(), **own):
    """Configures Django with the settings of all sites, overridden by those of this site."""
    common = dict(
        SECRET_KEY="a key for tests, long enough for the signatures of tokens",
        ALLOWED_HOSTS=["127.0.0.1", "localhost"],
        ROOT_URLCONF="__main__",
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            "django.contrib.messages",
            *apps,
        ],
        MIDDLEWARE=[
            "accounts.RequestLog",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.locale.LocaleMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            "django.contrib.messages.middleware.MessageMiddleware",
            *middleware,
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]},
        }],
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(FOLDER, "database"),
            "OPTIONS": {"timeout": 20},
        }},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        LANGUAGE_CODE=os.environ.get("SITE_LANGUAGE", "en-us"),
        USE_I18N=True,
        USE_TZ=True,
        AUTHENTICATION_BACKENDS=[
            "django.contrib.auth.backends.ModelBackend",
            "allauth.account.auth_backends.AuthenticationBackend",
        ],
        AUTH_PASSWORD_VALIDATORS=[
            {"NAME": "django.contrib.auth.password_validation." + name}
            for name in (
                "UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator",
                "NumericPasswordValidator")
        ],
        # The default hasher is slow by design; the test passwords need no protection.
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        EMAIL_BACKEND=os.environ.get("SITE_MAILS", "accounts.MailFiles"),
        EMAIL_FILE_PATH=os.path.join(FOLDER, "mails"),
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"console": {"class": "logging.StreamHandler"}},
            "loggers": {
                "django": {"handlers": ["console"], "level": "ERROR", "propagate": False},
                "django.server": {"handlers": ["console"], "level": "CRITICAL", "propagate": False},
            },
        },
    )
    everything = merged({**common, **own}, json.loads(os.environ.get("SITE_SETTINGS", "{}")))
    for name in ("APPS", "MIDDLEWARE"):
        words = os.environ.get(f"SITE_{name}", "").split()
        key = "INSTALLED_APPS" if name == "APPS" else name
        everything[key] = [item for item in everything[key] if f"-{item}" not in words]
        everything[key] += [word for word in words if word[0] != "-"]
    settings.configure(**everything)

    import django
    from django.db.backends.signals import connection_created

    django.setup()
    connection_created.connect(hurry)


def merged(old, new):
    return {
        **old,
        **{name: merged(old.get(name) or {}, value) if isinstance(value, dict) else value for name, value in new.items()}}


def hurry(connection, **_):
    """Speeds up SQLite, and takes the write lock at the start of each transaction.

    Without this lock, a transaction that begins with a read fails at its first write if another one wrote in between.
    """
    connection.cursor().execute("PRAGMA synchronous = OFF")
    connection._start_transaction_under_autocommit = lambda: connection.cursor().execute("BEGIN IMMEDIATE")


class RequestLog:
    """Logs each request as "METHOD path status" before the client gets the response."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        with open(os.path.join(FOLDER, "requests"), "a", encoding="utf-8") as log:
            log.write(f"{request.method} {request.path} {response.status_code}\n")
        return response


class MailFiles:
    """Writes each e-mail to a file: receivers, subject, an empty line, text. The file names sort by time."""

    def __init__(self, **_):
        pass

    def send_messages(self, messages):
        folder = os.path.join(FOLDER, "mails")
        os.makedirs(folder, exist_ok=True)
        for message in messages:
            path = os.path.join(folder, f"{time.time_ns()}")
            with open(path + ".part", "w", encoding="utf-8") as file:
                file.write(f"To: {', '.join(message.to)}\nSubject: {message.subject}\n\n{message.body}")
            os.rename(path + ".part", path + ".txt")
        return len(messages)


def with_changes(app, own):
    """Adds the routes that change accounts. A separate process for each change would take a second."""

    def answer(environ, start):
        path = environ["PATH_INFO"]
        if not path.startswith("/_change/"):
            return app(environ, start)
        from django.db import connections

        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            change(*path.removeprefix("/_change/").split("/", 1), own)
        connections.close_all()
        start("200 OK", [("Content-Type", "text/plain; charset=utf-8")])
        return [output.getvalue().encode()]

    return answer


def app(*authentication):
    """The routes of the site's own API. By default, the site's authentication classes apply."""
    from django.http import HttpResponse
    from django.urls import path
    from rest_framework import generics, pagination, permissions, renderers, response, settings

    class Pages(pagination.PageNumberPagination):
        page_size = 10

    class View(generics.GenericAPIView):
        authentication_classes = authentication or settings.api_settings.DEFAULT_AUTHENTICATION_CLASSES
        pagination_class = Pages
        permission_classes = [permissions.IsAuthenticated]
        renderer_classes = [renderers.JSONRenderer]

    class Items(View):
        def get(self, request):
            items = [{"id": number, "owner": request.user.username} for number in range(1, 26)]
            return self.get_paginated_response(self.paginate_queryset(items))

    class Echo(View):
        def post(self, request):
            return HttpResponse(request.body, content_type=request.content_type)

    class Admin(View):
        permission_classes = [permissions.IsAdminUser]

        def get(self, request):
            return HttpResponse()

    class IsOwner(permissions.BasePermission):
        def has_object_permission(self, request, view, owner):
            return owner == request.user.username

    class Note(View):
        """Only the owner may read or change a note."""

        permission_classes = [permissions.IsAuthenticated, IsOwner]

        def get(self, request, owner):
            self.check_object_permissions(request, owner)
            return response.Response({"id": 1, "owner": owner})

        put = get

    class Draft(View):
        """A view that forgot to check the permission for the object."""

        permission_classes = [permissions.IsAuthenticated, IsOwner]

        def get(self, request, owner):
            return response.Response({"id": 1, "owner": owner})

    class Own(View):
        """The list of the user's notes or drafts: one of each."""

        def get(self, request):
            return response.Response([{"id": 1, "owner": request.user.username}])

    class Schema(View):
        """What drf-spectacular 0.30.0 wrote about the site, by default as YAML."""

        permission_classes = []

        def get(self, request):
            kind = "application/vnd.oai.openapi+json"
            if kind not in request.headers.get("Accept", ""):
                return HttpResponse("openapi: 3.0.3\n", content_type="application/vnd.oai.openapi")
            with open(os.path.join(os.path.dirname(__file__), "openapi.json"), "rb") as file:
                return HttpResponse(file.read(), content_type=kind)

    return [
        path("notes/", Own.as_view()), path("drafts/", Own.as_view()), path("schema/", Schema.as_view()),
        path("items/", Items.as_view()), path("echo/", Echo.as_view()), path("admin/", Admin.as_view()),
        path("notes/<owner>/", Note.as_view()), path("drafts/<owner>/", Draft.as_view()),
    ]


def serve(own):
    from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
    from django.core.wsgi import get_wsgi_application
    from django.urls import get_resolver

    server = ThreadedWSGIServer(("127.0.0.1", 0), WSGIRequestHandler)
    server.set_app(with_changes(get_wsgi_application(), own))
    # Import the routes, so that the site reports an error in them at startup and not at the first request.
    get_resolver().url_patterns
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.5)


def change(command, name, own):
    from django.contrib.auth import get_user_model

    user = get_user_model().objects.get(username=name)
    if command in own:
        own[command](user)
    elif command == "delete":
        user.delete()
    else:
        raise ValueError(f"no such command: {command}")


def main(**own):
    """Runs the command line. `own` maps the names of site-specific commands to functions that take the user."""
    command, *arguments = sys.argv[1:]
    if command == "serve":
        serve(own)
    elif command in ("migrate", "dumpdata"):
        from django.core.management import call_command

        call_command(command, *arguments, verbosity=0)
    else:
        sys.exit(f"no such command: {command}")
