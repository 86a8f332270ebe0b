"""Device logins. The client token, which follows the bar in 1000|client-at-once, selects the scenario.

client-at-once      the first poll returns the token of the user bob
client-every-N      a polling interval of N seconds; the second poll returns the token
"""

import re
import secrets
import threading
import time

from graph_people import APP, Refusal

TOKEN = "tok-bob"
SCOPES = {"public_profile", "email"}

# Maps each device code to the client token and the number of polls that still return "pending".
waiting = {}
lock = threading.Lock()


def login(request):
    app, _, client = (request.token or "").partition("|")
    pause = re.fullmatch(r"client-every-(\d+)", client)
    if app != APP or not pause and client != "client-at-once":
        raise Refusal(101, "Error validating application. Invalid application ID.")
    unknown = set(filter(None, re.split(r"[,\s]+", request.value("scope") or ""))) - SCOPES
    if unknown:
        raise Refusal(100, f"Invalid Scopes: {', '.join(sorted(unknown))}.")
    code = f"secret-device-code-{secrets.token_hex(16)}"
    with lock:
        waiting[code] = [request.token, 1 if pause else 0]
        number = len(waiting)
    # The first user code is ABCD-EFBC, the next one ABCD-EFBD.
    letters = "BCDFGHJKLMNPQRSTVWXZ"
    return {
        "code": code, "user_code": f"ABCD-EF{letters[number // 20 % 20]}{letters[number % 20]}",
        "verification_uri": "https://www.facebook.com/device", "expires_in": 420,
        "interval": int(pause[1]) if pause else 1,
    }


def login_status(request):
    with lock:
        device = waiting.get(request.value("code"))
        if not device or device[0] != request.token:
            raise Refusal(100, "(#100) Invalid parameter: code")
        device[1] -= 1
        is_pending = device[1] >= 0
    if is_pending:
        raise Refusal(
            31, "This request requires the user to take a pending action", 1349174,
            "Device Login Authorization Pending",
            "User has not yet authorized your application. Continue polling.")
    return {
        "access_token": TOKEN, "expires_in": 5184000, "data_access_expiration_time": int(time.time()) + 7_776_000,
    }
