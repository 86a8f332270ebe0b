"""A process killed at any system call leaves the old or the new state, and blocks no later command."""

import signal

from SweepParts.commands import COMMANDS
from SweepParts.points import WRITING, injected, points
from SweepParts.report import Row
from SweepParts.world import NEW_PASSWORD, PASSWORD, State, World


def sweep(run):
    for command in run.chosen(COMMANDS):
        template = run.templates[command.template]
        all_points = run.sampled(points(command, template, World, WRITING))
        before = State(template)
        faults = run.each(all_points, lambda point: killed(command, point, template, before))
        yield Row(f"kill {command.name}", len(all_points), faults)


def killed(command, point, template, before):
    with World(template) as world:
        result = injected(world, command, point, "signal=KILL")
        if result.signal != signal.SIGKILL and result.code != 0:
            yield f"wrong exit: {point}: {result}"
        after = State(world)
        faults = after.faults + list(lost(command, before, after))
        if result.out and not command.is_done(before, after):
            faults.append(f"lost: success was reported: {result.out!r}")
        yield from (f"{fault}: {point} {point.text}" for fault in faults)
        in_the_way = next_commands(command, world, before, after)
        yield from (f"blocking: {point} {point.text}: {fault}" for fault in in_the_way)


def lost(command, before, after):
    """State outside the command must be unchanged."""
    for profile, session in before.sessions.items():
        if profile not in command.changes and after.sessions.get(profile) != session:
            yield f"lost: session of {profile}"
    for profile in before.profiles:
        if profile not in after.profiles and not command.name.startswith("profile remove"):
            yield f"lost: profile {profile}"
    for user in before.users:
        if user not in after.users:
            yield f"lost: account {user}"


def next_commands(command, world, before, after):
    """The next login and the next configuration change succeed at once and delete leftover files."""
    is_changed = command.name == "password change" and after.users != before.users
    password, profile = (NEW_PASSWORD if is_changed else PASSWORD), ["-p", "two"] if before.profiles else []
    commands = [["login", "ada", *profile], ["profile", "add", "next", "--backend", "local"]]
    if not before.users:
        commands.insert(0, ["signup", "ada", "--no-login"])
    if "bob" in after.users:
        commands.append(["login", "bob", *profile])
    if after.user_of("default") == "bob":
        commands.insert(0, ["whoami"])
    for words in commands:
        result = world.run(*words, password=password)
        if result.code != 0 or result.seconds > 2:
            yield f"{' '.join(words)}: {result}"
    if is_changed and world.run("login", "ada", *profile).code != 4:
        yield "both passwords are good"
    left = State(world)
    yield from left.faults
    yield from (f"left behind: {path}" for path in left.leftovers)
