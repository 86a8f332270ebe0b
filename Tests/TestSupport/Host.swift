import Foundation

/// The capabilities of the machine. Tests that need a missing one are skipped.
package enum Host {
    /// Change the owner of files, mount file systems.
    package static let isRoot = geteuid() == 0

    /// Trace system calls; some containers forbid it.
    package static let canTrace = succeeds("strace -o /dev/null true")

    /// Mount a small file system.
    package static let canMount = isRoot && succeeds("unshare -m true")

    /// Run programs in a network namespace with a separate DNS server; the script requires Python 3.10.
    package static let hasOwnNetwork =
        canMount
        && succeeds("unshare -n -m ip link set lo up && python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'")

    /// Make programs load libraries from another folder than the system's.
    package static let loadsFromPath = succeeds("test -e /lib64/ld-linux-x86-64.so.2 -o -e /lib/ld-linux-aarch64.so.1")

    /// Read facts about processes from files.
    package static let hasProc = FileManager.default.fileExists(atPath: "/proc/self/status")

    /// Write to a device that is always full.
    package static let hasFullDevice = FileManager.default.fileExists(atPath: "/dev/full")

    /// Start a program with other limits, as another user or in another session.
    package static let hasUtilLinux = succeeds("prlimit --version && setpriv --version && setsid --version")

    /// Open files and connections at numbers that bash chooses. The bash of macOS is too old for that.
    package static let hasNewBash = succeeds("exec {file}</dev/null")

    package static let hasJQ = succeeds("jq --version")

    /// The three shells with completions.
    package static let hasShells =
        succeeds("zsh --version && fish --version && test -f /usr/share/bash-completion/bash_completion")

    package static let hasManual = succeeds("mandoc -T lint /dev/null; man --version && command -v mandoc")

    private static func succeeds(_ script: String) -> Bool {
        guard let world = try? Sandbox() else { return false }
        return (try? world.runScript(script))?.exitCode == 0
    }
}
