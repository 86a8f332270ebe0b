import AuthModel
import CommandTestSupport
import Platform
import Synchronization
import Testing

@testable import AuthClient

/// A server with accounts in memory.
final class AccountServer: AccountDeleting, AdminDeleting {
    /// A fault of a request, before or after the server executes it.
    enum Fault: Sendable {
        /// The server does not execute the request.
        case before(AuthError)
        /// The server executes the request, but the client gets the error instead of the response.
        case after(AuthError)
    }

    private struct Account {
        let id: String
        let password: Secret
        var age: Duration?
    }

    private struct State {
        var accounts: [String: Account] = [:]
        /// All requests so far, such as `signUp ci-1`, in order. Failed requests are included.
        var requests: [String] = []
        var number = 0
    }

    private let state = Mutex(State())
    /// Returns the fault of a request, given the number of identical requests before it.
    private let fault: @Sendable (_ request: String, _ earlier: Int) -> Fault?

    /// The age of new accounts at a login; `nil` if the server does not report it.
    private let age: Duration?

    init(
        age: Duration? = .zero,
        fault: @escaping @Sendable (_ request: String, _ earlier: Int) -> Fault? = { _, _ in nil }
    ) {
        self.fault = fault
        self.age = age
    }

    var requests: [String] { state.withLock { $0.requests } }
    /// The ids of the accounts, by username.
    var accounts: [String: String] { state.withLock { $0.accounts.mapValues(\.id) } }

    func add(_ name: String, password: String = "another password", age: Duration? = nil) {
        state.withLock { state in
            state.number += 1
            state.accounts[name] = Account(id: "id\(state.number)", password: Secret(password), age: age)
        }
    }

    func rename(_ name: String, to other: String) {
        state.withLock { $0.accounts[other] = $0.accounts.removeValue(forKey: name) }
    }

    func remove(_ name: String) { state.withLock { $0.accounts[name] = nil } }

    private func respond<Value: Sendable>(
        _ request: String, _ effect: (inout State) throws(AuthError) -> Value
    ) throws(AuthError) -> Value {
        try state.withLock { state throws(AuthError) in
            let fault = fault(request, state.requests.count { $0 == request })
            state.requests.append(request)
            if case .before(let error) = fault { throw error }
            let value = try effect(&state)
            if case .after(let error) = fault { throw error }
            return value
        }
    }

    private static func session(_ name: String, _ account: Account) -> NewSession {
        var new = NewSession(user: User(id: account.id, username: name), session: .sample("token-\(name)"))
        new.accountAge = account.age
        return new
    }

    func signUp(_ new: NewAccount) throws(AuthError) -> Reply<SignUpOutcome> {
        let session = try respond("signUp \(new.subject)") { state throws(AuthError) in
            if let owner = new.fields["authData"]?["anonymous"]?["id"]?.string, let account = state.accounts[owner] {
                return Self.session(owner, account)
            }
            guard state.accounts[new.subject] == nil else {
                throw AuthError(.usernameTaken, "the username is already taken")
            }
            state.number += 1
            let account = Account(id: "id\(state.number)", password: new.password, age: age)
            state.accounts[new.subject] = account
            var session = Self.session(new.subject, account)
            session.createdAccount = true
            return session
        }
        return Reply(.session(session))
    }

    func logIn(_ credentials: Credentials) throws(AuthError) -> Reply<LogInOutcome> {
        let session = try respond("logIn \(credentials.login)") { state throws(AuthError) in
            guard let account = state.accounts[credentials.login], account.password == credentials.password else {
                throw AuthError(.wrongPassword, "wrong username or password")
            }
            return Self.session(credentials.login, account)
        }
        return Reply(.session(session))
    }

    func user(id: String, adminKey: Secret?) throws(AuthError) -> User {
        try respond("find \(id)") { state throws(AuthError) in
            guard let (name, _) = state.accounts.first(where: { $0.value.id == id }) else {
                throw AuthError(.notFound, "no such user")
            }
            return User(id: id, username: name)
        }
    }

    func deleteUser(id: String, adminKey: Secret?) throws(AuthError) {
        try respond("delete \(id)") { state in state.accounts = state.accounts.filter { $0.value.id != id } }
    }

    func deleteAccount(of user: User, _ session: Session) throws(AuthError) -> Reply<Void> {
        try respond("delete \(user.username ?? "")") { $0.accounts[user.username ?? ""] = nil }
        return Reply(())
    }

    func logOut(_ session: Session) -> Reply<Revocation> { Reply(.yes) }

    func currentUser(_ session: Session) throws(AuthError) -> Reply<User> { throw AuthError(.internal, "unused") }
}

/// Runs bulk commands with their files in a temporary folder.
struct BulkFixture {
    let folder: TestFolder
    let server: AccountServer
    let time = VirtualTime()
    /// The results of the rows so far, such as `1 created`.
    let results = Journal()
    /// What the runs told the user while they waited.
    let notes = Journal()

    init(_ server: AccountServer = AccountServer()) throws {
        folder = try TestFolder()
        self.server = server
    }

    private var client: Client { ClientFixture().client }

    /// - Parameter stop: called with the number of results so far; returns whether to stop the run.
    private func bulkRun(
        jobs: Int = 1, interval: Duration = .zero, stop: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) -> BulkRun {
        BulkRun(
            jobs: jobs, interval: interval, waiting: time.waiting,
            isStopped: { [results] in stop(results.lines.count) },
            makeWorker: { [server] () throws(AuthError) in BulkWorker(server, masker: Masker()) },
            report: { [results] result in
                let cause = result.error.map { ": \($0.message)" } ?? ""
                results.add("\(result.row) \(result.state.rawValue)\(cause)")
            }, note: { [notes] in notes.add($0) })
    }

    /// - Parameter kind: also the name of the file.
    func file(_ kind: BulkFile) throws -> AppendFile {
        try AppendFile(path: folder.path(kind.rawValue), isUnfinished: kind.isUnfinished)
    }

    /// Creates the accounts `ci-1` to `ci-COUNT`, or the accounts in a file.
    func create(
        _ count: Int = 3, file text: String? = nil, tokens: Bool = false, jobs: Int = 1, shard: Shard? = nil,
        interval: Duration = .zero, stop: @escaping @Sendable (Int) -> Bool = { _ in false }
    ) throws {
        let source =
            text.map {
                AccountSource(
                    ByteSource(bytes: Array($0.utf8)), name: "'users.csv'", shard: shard,
                    .creation(client.settings.backend.value))
            }
            ?? AccountSource(
                AccountPattern(count: count, username: "ci-{n}", email: nil, fields: [:]), shard: shard)
        let files = try CreateAccounts.Files(
            journal: file(.journal), credentials: text == nil ? file(.credentials) : nil,
            tokens: tokens ? file(.tokens) : nil, shard: shard, client)
        try CreateAccounts(source, files, checksValues: true)
            .run(bulkRun(jobs: jobs, interval: interval, stop: stop))
    }

    func delete(_ access: DeleteAccounts.Access = .adminKey(nil)) throws {
        try DeleteAccounts(file(.journal), access, client).run(bulkRun())
    }

    func logIn(_ text: String) throws {
        let source = AccountSource(ByteSource(bytes: Array(text.utf8)), name: "'c'", shard: nil)
        try LogInAccounts(source, tokens: file(.tokens)).run(bulkRun())
    }

    /// The passwords of the credentials file, by username.
    func passwords() throws -> [String: Secret] {
        let source = AccountSource(
            ByteSource(bytes: Array(try folder.read("credentials").utf8)), name: "'credentials'", shard: nil)
        return try source.passwords()
    }
}
