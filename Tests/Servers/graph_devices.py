"""Device logins. The client token selects the scenario: the part after the bar of 1000|client-approve.

STORIES lists the scenarios; unknown client tokens are rejected. Scenarios that end with a number or a token:

client-gives-TOKEN             returns that token at the first poll: client-gives-tok-noemail
client-every-N                 a polling interval of N seconds; then as client-approve
client-login-N[-SUB]           Facebook's error N instead of a code
client-poll-N[-SUB]            error N at the first poll, then success
"""

import json
import re
import secrets
import threading
import time
from dataclasses import dataclass, field, replace

from graph_people import APP, ESCAPES, PAGE, Dropped, Page, Refusal, consent, numbered, out_of_order


@dataclass(frozen=True)
class Story:
    """The results of the polls, of which the last one repeats, and changes to the two responses.

    A member with the value None is left out.
    """

    polls: tuple
    token: str = "tok-bob"
    login: dict = field(default_factory=dict)
    success: dict = field(default_factory=dict)


STORIES = {
    "approve": Story(("pending", "token")),
    "at-once": Story(("token",)),
    "otherperson": Story(("token",), token="tok-dan"),
    "noemail": Story(("token",), token="tok-noemail"),
    "otherapp": Story(("token",), token="tok-otherapp"),
    # Polling too fast, and other temporary errors.
    "slow": Story(("fast", "token")),
    "slower": Story(("fast", "fast", "token")),
    "trouble": Story(("pending", "drop", "fault", "page", "limit", "token")),
    "busy": Story(("limit-of-user", "pending", "token")),
    # Logins that end without a token.
    "decline": Story(("pending", "declined")),
    "expire": Story(("pending", "expired")),
    "pending": Story(("pending",)),
    "run-out": Story(("pending",), login={"expires_in": 2}),
    "broken": Story(("page",)),
    "control": Story(("control",)),
    # The same codes without the subcodes of device login, which have another meaning.
    "other-31": Story(("other-31",)),
    "other-463": Story(("other-463",)),
    # Responses with members of unexpected types, or without them.
    "words": Story(
        ("pending", "token"), login={"expires_in": "420", "interval": "1"}, success={"expires_in": "5184000"}),
    "bare": Story(
        ("token",), login={"expires_in": None, "interval": None},
        success={"expires_in": None, "data_access_expiration_time": None}),
    "odd": Story(("token",), login={"expires_in": "soon", "interval": "often"}, success={"expires_in": "later"}),
    "hasty": Story(("pending", "token"), login={"interval": 0}),
    "forever": Story(("token",), success={"expires_in": 0}),
    "codeless": Story(("pending",), login={"code": None}),
    "wordless": Story(("pending",), login={"user_code": None}),
    "placeless": Story(("pending", "token"), login={"verification_uri": None}),
    "elsewhere": Story(("pending", "token"), login={"verification_uri": "https://facebook.example.net/device"}),
    "escapes": Story(
        ("pending", "token"),
        login={"user_code": f"AB{ESCAPES}CD", "verification_uri": f"https://www.facebook.com/device{ESCAPES}"}),
    "tokenless": Story(("token",), success={"access_token": None}),
}

# Errors instead of a code.
NO_LOGIN = {
    "switched-off": lambda: Refusal(
        3, "(#3) Login from Devices is not enabled for this app", title="Device login isn't enabled",
        words="The owner of this app has not switched on Login from Devices."),
    "no-login-page": lambda: Page(PAGE),
    "no-login-fault": out_of_order,
    "no-login-drop": Dropped,
}

POLLS = {
    "pending": lambda: Refusal(
        31, "This request requires the user to take a pending action", 1349174, "Device Login Authorization Pending",
        "User has not yet authorized your application. Continue polling."),
    "fast": lambda: Refusal(
        17, "User request limit reached", 1349172, "OAuth Device Excessive Polling",
        "Your device is polling too frequently. Space your requests with a minimum interval of 5 seconds."),
    "declined": lambda: Refusal(
        31, "The user has declined the request", 1349173, "Device Login Declined",
        "User has declined to authorize your application."),
    "expired": lambda: Refusal(
        463, "The session has expired", 1349152, "Activation Code Expired",
        "The code you entered has expired. Please go back to your device for a new code and try again."),
    "drop": Dropped,
    "fault": out_of_order,
    "page": lambda: Page(PAGE),
    "limit": lambda: Refusal(4, "(#4) Application request limit reached"),
    "limit-of-user": lambda: Refusal(17, "(#17) User request limit reached"),
    "control": lambda: Refusal(190, f"No{ESCAPES}", title=f"Title{ESCAPES}", words=f"Words{ESCAPES}"),
    "other-31": lambda: Refusal(31, "(#31) Something else is pending", words="Words for people about error 31."),
    "other-463": lambda: Refusal(463, "(#463) Something else", words="Words for people about error 463."),
}

SCOPES = {"public_profile", "email"}


class Waiting:
    """An issued device code."""

    def __init__(self, story, client):
        self.story = story
        self.client = client
        self.polls = 0


waiting = {}
lock = threading.Lock()


def number_at_end(name, prefix):
    """The error in a name such as login-190-460; None if the name has another form."""
    match = re.fullmatch(prefix + r"-(\d+)(?:-(\d+))?", name)
    return numbered(*(int(number) for number in match.groups() if number)) if match else None


def story_of(client):
    app, _, token = (client or "").partition("|")
    name = token.removeprefix("client-")
    if app != APP or name == token:
        raise Refusal(101, "Error validating application. Invalid application ID.")
    if name in STORIES:
        return STORIES[name]
    if name in NO_LOGIN:
        raise NO_LOGIN[name]()
    if error := number_at_end(name, "login"):
        raise error
    if number_at_end(name, "poll"):
        return Story((name, "token"))
    if match := re.fullmatch(r"every-(\d+)", name):
        return replace(STORIES["approve"], login={"interval": int(match[1])})
    if name.startswith("gives-"):
        return Story(("token",), token=name.removeprefix("gives-"))
    raise Refusal(101, "Error validating application. Invalid application ID.")


def login(request):
    story = story_of(request.token)
    unknown = set(filter(None, re.split(r"[,\s]+", request.value("scope") or ""))) - SCOPES
    if unknown:
        raise Refusal(100, f"Invalid Scopes: {', '.join(sorted(unknown))}.")
    check_device(request.value("device_info"))
    code = f"secret-device-code-{secrets.token_hex(16)}"
    with lock:
        waiting[code] = Waiting(story, request.token)
        number = len(waiting)
    # The first code is ABCD-EFBC, the next ABCD-EFBD.
    letters = "BCDFGHJKLMNPQRSTVWXZ"
    user_code = f"ABCD-EF{letters[number // 20 % 20]}{letters[number % 20]}"
    return usual({
        "code": code, "user_code": user_code, "verification_uri": "https://www.facebook.com/device",
        "expires_in": 420, "interval": 1,
    }, story.login)


def check_device(info):
    try:
        is_object = info is None or isinstance(json.loads(info), dict)
    except ValueError:
        is_object = False
    if not is_object:
        raise Refusal(100, "(#100) Param device_info must be a JSON object")


def login_status(request):
    with lock:
        device = waiting.get(request.value("code"))
        if not device or device.client != request.token:
            raise Refusal(100, "(#100) Invalid parameter: code")
        step = device.story.polls[min(device.polls, len(device.story.polls) - 1)]
        device.polls += 1
    if error := number_at_end(step, "poll"):
        raise error
    if step != "token":
        raise POLLS[step]()
    consent(device.story.token)
    return usual({
        "access_token": device.story.token, "expires_in": 5184000,
        "data_access_expiration_time": int(time.time()) + 7_776_000,
    }, device.story.success)


def usual(members, unusual):
    return {name: value for name, value in {**members, **unusual}.items() if value is not None}
