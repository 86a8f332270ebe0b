package import AuthModel
package import Platform

/// The folders of authctl's files, from the environment and the XDG Base Directory Specification.
///
/// A relative `XDG_…` variable is ignored, as that specification requires. No path is ever derived from the working
/// directory or the root.
package struct Paths: Sendable {
    private let environment: Environment

    package init(environment: Environment) {
        self.environment = environment
    }

    /// Profiles and sessions: `$AUTHCTL_CONFIG_DIR`, `$XDG_CONFIG_HOME/authctl` or `~/.config/authctl`.
    package func configuration() throws(AuthError) -> PrivateFolder {
        try folder(own: "AUTHCTL_CONFIG_DIR", xdg: "XDG_CONFIG_HOME", inHome: ".config")
    }

    /// The folder of the local accounts: `$AUTHCTL_DATA_DIR`, `$XDG_DATA_HOME/authctl` or `~/.local/share/authctl`.
    package func data() throws(AuthError) -> PrivateFolder {
        try folder(own: "AUTHCTL_DATA_DIR", xdg: "XDG_DATA_HOME", inHome: ".local/share")
    }

    /// The e-mails of the local accounts: `mail` beside their database.
    package func mails() throws(AuthError) -> PrivateFolder {
        try data().subfolder("mail")
    }

    private func folder(own: String, xdg: String, inHome: String) throws(AuthError) -> PrivateFolder {
        if let path = environment[own] {
            guard path.hasPrefix("/") else {
                throw AuthError(.usage, "folder '\(path)' (from \(own)) is not an absolute path")
            }
            return PrivateFolder(path: try usable(path, from: own), home: nil)
        }
        if let base = environment[xdg], base.hasPrefix("/") {
            return PrivateFolder(path: try usable(base, from: xdg) + "/authctl", home: nil)
        }
        let home = try self.home(insteadOf: own)
        return PrivateFolder(path: "\(home)/\(inHome)/authctl", home: home)
    }

    private func home(insteadOf own: String) throws(AuthError) -> String {
        let step: NextStep = "set HOME, or set \(own) to an absolute path"
        guard let home = environment["HOME"] else {
            throw AuthError(.unreadable, "cannot determine the folder for files: HOME is not set", next: step)
        }
        guard home.hasPrefix("/") else {
            throw AuthError(.unreadable, "HOME '\(home)' is not an absolute path", next: step)
        }
        return try usable(home, from: "HOME")
    }

    /// Checks a path: one folder other than the root, without `..`, which could lead out of it.
    private func usable(_ path: String, from variable: String) throws(AuthError) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"))
        let isPlain =
            !parts.isEmpty && !parts.contains { $0.elementsEqual("..".utf8) } && !path.utf8.contains { $0 < 0x20 }
        // This character replaced invalid UTF-8, so the path names another folder than the variable.
        guard isPlain, !path.unicodeScalars.contains("\u{FFFD}") else {
            throw AuthError(
                .unsafe, "'\(path)' (from \(variable)) is not a valid folder path",
                next: "use an absolute UTF-8 path without '..'")
        }
        let ends = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        return ends.map { String(path.utf8[...$0]) ?? path } ?? path
    }
}
