import AccountServer
import CommandTestSupport
import Platform

@testable import AuthBackends

/// The administrator of local accounts, with the embedded server.
@Suite struct LocalAdminTests {
    private let backend = Self.server()

    private static func server() -> ParseBackend {
        var settings = ServerSettings(
            database: nil, baseURL: EmbeddedAccounts.baseURL, applicationID: EmbeddedAccounts.appID)
        settings.isInProcess = true
        settings.passwordCost = .minimum
        let base = EmbeddedAccounts.baseURL
        return ParseBackend(
            endpoints: ParseEndpoints(base: base, appID: EmbeddedAccounts.appID),
            server: .replaying(EmbeddedTransport(settings), base: base), isEmbedded: true)
    }

    private func create(_ name: String, isVerified: Bool?) throws -> NewSession {
        var account = NewAccount(username: name, email: "\(name)@example.org", password: Secret("first"))
        account.state.emailVerified = isVerified
        guard case .session(let new) = try backend.createUser(account, adminKey: nil) else {
            throw BackendError.holdsNoUsableSession
        }
        return new
    }

    @Test func `local accounts are created in a state, found by a name, changed, and logged out`() throws {
        for isVerified in [true, false, nil] {
            try expect(create("user\(isVerified as Any)", isVerified: isVerified).user.emailVerified, isVerified)
        }
        let new = try create("ada", isVerified: true)
        let ada = try backend.user(named: "ada@example.org", adminKey: nil)
        expect([ada.id, ada.username], [new.user.id, "ada"])
        var change = AccountChange()
        change.user = UserChange(email: "new@example.org", fields: ["plan": "gold"])
        change.user.password = Secret("second")
        change.emailVerified = true
        let changed = try backend.update(change, of: ada, adminKey: nil)
        expect(change.missing(in: changed).parts, .password)
        expect(changed.roles, nil)
        try expect(failure { _ = try backend.currentUser(new.session) }.reason, .sessionRevoked)
        let again = try backend.logIn(Credentials(login: "ada", password: Secret("second"))).value.session()
        var end = AccountChange()
        end.endsSessions = true
        _ = try backend.update(end, of: ada, adminKey: nil)
        try expect(failure { _ = try backend.currentUser(again.session) }.reason, .sessionRevoked)
        change.user = UserChange(email: "USERnil@example.org")
        try expect(failure { _ = try backend.update(change, of: ada, adminKey: nil) }.reason, .emailTaken)
        try backend.deleteUser(id: ada.id ?? "", adminKey: nil)
        try expect(failure { _ = try backend.update(end, of: ada, adminKey: nil) }.reason, .notFound)
    }

    @Test func `an account that moves to other local accounts with its hash keeps its password`() throws {
        _ = try create("ada", isVerified: true)
        let listed = try backend.users(withHashesAfter: nil, limit: 9, adminKey: nil).users
        let hash = try #require(listed.first?.passwordHash)
        #expect(
            hash.reveal().hasPrefix("$argon2id$v=19$m=8,t=1,p=1$") && listed.first?.fields["_hashed_password"] == nil)
        expect(backend.masker.mask(hash.reveal()), "<redacted>")
        try expect(backend.users(after: nil, limit: 9, adminKey: nil).users.map(\.passwordHash), [nil])
        // The published hash has two lanes. Source: `password_test.go` of Supabase Auth; the password is "test".
        let published = "$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk"
        let other = Self.server()
        for (name, hash, password) in [("ada", hash, "first"), ("bob", Secret("argon2" + published), "test")] {
            let account = NewAccount(
                username: name, password: nil, passwordHash: HashedPassword(hash), fields: ["_hashed_password": "x"])
            expect(BackendRegistration.local.descriptor().accounts.fault(ofHash: hash), nil)
            _ = try other.createUser(account, adminKey: nil)
            let wrong = Credentials(login: name, password: Secret("wrong"))
            try expect(failure { _ = try other.logIn(wrong) }.reason, .wrongPassword)
            _ = try other.logIn(Credentials(login: name, password: Secret(password))).value.session()
        }
        let costly = HashedPassword(Secret(published.replacing("m=32", with: "m=131073")))
        let account = NewAccount(username: "eve", password: nil, passwordHash: costly)
        try expect(failure { _ = try other.createUser(account, adminKey: nil) }.reason, .invalidFields)
        let parse = ParseBackend.replaying()
        try expect(
            failure { _ = try parse.users(withHashesAfter: nil, limit: 9, adminKey: Secret("k")) }.reason, .unsupported)
    }
}
