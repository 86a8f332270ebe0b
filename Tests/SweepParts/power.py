"""Simulates power cuts: a copy of the image of a mounted disk contains only synchronized data."""

import contextlib
import os
import re
import shutil
import subprocess

from SweepParts.report import Row
from SweepParts.world import State, World

# With these mount options, data without fsync stays in memory: no timer, rename or truncation writes it to the disk.
OPTIONS = "loop,noauto_da_alloc,commit=300"
SCRIPT = [
    ("signup", ["signup", "ada"]), ("profile add", ["profile", "add", "one", "--backend", "local"]),
    ("login", ["login", "ada", "-p", "one"]), ("profile use", ["profile", "use", "one"]),
    ("password change", ["password", "change", "-p", "default"]), ("logout", ["logout", "-p", "default"]),
    ("profile remove", ["profile", "remove", "one", "--force"]),
]


def sweep(run):
    problem = why_not()
    if problem:
        yield Row("power", 0, [], skipped=problem)
        return
    with disk() as (world, cut):
        with open(f"{world.home}/control", "w") as file:
            file.write("never synchronised")
        with cut() as after_cut:
            if os.path.exists(f"{after_cut.home}/control"):
                yield Row("power", 0, [], skipped="this system writes what was not synchronised")
                return
        for name, words in SCRIPT:
            token = world.run("token", "-p", "default").out.strip()
            result = world.run(*words)
            faults = [] if result.code == 0 else [f"wrong exit: {result}"]
            expected = State(world)
            with cut() as after_cut:
                found = State(after_cut)
                if found.parts() != expected.parts():
                    faults.append(f"lost: {name}")
                faults += found.faults
                if name == "logout":
                    faults += (f"untrue: the token is in {path}" for path in holding(after_cut.home, token.encode()))
            yield Row(f"power {name}", 1, faults)
    yield from cuts_between(run)


def cuts_between(run):
    """A power cut at any fsync, fdatasync or renameat of a login leaves the old or the new state."""
    with disk() as (world, cut):
        world.must("signup", "ada")
        words = ["login", "ada"]
        faults, number = [], 0
        for name in ["fsync", "fdatasync", "renameat"]:
            for count in run.sampled(range(1, 30)):
                under = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={name}:signal=KILL:when={count}"]
                result = world.run(*words, under=under)
                if not result.signal:
                    break
                number += 1
                with cut() as after_cut:
                    found = State(after_cut)
                    faults += [f"{fault}: {name}#{count}" for fault in found.faults]
                    if "ada" not in found.users or found.user_of("default") != "ada":
                        faults.append(f"lost: {name}#{count}")
                    again = after_cut.run("login", "ada")
                    if again.code != 0:
                        faults.append(f"blocking: {name}#{count}: {again}")
        yield Row("power cut in a login", number, faults)


def why_not():
    if os.geteuid() != 0:
        return "needs root, to mount"
    for tool in ["mkfs.ext4", "mount"]:
        if not shutil.which(tool):
            return f"needs {tool}"
    try:
        with disk():
            return None
    except subprocess.CalledProcessError as error:
        return "needs a loop device: " + re.sub(r"\s+", " ", error.stderr.decode(errors="replace")).strip()


@contextlib.contextmanager
def disk():
    """A world on its own disk, and a function that mounts a copy of the disk as a power cut would leave it."""
    with World(parent="/var/tmp") as outer:
        image = f"{outer.root}/image"
        with open(image, "wb") as file:
            file.truncate(64 << 20)
        quietly("mkfs.ext4", "-q", "-F", image)
        with mounted(outer, image, "disk") as world:

            @contextlib.contextmanager
            def cut():
                quietly("cp", "--sparse=always", image, f"{image}.cut")
                with mounted(outer, f"{image}.cut", "cut") as after_cut:
                    yield after_cut

            yield world, cut


@contextlib.contextmanager
def mounted(outer, image, name):
    folder = f"{outer.root}/{name}"
    os.makedirs(folder, exist_ok=True)
    quietly("mount", "-o", OPTIONS, image, folder)
    try:
        world = World.__new__(World)
        world.root, world.home = folder, f"{folder}/home"
        if not os.path.isdir(world.home):
            os.mkdir(world.home, 0o700)
            quietly("sync", "-f", folder)
        yield world
    finally:
        quietly("umount", folder)


def quietly(*words):
    subprocess.run(words, check=True, capture_output=True)


def holding(folder, token):
    """The files that contain the token."""
    for top, _, files in os.walk(folder):
        for name in files:
            with open(f"{top}/{name}", "rb") as file:
                if token and token in file.read():
                    yield f"{top}/{name}"
