import AccountServer
import CommandTestSupport
import Platform

@testable import AuthBackends

/// The administrator of local accounts, with the embedded server.
@Suite struct LocalAdminTests {
    private let backend: ParseBackend

    init() {
        var settings = ServerSettings(
            database: nil, baseURL: EmbeddedAccounts.baseURL, applicationID: EmbeddedAccounts.appID)
        settings.isInProcess = true
        settings.passwordCost = .minimum
        let base = EmbeddedAccounts.baseURL
        backend = ParseBackend(
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
}
