package import AuthModel
import JSON
import Platform
import Synchronization

/// The files that bulk commands write and continue. Each line is a JSON object.
package enum BulkFile: String, CaseIterable, Sendable {
    case journal, credentials, tokens, ids

    /// Whether these bytes can only be the beginning of a line that a killed process wrote.
    package func isUnfinished(_ bytes: [UInt8]) -> Bool {
        let beginnings =
            self == .journal
            ? [#"{"v":1,"kind":"users.journal","#, #"{"row":"#]
            : [#"{"id":"#, #"{"username":""#, #"{"email":""#, #"{"phone":""#]
        let isOwn = beginnings.contains { bytes.starts(with: $0.utf8) || $0.utf8.starts(with: bytes) }
        // `try?`: a whole line is JSON, and the beginning of a line is not.
        return isOwn && (try? JSONValue(parsing: bytes)) == nil
    }
}

extension AppendFile {
    /// Renames the file to `FILE.N`, where N is the first free number, so that a run can begin anew. Does nothing to an
    /// empty file.
    ///
    /// - Returns: the new path; `nil` if the file is empty.
    /// - Throws: `AuthError` `usage` or `corrupt` if authctl did not write the file.
    package func setAside(as kind: BulkFile) throws(AuthError) -> String? {
        guard !wasEmpty else { return nil }
        if kind == .journal {
            try readObjects(kind) { line, object throws(AuthError) in
                guard line > 1 || object["kind"]?.string == AccountJournal.kind else { throw invalid(kind, line) }
            }
        } else {
            try readRows(kind) { _, _ in }
        }
        return try mappingFileErrors { () throws(FileError) in try setAside() }
    }

    /// - Throws: `AuthError` if a line is not a JSON object.
    func readObjects(
        _ kind: BulkFile, _ body: (_ line: Int, JSONObject) throws(AuthError) -> Void
    ) throws(AuthError) {
        var lines = LineReader(source())
        while true {
            let line: [UInt8]
            do throws(AccountRowError) {
                guard let next = try lines.next() else { return }
                line = next
            } catch {
                throw invalid(kind, lines.number)
            }
            // `try?`: a line that is not JSON is invalid, like a line that is not an object.
            guard let object = (try? JSONValue(parsing: line))?.object else { throw invalid(kind, lines.number) }
            try body(lines.number, object)
        }
    }

    /// Reads the rows of a credentials, tokens or ids file, each with its account name.
    func readRows(
        _ kind: BulkFile, _ body: (_ name: String, JSONObject) throws(AuthError) -> Void
    ) throws(AuthError) {
        try readObjects(kind) { line, object throws(AuthError) in
            let names = object.names.drop { $0 == "id" }
            let (own, optional) = kind.members
            guard let first = names.first, ["username", "email", "phone"].contains(first),
                let name = object[first]?.string,
                own.contains(names.dropFirst().filter { !optional.contains($0) }), object[own[0][0]]?.string != nil
            else { throw invalid(kind, line) }
            try body(name, object)
        }
    }

    /// Reads the rows of a tokens file.
    ///
    /// - Parameter needsScope: whether each line must name its server; not if all lines are to be replaced.
    /// - Throws: `AuthError` `usage` if a session belongs to another scope.
    func readTokens(
        of scope: AccountScope, needsScope: Bool = true, _ body: (_ name: String, JSONObject) -> Void
    ) throws(AuthError) {
        try readRows(.tokens) { name, line throws(AuthError) in
            if let own = AccountScope(line) {
                try require(scope, toContain: own)
            } else if needsScope {
                throw AuthError(
                    .usage, "'\(path)' does not name its server",
                    next: NextStep(
                        "log in again",
                        run: ["users", "login", "--credentials", "FILE"] + .option("--tokens", path) + ["--replace"]))
            }
            body(name, line)
        }
    }

    /// - Throws: `AuthError` `usage` if the accounts of the file are in another scope.
    func require(_ scope: AccountScope, toContain other: AccountScope) throws(AuthError) {
        guard let difference = scope.difference(of: other) else { return }
        throw AuthError(
            .usage, "'\(path)' \(difference)", next: "use the settings that wrote the file, or name another file")
    }

    /// The error about a line that authctl did not write. If it is the first one, the file is another program's.
    func invalid(_ kind: BulkFile, _ line: Int) -> AuthError {
        let noun = kind == .journal ? "journal" : "\(kind.rawValue) file"
        let step = NextStep("name another file with --\(kind.rawValue)")
        return line <= 1
            ? AuthError(.usage, "'\(path)' is not a \(noun)", next: step)
            : AuthError(.corrupt, "line \(line) of '\(path)' is not a line of a \(noun)", next: step)
    }
}

extension BulkFile {
    /// The members after the name in a line of a credentials, tokens or ids file, and members that may be among them.
    fileprivate var members: (own: [[String]], optional: [String]) {
        let tokens = ["token", "expiresAt"]
        return switch self {
        case .credentials: ([["password"]], ["email", "phone"])
        case .ids: ([["newId"]], [])
        case .journal, .tokens: ([tokens, tokens + AccountScope.members], ["refreshToken", "page"])
        }
    }
}

extension AccountSource {
    /// Reads the passwords of all accounts, by account name.
    ///
    /// - Throws: `AuthError` if a row is invalid, or if the file cannot be read.
    package consuming func passwords() throws(AuthError) -> [String: Secret] {
        var passwords: [String: Secret] = [:]
        while let item = try next(checksValues: false, generatesPasswords: false) {
            if let error = item.error { throw error.explaining(item.row.place) }
            // The server may know the account by its e-mail.
            for name in [item.row.email, item.row.name].compactMap(\.self) { passwords[name] = item.row.password }
        }
        return passwords
    }
}

extension [String: Secret] {
    /// - Throws: `AuthError` `invalidFields` if the file has no password of the account.
    func password(of entry: AccountJournal.Entry) throws(AuthError) -> Secret {
        // The file has the name in the row, or the one that the server stores.
        let names = [entry.name, entry.user.username ?? entry.user.email].compactMap(\.self)
        guard let password = names.lazy.compactMap({ self[$0] }).first else {
            throw AuthError(.invalidFields, "the credentials file has no password for the account")
        }
        return password
    }
}

/// The file of generated passwords, with one line per account: `{"username":"ci-1","email":"…","phone":"…","password":"…"}`.
/// A name that the account does not have is left out.
final class CredentialsFile: Sendable {
    private let file: AppendFile
    private let randomness: Randomness
    /// The passwords of earlier runs, by account name.
    private let passwords: Mutex<[String: Secret]>
    /// The names of the rows whose passwords no account has.
    private let refused = Mutex<Set<String>>([])
    /// The names that the server stores, by the names in the file.
    private let stored = Mutex<[String: String]>([:])

    init(_ file: AppendFile, randomness: Randomness) throws(AuthError) {
        self.file = file
        self.randomness = randomness
        var passwords: [String: Secret] = [:]
        try file.readRows(.credentials) { name, row in passwords[name] = row["password"]?.string.map(Secret.init) }
        self.passwords = Mutex(passwords)
    }

    /// The password of an earlier run; `nil` if there is none.
    func password(of name: String) -> Secret? { passwords.withLock { $0[name] } }

    /// Records that the server did not create an account with the password in the file.
    func refuse(_ name: String) { refused.withLock { _ = $0.insert(name) } }

    /// Records that the server stores the username of an account in another form.
    func rename(_ name: String, to new: String) {
        if name != new { stored.withLock { $0[name] = new } }
    }

    /// Removes the rows of `refuse` from the file, and renames those of `rename`. Afterwards, the file must not be used
    /// again.
    func finish() throws(AuthError) {
        let (names, stored) = (refused.withLock { $0 }, stored.withLock { $0 })
        guard !names.isEmpty || !stored.isEmpty else { return }
        var lines: [UInt8] = []
        try file.readRows(.credentials) { name, row in
            guard !names.contains(name) else { return }
            var row = row
            if let new = stored[name] { row["username"] = .string(new) }
            lines += JSONValue.object(row).bytes + [UInt8(ascii: "\n")]
        }
        try mappingFileErrors { () throws(FileError) in
            if lines.isEmpty { try file.clear() } else { try file.replace(with: lines) }
        }
    }

    /// Sets the passwords: those of an earlier run, those that the rows share, or newly generated ones. Syncs new passwords
    /// to disk before it returns.
    func complete(_ rows: inout [AccountRow]) throws(AuthError) {
        var lines: [UInt8] = []
        for index in rows.indices {
            let name = rows[index].name
            if let known = passwords.withLock({ $0.removeValue(forKey: name) }) {
                rows[index].password = known
                continue
            }
            let password = rows[index].password ?? Secret.generated(randomness)
            rows[index].password = password
            var line: JSONObject = [:]
            line["username"] = rows[index].username.map(JSONValue.string)
            line["email"] = rows[index].email.map(JSONValue.string)
            line["phone"] = rows[index].phone.map(JSONValue.string)
            line["password"] = .string(password.reveal())
            lines += JSONValue.object(line).bytes + [UInt8(ascii: "\n")]
        }
        guard !lines.isEmpty else { return }
        try mappingFileErrors { () throws(FileError) in
            try file.append(lines)
            try file.sync()
        }
    }
}

/// The file of session tokens, with one line per session, which names the server that may receive the tokens:
///
///     {"id":"…","username":"ci-1","token":"…","expiresAt":null,"backend":"parse","server":"…","appId":"…","collection":null}
///
/// The member `email` replaces `username` if the account has no username. `refreshToken` follows `expiresAt` if it is
/// wanted; it is `null` if the server gave none. `page` follows if the session is a cookie: see `Session.page`. The last line of an account counts; `finish` removes the others, so that
/// a reader of the file finds no dead token.
final class TokensFile: Sendable {
    fileprivate struct State {
        /// The lines by account name, and the names in the order of the file; a discarded name may be repeated.
        var lines: [String: JSONObject] = [:]
        var names: [String] = []
        /// Whether the first session replaces all lines.
        var isStale: Bool
        var hasDeadLines = false
        /// The accounts whose tokens of earlier runs are dead.
        var discarded: Set<String> = []
    }

    private let file: AppendFile
    private let keepsRefreshTokens: Bool
    private let state: Mutex<State>
    private let client: Client
    private let scope: AccountScope
    private let hasWarned = Atomic(false)

    /// - Parameter deadIDs: the accounts whose lines are dead.
    /// - Throws: `AuthError` `usage` if the file is for another server; `usage` or `corrupt` if authctl did not write it.
    init(
        _ file: AppendFile, keepsRefreshTokens: Bool, replaces: Bool = false, deadIDs: Set<String> = [],
        _ client: Client
    ) throws(AuthError) {
        self.file = file
        self.client = client
        self.keepsRefreshTokens = keepsRefreshTokens
        var state = State(isStale: replaces)
        scope = AccountScope(client.settings)
        try file.readTokens(of: scope, needsScope: !replaces) { name, line in
            guard !replaces else { return }
            state.add(line, of: name)
            if let id = line["id"]?.string, deadIDs.contains(id) { state.discard(name) }
        }
        self.state = Mutex(state)
    }

    /// The line of an account; `nil` if there is none that may be valid.
    func line(of name: String) -> JSONObject? { state.withLock { $0.lines[name] } }

    /// Records that the token of an account is dead.
    func discard(_ name: String) { state.withLock { $0.discard(name) } }

    func hasDiscarded(_ name: String) -> Bool { state.withLock { $0.discarded.contains(name) } }

    /// Removes the dead lines. Afterwards, the file must not be used again.
    func finish() throws(AuthError) {
        var state = state.withLock { $0 }
        guard state.hasDeadLines else { return }
        var lines: [UInt8] = []
        for name in state.names {
            guard let line = state.lines.removeValue(forKey: name) else { continue }
            lines += JSONValue.object(line).bytes + [UInt8(ascii: "\n")]
        }
        try mappingFileErrors { () throws(FileError) in
            if lines.isEmpty { try file.clear() } else { try file.replace(with: lines) }
        }
    }

    /// - Parameter keepsRefreshToken: `nil` to decide as for the other sessions of the run.
    func add(_ new: NewSession, of row: AccountRow, keepsRefreshToken: Bool? = nil) throws(AuthError) {
        let keepsRefreshTokens = keepsRefreshToken ?? keepsRefreshTokens
        try state.withLock { state throws(AuthError) in
            if state.isStale { try mappingFileErrors { () throws(FileError) in try file.clear() } }
            state.isStale = false
        }
        var line: JSONObject = ["id": JSONValue(new.user.id), row.nameMember: .string(row.name)]
        line.set(new.session, keepsRefreshToken: keepsRefreshTokens)
        var scope = scope
        scope.appID = client.settings.backend.value.project(of: new.session) ?? scope.appID
        scope.add(to: &line)
        try file.append(line)
        state.withLock { [line] in $0.add(line, of: row.name) }
        if keepsRefreshTokens, new.session.refreshToken == nil { warnOfMissingRefreshTokens() }
    }

    private func warnOfMissingRefreshTokens() {
        let backend = client.settings.backend.value
        guard backend.refresh.means != .token, !hasWarned.exchange(true, ordering: .relaxed) else { return }
        let subject = backend.has(.takesServer) ? "the server gave" : "local accounts have"
        client.events.warn("\(subject) no refresh tokens: users refresh cannot refresh these sessions")
    }
}

extension TokensFile.State {
    fileprivate mutating func add(_ line: JSONObject, of name: String) {
        if lines.updateValue(line, forKey: name) != nil { hasDeadLines = true } else { names.append(name) }
    }

    fileprivate mutating func discard(_ name: String) {
        guard lines.removeValue(forKey: name) != nil else { return }
        discarded.insert(name)
        hasDeadLines = true
    }
}

extension Session {
    /// The session of a line of a tokens file.
    init(line: JSONObject) {
        self.init(
            token: Secret(line["token"]?.string ?? ""), refreshToken: line["refreshToken"]?.string.map { Secret($0) })
        expiresAt = line["expiresAt"]?.string.flatMap { Instant($0) }
        page = line["page"]?.string
    }
}

extension JSONObject {
    /// Sets the tokens in a line of a tokens file.
    mutating func set(_ session: Session, keepsRefreshToken: Bool) {
        self["token"] = .string(session.presentedToken.reveal())
        self["expiresAt"] = JSONValue(session.expiresAt.map(\.text))
        if keepsRefreshToken { self["refreshToken"] = JSONValue(session.refreshToken?.reveal()) }
        self["page"] = session.page.map { .string($0) }
    }
}

/// Appends lines to a file, and syncs the file at most once per second.
final class SyncedLines: Sendable {
    private let file: AppendFile
    private let waiting: Waiting
    private let lastSync: Mutex<Duration>

    init(_ file: AppendFile, waiting: Waiting) {
        self.file = file
        self.waiting = waiting
        lastSync = Mutex(waiting.now())
    }

    func append(_ line: JSONObject) throws(AuthError) {
        try file.append(line)
        let isDue = lastSync.withLock { last in
            let now = waiting.now()
            guard now - last >= .seconds(1) else { return false }
            last = now
            return true
        }
        if isDue { try mappingFileErrors { () throws(FileError) in try file.sync() } }
    }
}

extension AppendFile {
    func append(_ line: JSONObject) throws(AuthError) {
        try mappingFileErrors { () throws(FileError) in
            try append(JSONValue.object(line).bytes + [UInt8(ascii: "\n")])
        }
    }
}

extension Secret {
    /// The characters for each position before shuffling. The first four positions satisfy common password rules.
    private static let characters = {
        let kinds = ["abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.+"].map { Array($0.utf8) }
        return kinds + Array(repeating: kinds.flatMap(\.self), count: 16)
    }()

    /// Generates a password of 20 letters, digits and punctuation marks, with over 100 random bits.
    static func generated(_ randomness: Randomness) -> Secret {
        let random = randomness.bytes(40)
        let chosen = zip(characters, random).map { kind, byte in kind[Int(byte) % kind.count] }
        let shuffled = zip(random[20...], chosen).sorted { $0.0 < $1.0 }.map(\.1)
        return Secret(String(decoding: shuffled, as: UTF8.self))
    }
}
