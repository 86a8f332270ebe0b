import Foundation

extension Sandbox {
    /// Whether the store must be usable after a test.
    package enum StoreCheck: Sendable {
        /// The test damages the store.
        case none
        /// One command changes it. One process for each test is enough outside the tests of the store.
        case writes
        /// Commands change and read it, and log in.
        case works
    }

    /// A description of each broken invariant.
    package func broken(_ check: StoreCheck) -> [String] {
        leaks + (check == .none ? [] : faultsOfStore(check))
    }

    // MARK: - Secrets

    /// Describes each leak of the test accounts' password (which is never stored) or of a saved session's token.
    private var leaks: [String] {
        let password = SecretForms(Sandbox.password)
        let tokens = sessionFiles.compactMap { token(in: $0) }.map(SecretForms.init)
        return shownTexts.flatMap { text in
            ([password] + tokens).filter { $0.isFound(in: text.bytes) }.map { "'\($0.secret)' stands in \(text.name)" }
        }
    }

    /// The output and the files in which no secret may appear.
    ///
    /// Left out are session files, files that the test wrote, the output of scripts, and the standard output of
    /// commands that may print a token (`token`, `exec`, `api`).
    private var shownTexts: [(name: String, bytes: Data)] {
        let printed = record.runs.flatMap { run -> [(String, Data)] in
            let printsToken = run.words.contains("token") || run.words.contains("exec") || run.words.first == "api"
            let paths = run.words.isEmpty ? [] : [run.errorPath] + (printsToken ? [] : [run.outputPath])
            return paths.map { ("what '\(run.words.joined(separator: " "))' printed", data($0)) }
        }
        let written = record.written
        let files = contents(of: home).filter { !written.contains($0) && !isSession($0) }.map { ("'\($0)'", data($0)) }
        return printed + files
    }

    /// The paths of the saved sessions.
    package var sessionFiles: [String] { contents(of: home).filter(isSession) }

    /// Whether the path is a session file in any folder.
    private func isSession(_ path: String) -> Bool { path.contains("/sessions/") && path.hasSuffix(".json") }

    /// `nil` for an account that waits for a link: its file has an empty token.
    private func token(in path: String) -> String? {
        let members = try? JSONSerialization.jsonObject(with: data(path)) as? [String: Any]
        return (members?["token"] as? String).flatMap { $0.isEmpty ? nil : $0 }
    }

    // `try?`: a path without a file has no content.
    private func data(_ path: String) -> Data { (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data() }

    // MARK: - Store

    private func faultsOfStore(_ check: StoreCheck) -> [String] {
        guard isThere(configurationFolder) || isThere(dataFolder) else { return [] }
        let files = [configurationFolder, dataFolder].flatMap { [$0] + contents(of: $0) }.filter(isThere)
        return files.compactMap(faultOfFile) + faultsOfNextCommands(check)
    }

    private func faultOfFile(_ path: String) -> String? {
        guard let status = status(path), status.st_mode & S_IFMT != S_IFLNK else { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let mode = status.st_mode & 0o7777
        if mode != (isFolder ? 0o700 : 0o600) { return "'\(path)' has mode \(String(mode, radix: 8))" }
        if status.st_uid != geteuid() { return "'\(path)' belongs to \(status.st_uid)" }
        if !isFolder, status.st_nlink != 1 { return "'\(path)' has \(status.st_nlink) names" }
        return path.contains("/.authctl-new-") ? "'\(path)' is left" : nil
    }

    /// Adds a profile, and if the store must work, lists the profiles, logs in and removes the profile. Describes each
    /// command that fails. Exit code 4 is accepted, because the user `nobody` has no account.
    private func faultsOfNextCommands(_ check: StoreCheck) -> [String] {
        let profile = "next-\(record.runs.count)"
        let commands = [
            ["profile", "add", profile, "--backend", "local"], ["profile", "list", "--json"],
            ["login", "nobody", "--password-stdin", "-p", profile], ["profile", "remove", profile],
        ]
        return commands.prefix(check == .writes ? 1 : commands.count).compactMap { words in
            // `try?`: a command that cannot start counts as a failed one.
            let end = try? start(words, input: .password).wait()
            return end.map { $0.exitCode == 0 || $0.exitCode == 4 } == true
                ? nil : "'\(words.joined(separator: " "))' ends with \(end?.stderr ?? "nothing")"
        }
    }
}
