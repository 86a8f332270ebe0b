import AuthModel
import CommandTestSupport
import Platform
import Testing
import Transport

@testable import AuthClient

/// Runs bulk commands with their files in a temporary folder.
struct BulkFixture {
    let folder: TestFolder
    let server: FakeAccounts
    let time = VirtualTime()
    private let host: ClientFixture
    /// The results of the rows so far, such as `1 created`.
    let results = Journal()
    /// What the runs told the user while they waited.
    let notes = Journal()

    init(_ server: FakeAccounts = FakeAccounts(), accounts: AccountKeeping = AccountKeeping()) throws {
        folder = TestFolder()
        self.server = server
        host = ClientFixture(backend: server, accounts: accounts)
    }

    private var client: Client { host.client }
    /// The warnings of the runs so far, one per line.
    var warnings: String { host.notices }

    /// - Parameter stop: called with the number of results so far; returns whether to stop the run.
    private func bulkRun(
        jobs: Int = 1, interval: Duration = .zero, stop: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) -> BulkRun {
        BulkRun(
            (0..<jobs).map { _ in BulkWorker(server, masker: Masker()) }, interval: interval, waiting: time.waiting,
            isStopped: { [results] in stop(results.lines.count) },
            report: { [results] result in
                let cause = result.error.map { ": \($0.message)" } ?? ""
                let presumed = result.isPresumed ? ", presumed" : ""
                results.add("\(result.row) \(result.state.rawValue)\(presumed)\(cause)")
            }, note: { [notes] in notes.add($0) })
    }

    /// - Parameter kind: also the name of the file.
    func file(_ kind: BulkFile) throws -> AppendFile {
        try AppendFile(path: folder.path(kind.rawValue), isUnfinished: kind.isUnfinished)
    }

    /// Creates the accounts `ci-1` to `ci-COUNT`, or the accounts in a file.
    ///
    /// - Parameter choice: what to do with columns of the file; `nil` to keep all of them.
    func create(
        _ count: Int = 3, name: String = "ci-{n}", file text: String? = nil, tokens: Bool = false,
        isStrict: Bool = false, jobs: Int = 1, shard: Shard? = nil, interval: Duration = .zero,
        project: String? = nil, adminKey: Secret? = nil,
        choice: RowLosses.Choice? = nil,
        stop: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) throws {
        let client = project.map { ClientFixture(backend: server, project: $0).client } ?? client
        var source =
            text.map {
                AccountSource(
                    ByteSource(bytes: Array($0.utf8)), name: "'users.csv'", shard: shard,
                    .creation(client.settings.backend.value))
            }
            ?? AccountSource(
                AccountPattern(count: count, username: name, email: nil, fields: [:]), shard: shard)
        if let choice {
            let losses = try RowLosses(
                creatingOn: client.settings.backend.value, isAdministrator: adminKey != nil, choice)
            try source.survey(losses, warn: { [notes] in notes.add($0) }, note: { [notes] in notes.add($0) })
        }
        let work = try CreateAccounts(
            source, journal: file(.journal), credentials: text == nil ? file(.credentials) : nil,
            tokens: tokens ? file(.tokens) : nil,
            ids: choice?.mapsIDs == true ? file(.ids) : nil, checksValues: true, isStrict: isStrict, adminKey: adminKey,
            client)
        try bulkRun(jobs: jobs, interval: interval, stop: stop).run(work)
    }

    /// - Parameter project: the project that a setting names.
    func delete(
        _ access: DeleteAccounts.Access = .adminKey(nil), project: String? = nil, tokens: Bool = false
    ) throws {
        let client = project.map { ClientFixture(backend: server, project: $0).client } ?? client
        try bulkRun().run(DeleteAccounts(file(.journal), access, tokens: tokens ? file(.tokens) : nil, client))
    }

    /// Changes or deletes the accounts with these names.
    func administer(_ names: String..., action: AdministerAccounts.Action) throws {
        try bulkRun().run(AdministerAccounts(names, action, adminKey: Secret("key")))
    }

    /// Changes the accounts of a file.
    func change(
        file text: String, _ change: AccountChange = AccountChange(),
        changeable: AccountParts = AccountParts(rawValue: .max)
    ) throws {
        let source = AccountSource(
            ByteSource(bytes: Array(text.utf8)), name: "'c'", .changes(client.settings.backend.value))
        try bulkRun().run(AdministerAccounts(source, change, changeable, adminKey: nil))
    }

    /// - Parameter origin: writes browser states for its pages to the folder `states`.
    func logIn(_ text: String, replaces: Bool = false, statesFor origin: String? = nil) throws {
        var source = AccountSource(ByteSource(bytes: Array(text.utf8)), name: "'c'", shard: nil)
        let states = try origin.map { origin in
            var page = BrowserPage(origin: try #require(URLParts(origin)), command: [])
            page.storageNames = ["token"]
            let states = PrivateFolder(path: folder.path("states"))
            try states.create()
            return try StorageStates(states, named: "s", page, twins: try source.namesDifferingByCase(), client)
        }
        try bulkRun().run(
            LogInAccounts(
                source, tokens: file(.tokens), states: states, verification: [], replaces: replaces, client))
    }

    /// The members of a tokens file that name the local accounts.
    static let scope = #","backend":"local","server":null,"appId":null,"collection":null"#

    /// A line of a tokens file.
    static func tokens(_ name: String, _ tokens: String, id: String = "null") -> String {
        #"{"id":\#(id),"username":"\#(name)",\#(tokens)\#(scope)}"#
    }

    /// The passwords of the credentials file, by username.
    func passwords() throws -> [String: Secret] {
        let source = AccountSource(
            ByteSource(bytes: Array(try folder.read("credentials").utf8)), name: "'credentials'", shard: nil)
        return try source.passwords()
    }
}
