"""Kills a refresh of a Supabase session at each of its system calls. The session must stay valid, although the server
accepts each refresh token only once, and its parent only while no newer one is used."""

import json
import os
import re
import subprocess
import sys

from SweepParts.commands import Swept, nothing
from SweepParts.points import READING, WRITING, injected, points
from SweepParts.report import Row
from SweepParts.world import ROOT, State, World, names

WHOAMI = Swept("whoami", "whoami", is_done=lambda before, after: True, may=nothing)
NETWORK = ["socket", "connect", "poll", "sendto", "recvfrom", "getsockopt", "exit_group"]


def sweep(run):
    server = subprocess.Popen(
        [sys.executable, f"{ROOT}/Tests/Servers/supabase.py"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{json.loads(server.stdout.readline())['port']}"
    try:
        with World() as world:
            prepare(world, url)
            found = run.sampled(points(WHOAMI, None, lambda _: Expired(world), WRITING + READING + NETWORK))
            # One after the other, because all points share a session.
            faults = [fault for point in found for fault in killed(world, point)]
        yield Row("kills during a refresh", len(found), faults)
    finally:
        server.kill()


def prepare(world, url):
    with open(f"{world.root}/key", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("sb_publishable_test")
    world.must("profile", "add", "shop", "--server", url, "--client-key-file", "key")
    world.must("profile", "use", "shop")
    world.must("signup", "ada@example.org")


class Expired:
    """The world with an expired session. The end of a `with` block keeps it."""

    def __init__(self, world):
        self.world = world

    def __enter__(self):
        (name,) = [name for name in names(self.world.sessions) if name.endswith(".json")]
        with open(f"{self.world.sessions}/{name}", "r+") as file:
            text = re.sub(r'"expiresAt":\d+', '"expiresAt":1700000000', file.read())
            file.seek(0)
            file.write(text)
        return self.world

    def __exit__(self, *_):
        pass


def killed(world, point):
    with Expired(world):
        result = injected(world, WHOAMI, point, "signal=KILL")
    if result.signal != 9 and result.code is None:
        yield f"other: {point}: {result}"
    yield from (fault for fault in State(world).faults if fault.startswith("torn"))
    after = world.run("whoami")
    if after.code != 0 or "ada@example.org" not in after.out:
        yield f"lost: after {point}: {after}"
        world.must("login", "ada@example.org")
