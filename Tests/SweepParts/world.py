"""A home folder to run authctl in, and its state afterwards."""

import json
import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = f"{ROOT}/.build/release/authctl"
BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--disable-local-rpath", "--product", "authctl"]
PASSWORD, NEW_PASSWORD = "correct horse battery", "staple under the table"
LEFTOVER = ".authctl-new-"
# The longest documented wait, which is the wait for a lock, in seconds. A run that takes 5 seconds longer is hung.
PATIENCE = 10


class Finished:
    """The result of a run. `signal` is 0 if no signal killed it; `hung` is set if it exceeded the time limit."""

    def __init__(self, code, out, error, seconds, hung=False):
        self.code, self.signal = (code, 0) if code >= 0 else (None, -code)
        self.out, self.error, self.seconds, self.hung = out, error, seconds, hung

    def __str__(self):
        how = "hung" if self.hung else f"signal {self.signal}" if self.signal else f"exit {self.code}"
        return f"{how} after {self.seconds:.1f} s, stdout {self.out!r}, stderr {self.error!r}"


class World:
    """A home folder. The end of a `with` block deletes it."""

    def __init__(self, template=None, parent=None):
        # Use memory if possible: the system calls are the same as on a disk, but faster.
        parent = parent or ("/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.root = tempfile.mkdtemp(prefix="sweep-", dir=parent)
        self.home = f"{self.root}/home"
        if template:
            shutil.copytree(template.home, self.home, symlinks=True)
        else:
            os.mkdir(self.home, 0o700)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root, ignore_errors=True)

    @property
    def config(self):
        return f"{self.home}/.config/authctl"

    @property
    def sessions(self):
        return f"{self.config}/sessions"

    @property
    def data(self):
        return f"{self.home}/.local/share/authctl"

    def environment(self, password=PASSWORD):
        return {
            "HOME": self.home, "PATH": os.environ["PATH"], "LC_ALL": "C", "CI": "true",
            "AUTHCTL_PASSWORD": password, "AUTHCTL_NEW_PASSWORD": NEW_PASSWORD,
        }

    def start(self, *words, under=(), password=PASSWORD):
        return subprocess.Popen(
            [*under, BINARY, *words], env=self.environment(password), cwd=self.root, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run(self, *words, under=(), password=PASSWORD, patience=PATIENCE + 5):
        return finish(self.start(*words, under=under, password=password), patience)

    def must(self, *words, **options):
        result = self.run(*words, **options)
        if result.code != 0:
            raise SystemExit(f"sweep: authctl {' '.join(words)}: {result}")
        return result


def finish(process, patience=PATIENCE + 5):
    start, hung = time.monotonic(), False
    try:
        out, error = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        hung = True
        os.killpg(process.pid, signal.SIGKILL)
        out, error = process.communicate()
    decode = lambda data: data.decode(errors="replace")
    return Finished(process.returncode, decode(out), decode(error), time.monotonic() - start, hung)


class State:
    """The state on the disk, read without authctl. `faults` lists violated invariants."""

    def __init__(self, world):
        self.faults = []
        self.sessions = self._sessions(world)
        self.profiles, self.current = self._configuration(world)
        self.users, self.session_count = self._accounts(world)
        self.leftovers = self._walk(world)

    def __eq__(self, other):
        return self.parts() == other.parts()

    def parts(self):
        return (self.sessions, self.profiles, self.current, self.users, self.session_count)

    def user_of(self, profile):
        session = self.sessions.get(profile)
        return json.loads(session)["user"]["username"] if session else None

    def _sessions(self, world):
        found = {}
        for name in names(world.sessions):
            if name.endswith(".json"):
                # The file name is PROFILE~AS~HASH.json. Each profile of the sweep has one session.
                profile = name[:-5].split("~")[0]
                with open(f"{world.sessions}/{name}", "rb") as file:
                    found[profile] = file.read()
                if not is_whole(found[profile]):
                    self.faults.append(f"torn: {name}")
        return found

    def _configuration(self, world):
        try:
            with open(f"{world.config}/config.json", encoding="utf-8") as file:
                document = json.load(file)
            profiles, current = document["profiles"], document.get("current")
        except FileNotFoundError:
            profiles, current = {}, None
        except (ValueError, KeyError) as error:
            self.faults.append(f"torn: config.json: {error}")
            return {}, None
        current = self._choice(world) or current
        # If the current profile does not exist, every later command fails.
        if current not in [None, "default", *profiles]:
            self.faults.append(f"lost: the current profile {current}")
        return profiles, current

    def _choice(self, world):
        """The profile name in the file that `profile use` writes; None without the file."""
        try:
            with open(f"{world.config}/current", encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            return None
        if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\n", text):
            self.faults.append(f"torn: current: {text!r}")
        return text[:-1]

    def _accounts(self, world):
        """Reads a copy of the database, because SQLite changes the files beside a database when it reads."""
        if not os.path.exists(f"{world.data}/local.db"):
            return {}, 0
        with tempfile.TemporaryDirectory(dir=world.root) as folder:
            for suffix in ["", "-wal"]:
                if os.path.exists(f"{world.data}/local.db{suffix}"):
                    shutil.copy(f"{world.data}/local.db{suffix}", f"{folder}/local.db{suffix}")
            connection = sqlite3.connect(f"{folder}/local.db")
            try:
                if connection.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                    self.faults.append("torn: local.db")
                # A killed creation leaves a file without tables, which the next signup completes.
                if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
                    return {}, 0
                users = dict(connection.execute("SELECT username, password_hash FROM users"))
                return users, connection.execute("SELECT count(*) FROM sessions").fetchone()[0]
            except sqlite3.Error as error:
                self.faults.append(f"torn: local.db: {error}")
                return {}, 0
            finally:
                connection.close()

    def _walk(self, world):
        """Checks modes, owners and links of all files of authctl. Returns leftover temporary files."""
        left = []
        for top in [world.config, world.data]:
            for folder, _, files in os.walk(top):
                self._check(folder, 0o700)
                for name in files:
                    self._check(f"{folder}/{name}", 0o600)
                    if name.startswith(LEFTOVER):
                        left.append(f"{folder}/{name}")
        if len(left) > 1:
            self.faults.append(f"{len(left)} temporary files left")
        return left

    def _check(self, path, mode):
        status = os.lstat(path)
        if stat.S_IMODE(status.st_mode) != mode or status.st_uid != os.geteuid():
            self.faults.append(f"mode or owner of {path}: {stat.S_IMODE(status.st_mode):o}, {status.st_uid}")
        if stat.S_ISREG(status.st_mode) and status.st_nlink != 1:
            self.faults.append(f"{status.st_nlink} links to {path}")


def is_whole(session):
    """Whether a session file is one line of JSON."""
    try:
        return session.endswith(b"}\n") and isinstance(json.loads(session), dict)
    except ValueError:
        return False


def names(folder):
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
