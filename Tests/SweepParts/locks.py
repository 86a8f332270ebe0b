"""Stale locks, locks held by a killed or stopped process, and unavailable locks."""

import os
import signal
import subprocess
import time

from SweepParts.commands import COMMANDS
from SweepParts.errors import failed, wrong
from SweepParts.kills import lost
from SweepParts.points import injected, points
from SweepParts.report import Row
from SweepParts.world import PATIENCE, State, World, finish

NO_LOCKS = ["ENOLCK", "EOPNOTSUPP"]


def sweep(run):
    template = run.templates["usual"]
    for check in [left_behind, died, stopped]:
        yield Row(f"locks: {check.__doc__.splitlines()[0][:-1]}", 1, run.each([template], check))
    for command in run.chosen(COMMANDS):
        yield refused(run, command)


def left_behind(template):
    """A lock file made by hand."""
    with World(template) as world:
        for folder in [world.sessions, world.config, world.data]:
            with open(f"{folder}/.lock", "w") as file:
                file.write("1                  \n")
        yield from quick(world.run("login", "ada"))


def died(template):
    """The holder killed with -9 while it holds the lock."""
    with World(template) as world:
        holder = held(world, "renameat")
        os.killpg(holder.pid, signal.SIGKILL)
        finish(holder)
        yield from quick(world.run("login", "ada", "-p", "two"))


def stopped(template):
    """The holder stopped: a writer waits and names it, a reader does not wait."""
    with World(template) as world:
        holder = held(world, "renameat")
        with open(f"{world.sessions}/.lock") as file:
            number = file.read().strip()
        before = State(world)
        result = world.run("login", "ada", "-p", "two")
        if result.code != 12 or f"process {number}" not in result.error:
            yield f"wrong exit: {result}"
        if not PATIENCE - 1 < result.seconds < PATIENCE + 2:
            yield f"blocking: waited {result.seconds} s"
        if State(world).sessions != before.sessions:
            yield "untrue: written without a lock"
        for words in [["token"], ["whoami", "--offline"], ["profile", "list"]]:
            yield from quick(world.run(*words), seconds=1)
        os.killpg(holder.pid, signal.SIGKILL)
        finish(holder)
        yield from quick(world.run("login", "ada", "-p", "two"))


def held(world, call):
    """A login that is stopped at the given system call while it holds the lock of the sessions."""
    under = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=STOP:when=1"]
    holder = world.start("login", "ada", under=under)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        children = subprocess.run(["ps", "-o", "stat=", "--ppid", str(holder.pid)], capture_output=True, text=True)
        if children.stdout.strip()[:1] in ("T", "t"):
            return holder
        time.sleep(0.02)
    raise SystemExit("sweep: a login could not be stopped")


def quick(result, seconds=2):
    if result.code != 0 or result.seconds > seconds:
        yield f"blocking: {result}"


def refused(run, command):
    """A file system without locks: single lock calls fail, then all of them."""
    template = run.templates[command.template]
    before = State(template)
    found = points(command, template, World, ["openat", "flock", "fcntl"])
    cases = [(p, e) for p in run.sampled([p for p in found if p.name != "openat"]) for e in NO_LOCKS]
    faults = run.each(cases, lambda case: failed(command, *case, template, before))
    everywhere = [(name, error) for name in ["flock", "fcntl", "flock,fcntl"] for error in NO_LOCKS]
    faults += run.each(everywhere, lambda case: unlocked_all(command, *case, template, before))
    return Row(f"locks: none for {command.name}", len(cases) + len(everywhere), faults)


def unlocked_all(command, names, error, template, before):
    with World(template) as world:
        inject = ["-e", f"trace={names}", "-e", f"inject={names}:error={error}"]
        result = world.run(*command.words, under=["strace", "-f", "-qq", "-o", "/dev/null", *inject])
        after = State(world)
        faults = after.faults + list(lost(command, before, after))
        # Each command must fail without `flock`. Without `fcntl`, which locks accounts, only `profile` may succeed.
        needs_accounts = command.words[0] != "profile"
        if "flock" in names or needs_accounts:
            if result.code != 12:
                faults.append("wrong exit")
            if after.sessions != before.sessions and not command.name.startswith(("logout", "profile remove")):
                faults.append("untrue: written without a lock")
        yield from (f"{fault}: {names} {error}\n        {result}" for fault in faults)
