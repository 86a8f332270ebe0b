package import AuthModel
package import Platform

/// The folders for authctl's files, from the environment and the XDG Base Directory Specification.
///
/// A relative path in an `XDG_…` variable is ignored, as the specification requires. No folder depends on the working
/// directory.
package struct Paths: Sendable {
    private let environment: Environment
    private let warn: @Sendable (String) -> Void

    /// - Parameter warn: receives warnings about the folders, possibly the same warning several times.
    package init(environment: Environment, warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.environment = environment
        self.warn = warn
    }

    /// The folder of profiles and sessions: `$AUTHCTL_CONFIG_DIR`, `$XDG_CONFIG_HOME/authctl` or `~/.config/authctl`.
    package func configuration() throws(AuthError) -> PrivateFolder {
        try folder(own: Self.configurationVariable, xdg: "XDG_CONFIG_HOME", inHome: ".config")
    }

    /// The folder of the local accounts: `$AUTHCTL_DATA_DIR`, `$XDG_DATA_HOME/authctl` or `~/.local/share/authctl`.
    package func data() throws(AuthError) -> PrivateFolder {
        try folder(own: Self.dataVariable, xdg: "XDG_DATA_HOME", inHome: ".local/share")
    }

    /// The folder of e-mails to local accounts: `mail`, next to the database.
    package func mails() throws(AuthError) -> PrivateFolder {
        try data().subfolder("mail")
    }

    private static let configurationVariable = "AUTHCTL_CONFIG_DIR"
    private static let dataVariable = "AUTHCTL_DATA_DIR"

    private func folder(own: String, xdg: String, inHome: String) throws(AuthError) -> PrivateFolder {
        let path: String
        var home: String?
        if let folder = environment[own] {
            guard folder.hasPrefix("/") else {
                throw AuthError(.usage, "folder '\(folder)' (from \(own)) is not an absolute path")
            }
            path = try Self.plain(folder, own).withoutFinalSlashes
        } else if let base = try Self.folder(xdg, in: environment) {
            path = "\(base)/authctl"
        } else {
            let folder = try self.home()
            path = "\(folder == "/" ? "" : folder)/\(inHome)/authctl"
            home = folder
        }
        try requireNoSudo(path)
        // If HOME determines this folder, it may also determine the other, so the remedy sets the variables of both.
        let isFromHome = home != nil
        return PrivateFolder(
            path: path,
            FolderRules(home: home, remedy: { isFromHome ? remedy() : Self.otherFolders([own]) }, warn: warn))
    }

    private func home() throws(AuthError) -> String {
        guard let home = environment["HOME"] else {
            throw unusableHome("cannot determine the folder for files: HOME is not set")
        }
        guard home.hasPrefix("/") else { throw unusableHome("HOME '\(home)' is not an absolute path") }
        return try Self.plain(home, "HOME").withoutFinalSlashes
    }

    /// The folder that a variable names; `nil` if it is unset or its path is relative.
    package static func folder(_ variable: String, in environment: Environment) throws(AuthError) -> String? {
        guard let path = environment[variable], path.hasPrefix("/") else { return nil }
        return try plain(path, variable)
    }

    /// Rejects a path that would name another folder than the one meant: without its invalid UTF-8, which
    /// `Environment` replaces by U+FFFD, or with the carriage return of a Windows file.
    private static func plain(_ path: String, _ variable: String) throws(AuthError) -> String {
        guard !path.unicodeScalars.contains("\u{FFFD}") else {
            throw AuthError(.usage, "folder '\(path)' (from \(variable)) is not UTF-8")
        }
        guard !path.utf8.contains(where: { $0.isASCIIControl }) else {
            throw AuthError(.usage, "folder '\(path)' (from \(variable)) contains a control character")
        }
        return path
    }

    private func unusableHome(_ message: String) -> AuthError {
        AuthError(.unreadable, message, next: NextStep(remedy()))
    }

    /// Under sudo, rejects a folder in another user's home, because files owned by root would lock that user out.
    /// Accepts any folder if both AUTHCTL_CONFIG_DIR and AUTHCTL_DATA_DIR are set.
    private func requireNoSudo(_ path: String) throws(AuthError) {
        guard let user = environment["SUDO_UID"], !variablesToSet.isEmpty else { return }
        var folder = path.parentPath
        while let above = folder {
            if let owner = ownerIfRootActsForAnotherUser(above), "\(owner)" == user || above == environment["HOME"] {
                throw AuthError(
                    .unsafe, "folder '\(above)' belongs to another user (uid \(owner))",
                    next: "run the command without sudo")
            }
            folder = above.parentPath
        }
    }

    // MARK: - Other folders

    /// The unset variables that can move authctl's folders out of the home folder.
    private var variablesToSet: [String] {
        [Self.configurationVariable, Self.dataVariable].filter { environment[$0] == nil }
    }

    private func remedy() -> String { Self.otherFolders(variablesToSet) }

    /// Suggests a command that works in POSIX shells, even in containers: the user owns the folders of `mktemp`.
    private static func otherFolders(_ variables: [String]) -> String {
        let assignments = variables.map { #"\#($0)="$(mktemp -d)""# }
        return "use other folders, such as temporary ones: export \(assignments.joined(separator: " "))"
    }
}
