package import AuthModel
package import Platform

/// The folders of authctl's files, from the environment and the XDG Base Directory Specification.
///
/// A relative `XDG_…` variable is ignored, as that specification requires. No path is ever derived from the working
/// directory.
package struct Paths: Sendable {
    private let environment: Environment
    private let warn: @Sendable (String) -> Void

    /// - Parameter warn: receives warnings about the folders; the same one may come several times.
    package init(environment: Environment, warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.environment = environment
        self.warn = warn
    }

    /// Profiles and sessions: `$AUTHCTL_CONFIG_DIR`, `$XDG_CONFIG_HOME/authctl` or `~/.config/authctl`.
    package func configuration() throws(AuthError) -> PrivateFolder {
        try folder(own: Self.configurationVariable, xdg: "XDG_CONFIG_HOME", inHome: ".config")
    }

    /// The folder of the local accounts: `$AUTHCTL_DATA_DIR`, `$XDG_DATA_HOME/authctl` or `~/.local/share/authctl`.
    package func data() throws(AuthError) -> PrivateFolder {
        try folder(own: Self.dataVariable, xdg: "XDG_DATA_HOME", inHome: ".local/share")
    }

    /// The e-mails of the local accounts: `mail` beside their database.
    package func mails() throws(AuthError) -> PrivateFolder {
        try data().subfolder("mail")
    }

    private static let configurationVariable = "AUTHCTL_CONFIG_DIR"
    private static let dataVariable = "AUTHCTL_DATA_DIR"

    private func folder(own: String, xdg: String, inHome: String) throws(AuthError) -> PrivateFolder {
        if let path = environment[own] {
            guard path.hasPrefix("/") else {
                throw AuthError(.usage, "folder '\(path)' (from \(own)) is not an absolute path")
            }
            return PrivateFolder(path: try usable(path, from: own), rules(insteadOf: [own]))
        }
        if let base = environment[xdg], base.hasPrefix("/") {
            return PrivateFolder(path: try usable(base, from: xdg) + "/authctl", rules(insteadOf: [own]))
        }
        let home = try home()
        return PrivateFolder(
            path: "\(home == "/" ? "" : home)/\(inHome)/authctl", rules(home: home, insteadOf: Self.ofHome(environment))
        )
    }

    private func home() throws(AuthError) -> String {
        guard let home = environment["HOME"] else {
            throw unusableHome(.unreadable, "cannot determine the folder for files: HOME is not set")
        }
        guard home.hasPrefix("/") else { throw unusableHome(.unreadable, "HOME '\(home)' is not an absolute path") }
        guard home.utf8.contains(where: { $0 != UInt8(ascii: "/") }) else { return "/" }
        do throws(AuthError) {
            return try usable(home, from: "HOME")
        } catch {
            throw unusableHome(error.reason, error.message)
        }
    }

    private func unusableHome(_ reason: AuthError.Reason, _ message: String) -> AuthError {
        AuthError(reason, message, next: NextStep(Self.otherFolders(Self.ofHome(environment))))
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

    // MARK: - Rules

    /// - Parameter variables: those that name another folder; evaluated only for a hint.
    private func rules(
        home: String? = nil, insteadOf variables: @escaping @Sendable @autoclosure () -> [String]
    ) -> FolderRules {
        let environment = environment
        return FolderRules(
            home: home, isUnderSudo: { environment["SUDO_UID"] != nil },
            remedy: { Self.otherFolders(variables()) }, warn: warn)
    }

    /// The variables that replace the home folder and are not set yet.
    private static func ofHome(_ environment: Environment) -> [String] {
        [configurationVariable, dataVariable].filter { environment[$0] == nil }
    }

    /// A command that works in every shell and container: these folders are new and belong to the user.
    private static func otherFolders(_ variables: [String]) -> String {
        let assignments = variables.map { #"\#($0)="$(mktemp -d)""# }
        return "use other folders, such as temporary ones: export \(assignments.joined(separator: " "))"
    }
}
