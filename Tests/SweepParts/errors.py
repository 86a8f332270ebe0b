"""A call that fails is told with exit 12, and the state is the old one; or all went well, and it is the new one."""

import re

from SweepParts.commands import COMMANDS
from SweepParts.kills import lost
from SweepParts.points import READING, WRITING, injected, points
from SweepParts.report import Row
from SweepParts.world import NEW_PASSWORD, PASSWORD, State, World

FAILURES = ["EIO", "ENOSPC", "EACCES", "EMFILE", "ENOMEM", "EDQUOT", "EROFS", "EINTR"]
# These commands have every error at every call; the others share them out, beside EIO at every call.
THOROUGH = ["login", "signup"]
# What a signal may interrupt; other system calls know no EINTR, nor does Linux interrupt `fdatasync` and `close` of a
# disk's file: SQLite counts on that.
INTERRUPTED = ["openat", "read", "pread64", "write", "pwrite64", "fsync", "flock", "ftruncate"]


def sweep(run):
    for command in run.chosen(COMMANDS):
        template = run.templates[command.template]
        found = run.sampled(points(command, template, World, WRITING + READING))
        before = State(template)
        cases = [(point, error) for number, point in enumerate(found) for error in errors(run, command, point, number)]
        faults = run.each(cases, lambda case: failed(command, *case, template, before))
        yield Row(f"error {command.name}", len(cases), faults)


def errors(run, command, point, number):
    """Which errors a call is given."""
    possible = FAILURES if point.name in INTERRUPTED else FAILURES[:-1]
    if run.options.error:
        return [error for error in run.options.error if error in possible]
    return possible if command.name in THOROUGH else {"EIO", possible[number % len(possible)]}


def failed(command, point, error, template, before):
    with World(template) as world:
        result = injected(world, command, point, f"error={error}")
        after = State(world)
        faults = [*after.faults, *lost(command, before, after), *wrong(command, point, error, result, before, after)]
        yield from (f"{fault}: {error} {point} {point.text}\n        {result}" for fault in faults)


def wrong(command, point, error, result, before, after):
    """What is not right about the end of a command, or about what it says of itself."""
    if PASSWORD in result.out + result.error or NEW_PASSWORD in result.out + result.error:
        yield "untrue: a secret in the output"
    if result.hung or result.signal:
        yield "wrong exit: no end of its own"
    elif error == "EINTR" and result.code != 0:
        yield "wrong exit: interrupted"
    elif result.code == 0 and not command.is_done(before, after):
        yield "lost: success was reported"
    elif result.code == 12:
        yield from wrong_failure(command, result, before, after)
    # Without memory for a password's hash nothing that is stored has failed.
    elif result.code != 0 and not (result.code == 9 and point.name == "mmap"):
        yield f"wrong exit: {result.code}"


def wrong_failure(command, result, before, after):
    # What a command did stays done where only its output is lost, and the message says so.
    if "cannot write to standard output" in result.error:
        return
    if not re.search(r"'/[^']*'", result.error):
        yield "untrue: no path"
    if after != before and not command.may(before, after, result.error):
        yield "untrue: changed"
    # What logout says of the state that it found and left is no word of success.
    state = ("forgot the session", "the session is ended at the server, but", "forgetting the session here failed")
    if result.out and not result.out.startswith(state):
        yield "untrue: output of a failure"
