"""Names that only Linux has, in source files that compile there. Tests/check-macos --self-test plants them."""

from dataclasses import dataclass


@dataclass
class Fault:
    name: str
    # The target that the file is added to.
    target: str
    body: str
    suffix = ".swift"
    # pipe2 is an extension of GNU.
    linux_compiler = ["swiftc", "-typecheck", "-parse-as-library", "-Xcc", "-D_GNU_SOURCE"]
    condition = "os(Linux)"
    head = "#if canImport(Glibc)\nimport Glibc\n#else\nimport Darwin\n#endif\n"

    @property
    def source(self):
        return self.head + self.body

    @property
    def guarded(self):
        """The same for Linux only, which is right."""
        return f"#if {self.condition}\n{self.source}#endif\n"


class CFault(Fault):
    suffix = ".c"
    linux_compiler = ["clang", "-fsyntax-only"]
    condition = "defined(__linux__)"
    head = "#define _GNU_SOURCE\n#include <unistd.h>\n"


FAULTS = [
    Fault("pipe2", "Platform", "func planted(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe2(ends, 0) }\n"),
    Fault("st_mtim", "Platform", "func planted(_ file: stat) -> Int { file.st_mtim.tv_sec }\n"),
    Fault("SOCK_CLOEXEC", "Platform", "func planted() -> Int { Int(SOCK_CLOEXEC.rawValue) }\n"),
    CFault("pipe2", "CProcess", "int planted(int *ends);\nint planted(int *ends) { return pipe2(ends, 0); }\n"),
]
