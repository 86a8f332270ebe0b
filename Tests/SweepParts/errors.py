"""After a failed system call, a command exits with code 12 and the old state, or succeeds with the new state."""

import re

from SweepParts.commands import COMMANDS
from SweepParts.kills import lost
from SweepParts.points import READING, WRITING, injected, points
from SweepParts.report import Row
from SweepParts.world import NEW_PASSWORD, PASSWORD, State, World

FAILURES = ["EIO", "ENOSPC", "EACCES", "EMFILE", "ENOMEM", "EDQUOT", "EROFS", "EINTR"]
# These commands get every error at every call. The others get EIO and one further error at every call.
THOROUGH = ["login", "signup"]
# The system calls that a signal may interrupt. Other calls do not return EINTR. Linux does not interrupt `fdatasync`
# and `close` of a file on disk, and SQLite relies on this.
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
    """The errors to inject into a call."""
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
    """Faults in the exit code or the messages of a command."""
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
    # A failed memory allocation for the password hash gives exit code 1, because it is not a storage error.
    elif result.code != 0 and not (result.code == 1 and point.name == "mmap" and "out of memory" in result.error):
        yield f"wrong exit: {result.code}"


def wrong_failure(command, result, before, after):
    # The command's changes remain if only writing to standard output fails.
    if "cannot write to standard output" in result.error:
        return
    if not re.search(r"'/[^']*'", result.error):
        yield "untrue: no path"
    # If only the sync of the folder failed, the new file stays, and the message says so.
    if "a power cut may undo it" in result.error:
        return
    if after != before and not command.may(before, after, result.error):
        yield "untrue: changed"
    # A failed logout may report the remaining state on standard output. Other failed commands print nothing there.
    state = (
        "deleted the saved session", "the session is revoked, but the saved session could not be deleted",
        "the saved session could not be deleted")
    if result.out and not result.out.startswith(state):
        yield "untrue: output of a failure"
