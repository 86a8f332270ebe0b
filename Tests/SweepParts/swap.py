"""Exchanges a folder repeatedly with a link to another user's folder: no data may be written there.

Index files of SQLite's write-ahead log (-shm) are exempt, because SQLite opens its files by path and cannot be bound to a
folder. They contain only positions in the log.
"""

import contextlib
import ctypes
import os
import threading

from SweepParts.report import Row
from SweepParts.world import World

SOMEBODY = 65534
RENAME_EXCHANGE = 2
FROM_HERE = -100
LOGINS = 200


def sweep(run):
    if os.geteuid() != 0:
        yield Row("swap", 0, [], skipped="needs root, for a folder of another user")
        return
    count = len(run.sampled(range(LOGINS)))
    with World(run.templates["usual"]) as world:
        others = f"{world.root}/others"
        os.mkdir(others, 0o700)
        os.chown(others, SOMEBODY, SOMEBODY)
        for folder in [world.config, world.data, world.sessions]:
            faults = list(logins(world, folder, others, count))
            yield Row(f"swap ~/{os.path.relpath(folder, world.home)}", count, faults)


def logins(world, folder, others, count):
    os.symlink(others, f"{folder}-decoy")
    codes = {}
    with exchanging(folder, f"{folder}-decoy"):
        for _ in range(count):
            result = world.run("login", "ada")
            codes[result.code] = codes.get(result.code, 0) + 1
            if result.code not in (0, 12):
                yield f"wrong exit: {result}"
            yield from (f"untrue: {name} in another user's hands" for name in found(others))
    if os.path.islink(folder):
        exchange(folder, f"{folder}-decoy")
    os.unlink(f"{folder}-decoy")
    if not codes.get(0) or not codes.get(12):
        yield f"one of the ways was never taken: {codes}"
    result = world.run("login", "ada")
    if result.code != 0:
        yield f"blocking: {result}"


def found(folder):
    """The names of non-empty files in the folder. Deletes all files."""
    for top, _, files in os.walk(folder):
        for name in files:
            if not name.endswith("-shm") and os.path.getsize(f"{top}/{name}"):
                yield name
            os.unlink(f"{top}/{name}")


@contextlib.contextmanager
def exchanging(one, other):
    is_over = threading.Event()

    def loop():
        while not is_over.is_set():
            exchange(one, other)

    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def exchange(one, other):
    call = ctypes.CDLL(None, use_errno=True).renameat2
    if call(FROM_HERE, one.encode(), FROM_HERE, other.encode(), RENAME_EXCHANGE) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")
