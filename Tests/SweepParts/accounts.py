"""Kills shells that sign up accounts in a loop. Each account reported as created must exist and allow a login."""

import os
import random
import re
import signal
import subprocess
import time

from SweepParts.report import Row
from SweepParts.world import BINARY, State, World

ROUNDS = 25
STREAMS = 3
SCRIPT = 'for i in {1..1000}; do "$0" signup "$1-$i" --no-login; done'


def sweep(run):
    reported, faults = [], []
    with World() as world:
        for number in run.sampled(range(ROUNDS)):
            names = killed_streams(world, number)
            state = State(world)
            faults += state.faults + [f"lost: {name}" for name in names if name not in state.users]
            check = world.run("login", names[-1]) if names else world.run("signup", f"round-{number}")
            if check.code != 0 or check.seconds > 2:
                faults.append(f"blocking: round {number}: {check}")
            reported += names
        # All logins use one profile, because a separate profile for each login would be slower and test nothing more.
        faults += run.each(reported, lambda name: refused(world, name))
    yield Row(f"accounts in {len(run.sampled(range(ROUNDS)))} rounds", len(reported), faults)


def killed_streams(world, number):
    """The names reported as created before all streams were killed."""
    streams = [
        subprocess.Popen(
            ["bash", "-c", SCRIPT, BINARY, f"user-{number}-{stream}"], env=world.environment(), cwd=world.root,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        for stream in range(STREAMS)
    ]
    time.sleep(random.uniform(0.5, 2))
    for stream in streams:
        os.killpg(stream.pid, signal.SIGKILL)
    out = "".join(stream.communicate()[0].decode() for stream in streams)
    return re.findall(r"created account (\S+)", out)


def refused(world, name):
    result = world.run("login", name)
    if result.code != 0:
        yield f"lost: {name} cannot log in: {result}"
