package import AuthModel
import Platform
import Synchronization

/// A server with accounts in memory.
package final class FakeAccounts: ScriptedBackend, AccountDeleting, Administering {
    /// No other call is expected.
    package let script = Script()

    /// A fault of a request, before or after the server executes it.
    package enum Fault: Sendable {
        /// The server does not execute the request.
        case before(AuthError)
        /// The server executes the request, but the client gets the error instead of the response.
        case after(AuthError)
    }

    private struct Account {
        let id: String
        let password: Secret
        var age: Duration?
        var isVerified = false
        /// The account in a list of all accounts, without its id.
        var user: User

        var listed: User {
            var user = user
            user.id = id
            return user
        }
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

    /// Whether a login needs a verified e-mail. The code that verifies it is the username.
    private let demandsVerification: Bool
    private let projectName: String?
    /// Whether a signup responds with the account alone, and sends no e-mail, like PocketBase.
    private let isSilent: Bool
    /// Whether new accounts get the ids that the client wants.
    private let keepsIDs: Bool
    /// Changes a new user, as the server stores it.
    private let storing: @Sendable (inout User) -> Void

    package init(
        age: Duration? = .zero, demandsVerification: Bool = false, isSilent: Bool = false, project: String? = nil,
        keepsIDs: Bool = true,
        fault: @escaping @Sendable (_ request: String, _ earlier: Int) -> Fault? = { _, _ in nil },
        storing: @escaping @Sendable (inout User) -> Void = { _ in }
    ) {
        self.fault = fault
        self.age = age
        self.demandsVerification = demandsVerification
        self.isSilent = isSilent
        self.keepsIDs = keepsIDs
        projectName = project
        self.storing = storing
    }

    package var requests: [String] { state.withLock { $0.requests } }
    /// The ids of the accounts, by username.
    package var accounts: [String: String] { state.withLock { $0.accounts.mapValues(\.id) } }

    package func add(_ name: String, password: String = "another password", age: Duration? = nil) {
        state.withLock { state in
            state.number += 1
            state.accounts[name] = Account(
                id: "id\(state.number)", password: Secret(password), age: age, user: User(username: name))
        }
    }

    /// Adds an account that a list of all accounts shows with these fields.
    package func add(_ user: User) {
        let name = user.username ?? ""
        add(name)
        state.withLock { $0.accounts[name]?.user = user }
    }

    package func rename(_ name: String, to other: String) {
        state.withLock { state in
            state.accounts[other] = state.accounts.removeValue(forKey: name)
            state.accounts[other]?.user.username = other
        }
    }

    package func remove(_ name: String) { state.withLock { $0.accounts[name] = nil } }

    private func respond<Value: Sendable>(
        _ request: String, _ effect: (inout State) throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        try state.withLock { state throws(BackendError) in
            let fault = fault(request, state.requests.count { $0 == request })
            state.requests.append(request)
            if case .before(let error) = fault { throw BackendError(error) }
            let value = try effect(&state)
            if case .after(let error) = fault { throw BackendError(error) }
            return value
        }
    }

    private func session(_ name: String, _ account: Account) -> NewSession {
        let claims = projectName.map { Array(#"{"aud":"\#($0)"}"#.utf8).base64Encoded.filter { $0 != "=" } }
        let token = claims.map { "eyJhbGciOiJub25lIn0.\($0).\(name)" } ?? "token-\(name)"
        var new = NewSession(user: User(id: account.id, username: name), session: .sample(token))
        new.accountAge = account.age
        return new
    }

    package func signUp(_ new: NewAccount) throws(BackendError) -> Reply<SignUpOutcome> {
        let session = try respond("signUp \(new.subject)") { state throws(BackendError) in
            if let owner = new.fields["authData"]?["anonymous"]?["id"]?.string, let account = state.accounts[owner] {
                return self.session(owner, account)
            }
            guard state.accounts[new.subject] == nil else {
                throw BackendError(.usernameTaken, "the username is already taken")
            }
            state.number += 1
            var user = User(username: new.username, email: new.email, fields: new.fields)
            storing(&user)
            let name = user.username ?? new.subject
            let account = Account(
                id: (keepsIDs ? new.id : nil) ?? "id\(state.number)", password: new.password ?? Secret(""), age: age,
                user: user)
            state.accounts[name] = account
            var session = self.session(name, account)
            session.user.fields = user.fields
            session.createdAccount = true
            return session
        }
        if isSilent {
            let user = User(id: session.user.id, username: new.username, email: new.email, emailVerified: false)
            return Reply(.created(user))
        }
        return Reply(demandsVerification ? .waits(.emailVerification, session.user) : .session(session))
    }

    package func sendVerification(email: String, as requester: Requester) throws(BackendError) -> Reply<Bool> {
        Reply(try respond("send \(email)") { _ in true })
    }

    package func verify(_ key: MailKey, _ proof: VerificationProof) throws(BackendError) -> Reply<Verification> {
        try respond("verify \(key.text)") { state throws(BackendError) in
            guard state.accounts[key.text] != nil else { throw BackendError(.notFound, "the code is unknown") }
            state.accounts[key.text]?.isVerified = true
        }
        return Reply(.done)
    }

    package func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        Reply(try LogInOutcome(try session(of: credentials)))
    }

    private func session(of credentials: Credentials) throws(BackendError) -> NewSession {
        try respond("logIn \(credentials.login)") { state throws(BackendError) in
            let login = credentials.login
            let name = state.accounts.first { $0.value.user.email == login }?.key ?? login
            guard let account = state.accounts[name], account.password == credentials.password else {
                throw BackendError(.wrongPassword, "wrong username or password")
            }
            guard account.isVerified || !demandsVerification else {
                throw isSilent
                    ? BackendError(.forbidden, "the login is denied", fact: .passwordIsRight)
                    : BackendError(.emailUnverified, "the e-mail is not verified yet")
            }
            return self.session(name, account)
        }
    }

    /// A token is that of the account which has its name now.
    package func currentUser(_ session: Session) throws(BackendError) -> Reply<User> {
        let name = String(session.token.reveal().dropFirst("token-".count))
        return try respond("user \(name)") { state throws(BackendError) in
            guard let account = state.accounts[name] else { throw BackendError(.sessionRevoked, "the session is over") }
            return Reply(account.listed)
        }
    }

    package func check(adminKey: Secret) throws(BackendError) { try respond("check") { _ in } }

    /// Local accounts have no roles.
    package func roles(adminKey: Secret?) throws(BackendError) -> [String: [String]]? {
        guard adminKey != nil else { return nil }
        return try respond("roles") { state in
            let users = state.accounts.values.map(\.listed).filter { $0.roles?.isEmpty == false }
            return Dictionary(users.map { ($0.id ?? "", $0.roles ?? []) }) { first, _ in first }
        }
    }

    package func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        try respond("find \(id)") { state throws(BackendError) in
            guard let account = state.accounts.first(where: { $0.value.id == id }) else {
                throw BackendError(.notFound, "no such user")
            }
            return account.value.listed
        }
    }

    package func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        try respond("search \(name)") { state in
            state.accounts.filter { $0.key == name || $0.value.user.email == name }.map(\.value.listed)
        }
    }

    package func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        let name = user.username ?? ""
        let words = change.user.values.names + change.claims.names + change.addedRoles
        return try respond("set \(name) \(words.joined(separator: ","))") { state throws(BackendError) in
            guard var account = state.accounts[name] else { throw BackendError(.notFound, "no such user") }
            account.user = account.user.applying(change.user)
            account.user.emailVerified = change.emailVerified ?? account.user.emailVerified
            account.user.disabled = change.disabled ?? account.user.disabled
            var claims = account.user.claims ?? [:]
            for claim in change.claims.members { claims[claim.name] = claim.value == .null ? nil : claim.value }
            account.user.claims = claims
            account.user.roles =
                (account.user.roles ?? []).filter { !change.removedRoles.contains($0) }
                + change.addedRoles
            storing(&account.user)
            state.accounts[name] = account
            return account.listed
        }
    }

    /// Sets the state. Claims need a second request.
    package func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        guard case .session(var new) = try signUp(account).value else { return try signUp(account).value }
        if !account.state.claims.isEmpty { try respond("claims \(account.subject)") { _ in } }
        new.user = state.withLock { state in
            var user = state.accounts[account.subject]?.user ?? User()
            (user.phone, user.emailVerified) = (account.phone, account.state.emailVerified)
            (user.disabled, user.claims) = (account.state.disabled, account.state.claims)
            user.roles = account.state.roles
            state.accounts[account.subject]?.user = user
            return state.accounts[account.subject]?.listed ?? user
        }
        return .session(new)
    }

    /// A page has no roles.
    package func users(after id: String?, limit: Int, adminKey: Secret?) throws(BackendError) -> UserPage {
        try respond("list after \(id ?? "nothing")") { state in
            let rest = state.accounts.values.map(\.listed).sorted { ($0.id ?? "") < ($1.id ?? "") }.filter {
                ($0.id ?? "") > (id ?? "")
            }
            return UserPage(
                orderedByID: rest.prefix(limit).map { user in
                    var user = user
                    user.roles = nil
                    return user
                })
        }
    }

    package func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try respond("delete \(id)") { state in state.accounts = state.accounts.filter { $0.value.id != id } }
    }

    package func deleteAccount(of user: User, _ session: Session) throws(BackendError) -> Reply<Void> {
        try respond("delete \(user.username ?? "")") { $0.accounts[user.username ?? ""] = nil }
        return Reply(())
    }

    package func logOut(_ session: Session) -> Reply<Revocation> { Reply(.yes) }
}
