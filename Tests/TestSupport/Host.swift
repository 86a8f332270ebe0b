import Foundation

/// Capabilities of the machine. A test is skipped if a capability that it needs is missing.
package enum Host {
    /// Whether tests can change the owner of files.
    package static let isRoot = geteuid() == 0

    /// Whether tests can trace system calls; some containers forbid it.
    package static let canTrace = succeeds("strace -o /dev/null true")

    /// Whether tests can mount a small file system.
    package static let canMount = isRoot && succeeds("unshare -m true")

    /// Whether programs can run in a network namespace with a separate DNS server (which needs Python 3.10).
    package static let hasOwnNetwork =
        canMount
        && succeeds("unshare -n -m ip link set lo up && python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'")

    /// Whether programs can load libraries from a folder other than the system's.
    package static let loadsFromPath = succeeds("test -e /lib64/ld-linux-x86-64.so.2 -o -e /lib/ld-linux-aarch64.so.1")

    /// Whether the `/proc` file system is available.
    package static let hasProc = FileManager.default.fileExists(atPath: "/proc/self/status")

    /// Whether there is a device on which every write fails because it is full.
    package static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

    /// Whether a program can be started with other limits, as another user or in a new session (`setsid`).
    package static let hasUtilLinux = succeeds("prlimit --version && setpriv --version && setsid --version")

    /// Whether bash can choose free descriptors for files and connections. The bash of macOS is too old to do so.
    package static let hasNewBash = succeeds("exec {file}</dev/null")

    package static let hasJQ = succeeds("jq --version")

    /// Whether zsh, fish and the package bash-completion are installed.
    package static let hasShells =
        succeeds("zsh --version && fish --version && test -f /usr/share/bash-completion/bash_completion")

    package static let hasManual = succeeds("mandoc -T lint /dev/null; man --version && command -v mandoc")

    private static func succeeds(_ script: String) -> Bool {
        (try? Sandbox().runScript(script))?.exitCode == 0
    }
}
