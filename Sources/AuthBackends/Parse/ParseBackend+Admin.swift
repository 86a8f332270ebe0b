import AuthModel
import JSON

/// Requests with the master key. The embedded server needs none for requests from its own process.
extension ParseBackend: Administering {
    /// A server without client keys ignores a wrong master key: it lists only public users, and hides others.
    func check(adminKey masterKey: Secret) throws(BackendError) {
        let response = try server.response(to: endpoints.serverInfo(masterKey))
        let error = ParseErrors.error(for: response)
        // A gateway may block this request, but allow requests about users.
        if !response.isSuccess, [.badAppKey, .unsupported, .rateLimited, .serverFault].contains(error.reason) {
            throw error
        }
    }

    func users(after id: String?, limit: Int, adminKey masterKey: Secret?) throws(BackendError) -> UserPage {
        let request =
            masterKey.map { endpoints.users(after: id, limit: limit, $0) }
            ?? endpoints.usersLocally(after: id ?? "", limit: limit)
        return UserPage(orderedByID: try users(request))
    }

    func user(id: String, adminKey: Secret?) throws(BackendError) -> User {
        user(try send(endpoints.user(id: id, adminKey)))
    }

    func users(named name: String, adminKey: Secret?) throws(BackendError) -> [User] {
        try users(endpoints.users(named: name, adminKey))
    }

    private func users(_ call: Call) throws(BackendError) -> [User] {
        (try send(call)["results"]?.array ?? []).compactMap(\.object).map { completed(ParsePayloads.listedUser($0)) }
    }

    func createUser(_ account: NewAccount, adminKey: Secret?) throws(BackendError) -> SignUpOutcome {
        throw BackendError(.unsupported, "not yet")
    }

    func update(_ change: AccountChange, of user: User, adminKey: Secret?) throws(BackendError) -> User {
        throw BackendError(.unsupported, "not yet")
    }

    func deleteUser(id: String, adminKey: Secret?) throws(BackendError) {
        try send(endpoints.deleteUser(id: id, adminKey))
    }

    func logIn(as user: User, adminKey masterKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        let name = user.username ?? ""
        guard let masterKey else { return Reply(try logIn(endpoints.logInLocally(as: name), as: name)) }
        do throws(BackendError) {
            return Reply(try logIn(endpoints.logIn(asUser: user.id, masterKey), as: name))
        } catch {
            guard error.reason == .wrongEndpoint else { throw error }
            throw BackendError(
                .unsupported, "this server has no login without the password; Parse Server has it since version 5")
        }
    }
}
