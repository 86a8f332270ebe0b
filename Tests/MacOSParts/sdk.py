"""A macOS SDK for type checks, made on Linux from public parts. It has no compiled libraries, so nothing can be linked.

sdk/usr/include        Apple's C headers, from the PyPI package ziglang (macOS SDK 15.5), and a module map for Darwin
swift/macosx           the toolchain's own module interfaces, changed for the target; swiftc compiles them when needed
modules                the compiled modules
libraries              Debian's headers of libcurl, libsodium and SQLite
"""

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

PARTS = Path(__file__).resolve().parent
CACHE = PARTS.parent.parent / ".build/check-macos"
TARGET = "arm64-apple-macosx15.0"
# The last ziglang release with headers of a macOS 15 SDK (15.5). macOS 27 headers declare pipe2, which macOS 15 lacks.
HEADERS = "ziglang==0.15.2"
LIBRARIES = ["curl", "sqlite3.h", "sodium.h", "sodium"]
# The modules of the Swift standard library.
MODULES = ["Swift", "SwiftOnoneSupport", "Synchronization", "_Concurrency", "_StringProcessing"]
# Headers of the Darwin module, in addition to those that the toolchain lists for Linux.
DARWIN_HEADERS = ["copyfile", "crt_externs", "libproc", "mach/mach", "mach/mach_time", "sys/attr", "sys/clonefile",
                  "sys/param", "sys/random", "sys/sysctl", "sys/ttycom", "sys/xattr"]


class SDK:
    def __init__(self):
        compiler = shutil.which("swiftc") or sys.exit("cannot find 'swiftc'")
        self.toolchain = Path(compiler).resolve().parent.parent / "lib/swift"
        version = subprocess.run([compiler, "--version"], capture_output=True, check=True, text=True).stdout
        self.folder = CACHE / hashlib.sha256(version.encode() + Path(__file__).read_bytes()).hexdigest()[:16]
        self.root = self.folder / "sdk"
        self.swift = self.folder / "swift"
        if not self.folder.exists():
            self.make()

    @property
    def clang_flags(self):
        return ["-target", TARGET, "-isysroot", self.root, "-I", self.folder / "libraries"]

    @property
    def swift_flags(self):
        # Objective-C is off, because the Linux interfaces were made without it.
        return ["-target", TARGET, "-sdk", self.root, "-resource-dir", self.swift, "-disable-objc-interop",
                "-module-cache-path", self.folder / "modules", "-Xcc", f"-I{self.folder / 'libraries'}"]

    def make(self):
        """Makes the folder under another name first, so that an interrupted run leaves nothing that looks complete."""
        print("Preparing the SDK", flush=True)
        headers = CACHE / HEADERS.replace("==", "-")
        if not headers.exists():
            download_headers(headers)
        for old in CACHE.glob("[0-9a-f]" * 16 + "*"):
            shutil.rmtree(old)
        finished, self.folder = self.folder, self.folder.with_suffix(".new")
        self.copy_headers(headers)
        self.copy_interfaces()
        (self.folder / "libraries").mkdir()
        for name in LIBRARIES:
            places = [Path("/usr/include", name), *Path("/usr/include").glob(f"*-linux-gnu/{name}")]
            header = next((place for place in places if place.exists()), None)
            if header is None:
                sys.exit(f"cannot find '{name}': run Tests/run, which installs the headers of the C libraries")
            (self.folder / "libraries" / name).symlink_to(header)
        self.folder = self.folder.rename(finished)

    def copy_headers(self, headers):
        include = self.folder / "sdk/usr/include"
        shutil.copytree(headers, include)
        linux = next((self.toolchain / "linux").glob("*/SwiftGlibc.h")).read_text()
        names = re.findall(r"#include <(.*)>", linux) + [f"{name}.h" for name in DARWIN_HEADERS]
        (include / "Darwin.h").write_text(
            "".join(f"#include <{name}>\n" for name in names if (include / name).exists()
                    or name in ("float.h", "iso646.h", "stdarg.h", "stdbool.h")))
        (include / "module.modulemap").write_text(
            'module Darwin [system] {\n    header "Darwin.h"\n    textual header "assert.h"\n    export *\n}\n')

    def copy_interfaces(self):
        for folder in ("apinotes", "clang", "shims"):
            (self.folder / "swift").mkdir(parents=True, exist_ok=True)
            (self.folder / "swift" / folder).symlink_to(self.toolchain / folder)
        for name in MODULES:
            self.write_interface(name, for_macos(self.interface(name)))
        errors = (self.folder / "sdk/usr/include/sys/errno.h").read_text()
        self.write_interface("Darwin", darwin(self.interface("Glibc"), errors))

    def interface(self, name):
        files = (self.toolchain / f"linux/{name}.swiftmodule").glob("*.swiftinterface")
        return next(file for file in files if "private" not in file.name).read_text()

    def write_interface(self, name, text):
        folder = self.folder / f"swift/macosx/{name}.swiftmodule"
        folder.mkdir(parents=True)
        (folder / "arm64-apple-macos.swiftinterface").write_text(text)


def download_headers(target):
    """Downloads 94 MB and keeps the 6 MB of headers."""
    download = CACHE / "download"
    shutil.rmtree(download, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", download], check=True)
    subprocess.run([download / "bin/python", "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
                    "--no-deps", "--dest", download, HEADERS], check=True)
    prefix = "ziglang/lib/libc/include/any-macos-any/"
    with zipfile.ZipFile(next(download.glob("*.whl"))) as wheel:
        wheel.extractall(download, [name for name in wheel.namelist() if name.startswith(prefix)])
    (download / prefix).rename(target)
    shutil.rmtree(download)


def for_macos(interface):
    """Converts the Linux interface of a module to the target."""
    interface = re.sub(r"-target \S+-linux\S*", f"-target {TARGET}", interface)
    # Availability is checked in the package's sources, not in the interfaces.
    interface = interface.replace("-target-min-inlining-version min", "-disable-availability-checking")
    interface = re.sub(r"^import Glibc$", "import Darwin", interface, flags=re.MULTILINE)
    # On macOS, functions with this attribute need bodies, which the Linux interfaces omit.
    interface = re.sub(r"^ *@backDeployed.*\n", "", interface, flags=re.MULTILINE)
    # Replace the thread id that a Linux lock stores. On macOS, the system stores it.
    interface = interface.replace("_swift_stdlib_gettid()", "UInt32(0)")
    # Remove two functions of Float80, a type that arm64 lacks.
    return re.sub(r"^ *self = _stdlib_(remainder|squareRoot)l\(.*\n", "", interface, flags=re.MULTILINE)


def darwin(glibc, errors):
    """Apple's overlay of the C library: the declarations that it shares with Glibc's, and three constants.

    The constants are macros that Swift does not import from the headers.
    """
    header, body = re.split(r"(?<=import SwiftShims\n)", glibc)
    header = for_macos(header).replace("-module-name Glibc", "-module-name Darwin")
    header = header.replace("import SwiftGlibc", "import Darwin").replace("import SwiftOverlayShims\n", "")
    wanted = r"\b(errno|open|openat|fcntl|ioctl|S_I\w+|SIG_\w+|Semaphore|SEM_FAILED|sem_open|Duration|MAP_FAILED)\b"
    text = "".join(part for part in declarations(body) if re.search(wanted, part) or "POSIXErrorCode" in part)
    text = re.sub(r"\b(SwiftGlibc|SwiftOverlayShims|Glibc)\.", "Darwin.", text).replace("sighandler_t", "sig_t")
    text = re.sub(r"^  case (E\w+)\n", lambda case: case[0] if f" {case[1]} " in errors.replace("\t", " ") else "", text,
                  flags=re.MULTILINE)
    text = re.sub(r"^  public static var EDEADLOCK.*\n.*\n  }\n", "", text, flags=re.MULTILINE)
    return header + text + """
public var CLOCK_REALTIME: Darwin.clockid_t { get }
public var CLOCK_MONOTONIC: Darwin.clockid_t { get }
public var TIOCGWINSZ: Swift.UInt { get }
"""


def declarations(text):
    """The declarations at the top level, each with its attributes."""
    part = ""
    for line in text.splitlines(keepends=True):
        part += line
        if line.startswith("}") or re.match(r"(public|@_transparent|extension)\b.*[^{]$", line.rstrip()):
            yield part
            part = ""
