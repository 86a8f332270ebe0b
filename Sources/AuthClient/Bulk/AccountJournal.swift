import AuthModel
import JSON
import Platform
import Synchronization

/// Records the outcome of each row that `CreateAccounts` or `DeleteAccounts` sends, so that a later run can continue or
/// undo the work.
///
/// The file has one JSON object per line and contains no secrets. `CreateAccounts` writes one line before the request
/// for a row, and a second line with the outcome after the response. If a row has no outcome, its account may exist on
/// the server. `DeleteAccounts` writes one line before and one line after a deletion.
///
///     {"v":1,"kind":"users.journal","backend":"parse","server":"…","appId":"…","collection":null,"shard":"1/4"}
///     {"row":1,"state":"sent","digest":"0123456789abcdef","generated":true,"at":"2026-01-02T03:04:05.678Z"}
///     {"row":1,"state":"created","id":"…","username":"ci-1","email":null}
///
/// If no setting names the project of the accounts, the first line is repeated with the project that the first session
/// names.
///
/// A created account has more members if they are needed: `unkept`, what the server does not show of it; `name`, the name in the row if the server stores another one;
/// `"certain":false` if the account may have existed before; and `pending`, which is true while the account waits for
/// the verification of its e-mail, and false after `VerifyAccounts` has verified it.
final class AccountJournal: Sendable {
    /// The state of one row.
    struct Entry: Sendable {
        enum State: String {
            case sent, created, existing, failed, unknown, deleting, deleted
            /// The account is no longer there, but authctl did not delete it.
            case gone

            /// Whether the account may exist because of this row.
            var mayHaveAccount: Bool { ![.existing, .failed, .deleted, .gone].contains(self) }
        }

        // A journal may have 100,000 entries: in this order, each takes 96 bytes.
        /// `AccountRow.digest` of the row that was sent, as a number; 0 if unknown.
        var digest: UInt64 = 0
        fileprivate var names: (id: String?, username: String?, email: String?)
        /// The created account, with the names that the server stores.
        var user: User { User(id: names.id, username: names.username, email: names.email) }
        /// The name in the row; `nil` if the server stores the same name.
        var name: String?
        /// What the server does not show of the account, so that its row has failed.
        var unkept: [String] = []
        /// When the first request was sent that may have created the account; `nil` if unknown.
        var sentAt: Instant?
        var state: State
        var isGenerated = false
        /// Whether this row is known to have created the account.
        var isCertain = true
        /// Whether a login needs a verified e-mail; `nil` if it never did.
        var isPending: Bool?
    }

    private let file: AppendFile
    private let lines: SyncedLines
    private let entries: [Entry]
    /// The indices of the entries, by row number.
    private let rows: [Int: Int32]
    /// The accounts of the journal. Its application may be known only from a session.
    private let backend: BackendDescriptor
    private let scope: Mutex<AccountScope>
    /// The shard of the first run, such as `1/4`; `nil` if that run covered all rows.
    let shard: String?

    /// Reads the entries of earlier runs. Writes nothing.
    ///
    /// - Parameters:
    ///   - shard: the shard to record in a new journal; ignored for an existing journal.
    ///   - project: the project in which an administrator looks for the accounts.
    /// - Throws: `AuthError` `usage` if the file is not a journal, or is for another server, application or collection;
    ///   `corrupt` if it is damaged; `newerVersion`.
    init(
        _ file: AppendFile, _ client: Client, shard: Shard? = nil, project: String? = nil
    ) throws(AuthError) {
        self.file = file
        lines = SyncedLines(file, waiting: client.waiting)
        backend = client.settings.backend.value
        var own = AccountScope(client.settings)
        own.appID = own.appID ?? project
        var (entries, rows) = ([Entry](), [Int: Int32]())
        var (written, writtenShard) = (AccountScope?.none, String?.none)
        try file.readObjects(.journal) { line, object throws(AuthError) in
            if line == 1 || object["kind"] != nil {
                guard object["kind"]?.string == Self.kind, let version = object["v"]?.integer, version > 0 else {
                    throw file.invalid(.journal, line)
                }
                guard version == 1 else {
                    throw AuthError(.newerVersion(version, at: file.path, "use another journal"))
                }
                var head = object
                // A member that is missing is null.
                for name in AccountScope.members { head[name] = head[name] ?? .null }
                written = AccountScope(head)
                guard written != nil else { throw file.invalid(.journal, line) }
                writtenShard = object["shard"]?.string
                return
            }
            guard let row = object["row"]?.integer, let word = object["state"]?.string,
                let state = Entry.State(rawValue: word)
            else { throw file.invalid(.journal, line) }
            let index = rows[Int(row)].map(Int.init) ?? entries.count
            if index == entries.count {
                rows[Int(row)] = Int32(index)
                entries.append(Entry(state: state))
            }
            entries[index].add(state, object)
        }
        if let written { try file.require(own, toContain: written) }
        (self.entries, self.rows) = (entries, rows)
        scope = Mutex(written ?? AccountScope(client.settings))
        self.shard = file.wasEmpty ? shard?.text : writtenShard
    }

    /// Writes the first line, unless the file has one.
    func open() throws(AuthError) {
        if file.wasEmpty { try lines.append(head(scope.withLock { $0 })) }
    }

    private func head(_ scope: AccountScope) -> JSONObject {
        var head: JSONObject = ["v": 1, "kind": .string(Self.kind)]
        scope.add(to: &head)
        head["shard"] = JSONValue(shard)
        return head
    }

    /// Records the project of the accounts, if no setting has named it.
    ///
    /// - Throws: `AuthError` `usage` if the journal has accounts of another project.
    func require(projectOf session: Session) throws(AuthError) {
        guard let project = backend.project(of: session) else { return }
        try scope.withLock { scope throws(AuthError) in
            if let known = scope.appID {
                guard known != project else { return }
                throw AuthError(
                    .usage, "the server's project is '\(project)', but '\(file.path)' is for project '\(known)'",
                    next: "use another journal")
            }
            scope.appID = project
            try lines.append(head(scope))
        }
    }

    static let kind = "users.journal"

    func entry(of row: Int) -> Entry? { rows[row].map { entries[Int($0)] } }

    /// The rows whose accounts were created and are not known to be deleted, sorted by row number.
    var created: [(row: Int, entry: Entry)] {
        rows.sorted { $0.key < $1.key }.map { ($0.key, entries[Int($0.value)]) }
            .filter { [.created, .deleting].contains($0.1.state) }
    }

    /// The ids of the accounts in `created`.
    var liveIDs: Set<String> {
        Set(created.compactMap(\.entry.names.id))
    }

    /// The ids of the accounts that are no longer there.
    var deadIDs: Set<String> {
        Set(entries.filter { [.deleted, .gone].contains($0.state) }.compactMap(\.names.id))
    }

    var existingCount: Int { entries.count { $0.state == .existing } }

    /// The rows whose accounts wait, or have waited, for the verification of their e-mail.
    var unverified: [(row: Int, entry: Entry)] { created.filter { $0.entry.isPending != nil } }

    /// Whether earlier runs sent generated passwords of accounts that may exist.
    var hasGeneratedPasswords: Bool { entries.contains { $0.isGenerated && $0.state.mayHaveAccount } }

    /// Records a row before the request for it is sent.
    func begin(_ row: AccountRow, isGenerated: Bool, at time: Instant) throws(AuthError) {
        try lines.append([
            "row": .integer(Int64(row.number)), "state": "sent", "digest": .string(row.digest),
            "generated": .bool(isGenerated), "at": .string(time.textWithMilliseconds),
        ])
    }

    /// Records that the request for a deletion is about to be sent.
    func beginDeletion(of row: Int) throws(AuthError) {
        try lines.append(["row": .integer(Int64(row)), "state": "deleting"])
    }

    /// - Parameter name: the name in the row.
    func end(
        _ row: Int, _ state: Entry.State, _ user: User = User(), name: String? = nil, isCertain: Bool = true,
        isPending: Bool? = nil, unkept: [String] = []
    ) throws(AuthError) {
        var line: JSONObject = [
            "row": .integer(Int64(row)), "state": .string(state.rawValue), "id": JSONValue(user.id),
            "username": JSONValue(user.username), "email": JSONValue(user.email),
        ]
        if let name, name != user.username ?? user.email { line["name"] = .string(name) }
        if !isCertain { line["certain"] = false }
        if let isPending { line["pending"] = .bool(isPending) }
        if !unkept.isEmpty { line["unkept"] = JSONValue(unkept) }
        try lines.append(line)
    }

    /// Records again that the account of an entry exists.
    func end(_ row: Int, _ state: Entry.State, _ entry: Entry) throws(AuthError) {
        try end(
            row, state, entry.user, name: entry.name, isCertain: entry.isCertain, isPending: entry.isPending,
            unkept: entry.unkept)
    }

    func sync() throws(AuthError) { try mappingFileErrors { () throws(FileError) in try file.sync() } }
}

extension AccountJournal.Entry {
    fileprivate mutating func add(_ state: State, _ object: JSONObject) {
        self.state = state
        digest = object["digest"]?.string.flatMap { UInt64($0, radix: 16) } ?? digest
        isGenerated = object["generated"]?.bool ?? isGenerated
        sentAt = state.mayHaveAccount ? sentAt ?? object["at"]?.string.flatMap { Instant($0) } : nil
        if state == .created {
            name = object["name"]?.string
            isCertain = object["certain"]?.bool ?? true
            isPending = object["pending"]?.bool
            unkept = object["unkept"]?.array?.compactMap(\.string) ?? []
            names = (object["id"]?.string, object["username"]?.string, object["email"]?.string)
        }
    }
}
