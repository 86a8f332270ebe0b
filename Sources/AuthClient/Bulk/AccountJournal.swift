import AuthModel
import JSON
import Platform
import Synchronization

/// Records the outcome of each row that `CreateAccounts` or `DeleteAccounts` sends, so that a later run can continue or
/// undo the work.
///
/// The file has one JSON object per line and contains no secrets. `CreateAccounts` writes one line before the request
/// for a row, and a second line with the outcome after the response. If a row has no outcome, its account may exist on
/// the server. `DeleteAccounts` writes one line after a deletion.
///
///     {"v":1,"kind":"users.journal","backend":"parse","server":"…","appId":"…","shard":"1/4"}
///     {"row":1,"state":"sent","digest":"0123456789abcdef","generated":true}
///     {"row":1,"state":"created","id":"…","username":"ci-1","email":null}
final class AccountJournal: Sendable {
    /// The state of one row.
    struct Entry: Sendable {
        enum State: String { case sent, created, existing, failed, unknown, deleted }

        var state: State
        /// `AccountRow.digest` of the row that was sent.
        var digest: String?
        var isGenerated = false
        var user = User()
    }

    private let file: AppendFile
    private let waiting: Waiting
    private let entries: [Int: Entry]
    /// The shard of the first run, such as `1/4`; `nil` if that run covered all rows.
    let shard: String?
    private let lastSync: Mutex<Duration>

    /// Reads the entries of earlier runs.
    ///
    /// - Parameter shard: the shard to record in a new journal; ignored for an existing journal.
    /// - Throws: `AuthError` `usage` if the journal is for another server or application; `corrupt` if it is damaged.
    init(_ file: AppendFile, _ connection: Connection, shard: Shard? = nil, waiting: Waiting) throws(AuthError) {
        self.file = file
        self.waiting = waiting
        lastSync = Mutex(waiting.now())
        var entries: [Int: Entry] = [:]
        var writtenShard: String?
        try file.readObjects { line, object throws(AuthError) in
            if line == 1 {
                guard object["kind"]?.string == Self.kind else { throw file.corrupt(line) }
                try file.require(object, toBeOf: connection)
                writtenShard = object["shard"]?.string
                return
            }
            guard let row = object["row"]?.integer, let word = object["state"]?.string,
                let state = Entry.State(rawValue: word)
            else { throw file.corrupt(line) }
            entries[Int(row), default: Entry(state: state)].add(state, object)
        }
        self.entries = entries
        self.shard = file.wasEmpty ? shard?.text : writtenShard
        guard file.wasEmpty else { return }
        try write([
            "v": 1, "kind": .string(Self.kind), "backend": .string(connection.backend),
            "server": JSONValue(connection.server), "appId": JSONValue(connection.appID),
            "shard": JSONValue(shard?.text),
        ])
    }

    private static let kind = "users.journal"

    func entry(of row: Int) -> Entry? { entries[row] }

    /// The rows whose accounts were created and not deleted later, sorted by row number.
    var created: [(row: Int, user: User)] {
        entries.filter { $0.value.state == .created }.map { ($0.key, $0.value.user) }.sorted { $0.0 < $1.0 }
    }

    /// Whether earlier runs sent generated passwords.
    var hasGeneratedPasswords: Bool { entries.contains { $0.value.isGenerated } }

    /// Records a row before the request for it is sent.
    func begin(_ row: AccountRow, isGenerated: Bool) throws(AuthError) {
        try write([
            "row": .integer(Int64(row.number)), "state": "sent", "digest": .string(row.digest),
            "generated": .bool(isGenerated),
        ])
    }

    func end(_ row: Int, _ state: Entry.State, _ user: User) throws(AuthError) {
        try write([
            "row": .integer(Int64(row)), "state": .string(state.rawValue), "id": JSONValue(user.id),
            "username": JSONValue(user.username), "email": JSONValue(user.email),
        ])
    }

    func sync() throws(AuthError) { try mappingFileErrors { () throws(FileError) in try file.sync() } }

    /// Appends a line, and syncs the file at most once per second.
    private func write(_ line: JSONObject) throws(AuthError) {
        try file.append(line)
        let isDue = lastSync.withLock { last in
            let now = waiting.now()
            guard now - last >= .seconds(1) else { return false }
            last = now
            return true
        }
        if isDue { try sync() }
    }
}

extension AccountJournal.Entry {
    fileprivate mutating func add(_ state: State, _ object: JSONObject) {
        self.state = state
        digest = object["digest"]?.string ?? digest
        isGenerated = object["generated"]?.bool ?? isGenerated
        if state == .created {
            user = User(
                id: object["id"]?.string, username: object["username"]?.string, email: object["email"]?.string)
        }
    }
}

extension AppendFile {
    /// - Throws: `AuthError` `corrupt` if a line is not a JSON object.
    fileprivate func readObjects(_ body: (_ line: Int, JSONObject) throws(AuthError) -> Void) throws(AuthError) {
        var lines = LineReader(source())
        while true {
            let line: [UInt8]
            do throws(AccountRowError) {
                guard let next = try lines.next() else { return }
                line = next
            } catch {
                throw corrupt(lines.number)
            }
            // `try?`: a line that is not JSON counts as corrupt, like a line that is not an object.
            guard let object = (try? JSONValue(parsing: line))?.object else { throw corrupt(lines.number) }
            try body(lines.number, object)
        }
    }

    fileprivate func corrupt(_ line: Int) -> AuthError {
        AuthError(
            .corrupt, "line \(line) of '\(path)' is not a line of a journal", next: "name another file with --journal")
    }

    fileprivate func require(_ head: JSONObject, toBeOf connection: Connection) throws(AuthError) {
        guard head["backend"]?.string == connection.backend, head["server"]?.string == connection.server,
            head["appId"]?.string == connection.appID
        else {
            throw AuthError(
                .usage, "'\(path)' is the journal of another server or application", next: "use another journal")
        }
    }
}
