#!/usr/bin/env python3
"""Replays the recorded exchanges of a server against its fake: replay.py supabase|firebase.

Sends the requests of Tests/Exchanges/NAME/exchanges.ndjson in their order to one fake, and compares status and body
with the recording. Prints the differences, and exits with 1 if there are any. A recorded response in answers.ndjson
that is not replayed must be one of UNCLAIMED.
"""

import http.client
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from serving import opened

HERE = os.path.dirname(os.path.abspath(__file__))

# What the fakes do not claim to answer: patterns of the names of exchanges, and the reason.
UNCLAIMED = {
    "supabase": {
        r".*@2\.151(\.0)?": "the fake is version 2.196.0",
        "(brief|idle|single|limits|maillimit|captcha|closed|noemail|currentpw)/": "the fake lacks this setting",
        "detect/health-mounted|admin/list-no-token": "the fake is behind a gateway",
        "open/(me-service-key|mfa-challenge-expired)": "the fake cannot make this token or challenge",
        "open/id-token-|confirm/id-token-unverified": "the fake does not check ID tokens",
        "open/(pkce|identities-auth)|confirm/linking-disabled-auth|detect/openid": "a browser follows",
        "open/(signup|login|phone)-(phone|change)": "the fake has phone numbers, but sends no messages",
        "admin/(get-soft-deleted|signup-soft|generate-link-invite)|plain/id-token": "the client has no such request",
        "confirm/(signup|reset)-weak": "the fake has one password rule",
    },
    "firebase": {
        "mfa/": "the fake has a TOTP factor instead of messages",
        "import/|admin/project-config": "the client sends these requests only to the service",
        "tenant/|admin/query": "the client has no such request",
        "custom/(sign-in$|id-token-lookup)": "the token contains the id of an account",
    },
}


class Replay:
    def __init__(self, name):
        self.name, self.answers, self.faults = name, {}, []
        self.fake = subprocess.Popen([sys.executable, f"{HERE}/{name}.py"], stdout=subprocess.PIPE)
        self.port = json.loads(self.fake.stdout.readline())["port"]

    def lines(self, file):
        with open(f"{HERE}/../Exchanges/{self.name}/{file}") as lines:
            return [json.loads(line) for line in lines]

    def filled(self, text):
        """Replaces placeholders such as `<open/login user id>` by the value in the response of the fake."""
        def value(match):
            words = match[1].split(" ")
            found = self.answers[words[0]]
            for word in words[1:]:
                found = found[int(word) if isinstance(found, list) else word]
            return found
        return re.sub("<([a-z0-9/-]+ [^<>]+)>", value, text)

    def send(self, line):
        body = line.get("body")
        headers = {name: self.filled(value) for name, value in line.get("headers", {}).items()}
        if body is not None and not isinstance(body, str):
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(line["method"], self.filled(line["path"]), body and self.filled(body).encode(), headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text

    def run(self):
        for line in self.lines("exchanges.ndjson"):
            name = line.get("name") or line["setup"]
            try:
                status, body = self.send(line)
            except (OSError, KeyError, IndexError, http.client.HTTPException) as problem:
                self.faults.append(f"{name}: {problem!r}")
                continue
            self.answers[name] = body
            if "setup" in line:
                if status >= 400:
                    self.faults.append(f"{name}: {status} {body}")
            elif status != line["status"]:
                self.faults.append(f"{name}: status {status} instead of {line['status']}: {json.dumps(body)[:200]}")
            else:
                self.faults += [f"{name}: {fault}" for fault in differences(line["answer"], body)]
        self.check_unclaimed()
        return self.faults

    def check_unclaimed(self):
        replayed = {line.get("name") for line in self.lines("exchanges.ndjson")}
        rest = [line["name"] for line in self.lines("answers.ndjson") if line["name"] not in replayed]
        starts = UNCLAIMED[self.name]
        claimed = [name for name in rest if not any(re.match(start, name) for start in starts)]
        self.faults += [f"{name}: neither replayed nor unclaimed" for name in claimed]
        self.faults += [f"{start}: no such exchange" for start in starts if not any(re.match(start, n) for n in rest)]


def differences(wanted, body, path="body"):
    """`wanted`: objects list all members; lists hold one row, or none; `null` is any scalar; `*` in a text any text."""
    if isinstance(wanted, dict) and isinstance(body, str) and body.count(".") == 2:
        body = opened(body.split(".")[1])
    if isinstance(wanted, dict) and isinstance(body, dict):
        # A recorded object with the member `cut` was shortened.
        missing, more = wanted.keys() - body.keys() - {"cut"}, body.keys() - wanted.keys()
        if missing or more and "cut" not in wanted:
            yield f"{path}: missing {sorted(missing)}, unexpected {sorted(more)}"
        for name in wanted.keys() & body.keys():
            yield from differences(wanted[name], body[name], f"{path}.{name}")
    elif isinstance(wanted, list) and isinstance(body, list):
        if bool(wanted) != bool(body):
            yield f"{path}: {len(body)} rows"
        elif wanted and all(isinstance(row, dict) for row in body):
            yield from differences(wanted[0], {name: value for row in body for name, value in row.items()}, path + "[]")
    elif wanted is None:
        if isinstance(body, (dict, list)):
            yield f"{path}: {json.dumps(body)[:80]} instead of a scalar"
    elif isinstance(wanted, str) and isinstance(body, str):
        if not re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), body, re.DOTALL):
            yield f"{path}: {body!r} instead of {wanted!r}"
    elif wanted != body:
        yield f"{path}: {json.dumps(body)[:80]} instead of {json.dumps(wanted)[:80]}"


if __name__ == "__main__":
    replay = Replay(sys.argv[1])
    faults = replay.run()
    replay.fake.kill()
    print("\n".join(faults))
    sys.exit(bool(faults))
