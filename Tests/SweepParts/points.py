"""The system calls of a command at which a fault can be injected."""

import re

# Calls that change the disk, or decide whether it is changed.
WRITING = (
    "openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,link,linkat,close,mkdir,mkdirat,ftruncate,"
    "fallocate,flock,fcntl,unlink,unlinkat,fchmod,fchmodat,fchown,utimensat"
).split(",")
# Calls that read state. A command that mistakes a failure for "not found" would overwrite existing data.
READING = "read,pread64,newfstatat,fstat,stat,lstat,statx,getdents64,lseek,readlink,mmap".split(",")


class Point:
    """The `count`-th system call named `name`."""

    def __init__(self, name, count, text):
        self.name, self.count, self.text = name, count, text

    def __str__(self):
        return f"{self.name}#{self.count}"


def points(command, template, make_world, names):
    """The calls of a complete run, starting with the first one that names a file in the home folder."""
    with make_world(template) as world:
        trace = f"{world.root}/trace"
        calls = "trace=" + ",".join(f"?{name}" for name in names)
        world.must(*command.words, under=["strace", "-f", "-qq", "-o", trace, "-e", "signal=none", "-e", calls])
        with open(trace, errors="replace") as file:
            lines = [line for line in file if re.match(r"\d+ +\w+\(", line)]
        found, counts, is_ours = [], {}, False
        for line in lines:
            name = re.match(r"\d+ +(\w+)\(", line)[1]
            counts[name] = counts.get(name, 0) + 1
            is_ours = is_ours or world.home in line
            if is_ours:
                found.append(Point(name, counts[name], re.sub(r"^\d+ +", "", line).strip().replace(world.home, "~")))
        if len({line.split()[0] for line in lines}) > 1:
            raise SystemExit(f"sweep: {command.name} has several threads, and calls are counted for each")
        return found


def injected(world, command, point, what):
    """Runs the command and injects the fault `what`, such as `signal=KILL` or `error=EIO`, into one call."""
    inject = ["-e", f"trace={point.name}", "-e", f"inject={point.name}:{what}:when={point.count}"]
    return world.run(*command.words, under=["strace", "-f", "-qq", "-o", "/dev/null", *inject])
