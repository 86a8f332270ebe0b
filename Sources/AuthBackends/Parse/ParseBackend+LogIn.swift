import AuthModel
import JSON
import Transport

extension ParseBackend {
    func logIn(token: Secret) throws(BackendError) -> Reply<NewSession> {
        let user = user(try send(endpoints.currentUser(Session(token: token), .logInWithToken)))
        return Reply(NewSession(user: user, session: session(token)))
    }
}

extension ParseBackend {
    /// Parse Server before 6.4 checks the password and ignores the code.
    func logIn(_ credentials: Credentials, code: Secret?) throws(BackendError) -> Reply<LogInOutcome> {
        guard let code else {
            return Reply(try LogInOutcome(try logIn(endpoints.logIn(credentials), as: credentials.login)))
        }
        do throws(BackendError) {
            let request = endpoints.logIn(credentials, code: code)
            return Reply(try LogInOutcome(try logIn(request, as: credentials.login)))
        } catch {
            guard error.reason == .unsupported else { throw error }
            var error = error
            error.message = "a second factor is not supported"
            error.nextSteps = ["remove --otp"]
            throw error
        }
    }
}

extension ParseBackend: Impersonating {
    func logIn(as username: String, adminKey masterKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        guard let masterKey else {
            return Reply(try logIn(endpoints.logInLocally(as: username), as: username))
        }
        let rows = try send(endpoints.users(named: username, masterKey))["results"]?.array
        let id = rows?.first?["objectId"]?.string
        do throws(BackendError) {
            // Send the request even without an id: the server's error shows whether the master key or the username is
            // wrong.
            return Reply(try logIn(endpoints.logIn(asUser: id, masterKey), as: username))
        } catch {
            guard error.reason == .wrongEndpoint else { throw error }
            throw BackendError(
                .unsupported, "this server has no login without the password; Parse Server has it since version 5")
        }
    }
}

extension ParseBackend: UserListing {
    func users(after id: String?, limit: Int, adminKey masterKey: Secret?) throws(BackendError) -> UserPage {
        let request =
            masterKey.map { endpoints.users(after: id, limit: limit, $0) }
            ?? endpoints.usersLocally(after: id ?? "", limit: limit)
        let rows = (try send(request)["results"]?.array ?? []).compactMap(\.object)
        return UserPage(orderedByID: rows.map { completed(ParsePayloads.listedUser($0)) })
    }
}

extension ParseBackend: AdminKeyChecking {
    /// A server without client keys ignores a wrong master key: it lists only public users, and hides others.
    func check(adminKey masterKey: Secret) throws(BackendError) {
        let response = try server.response(to: endpoints.serverInfo(masterKey))
        let error = ParseErrors.error(for: response)
        // A gateway may block this request, but allow requests about users.
        if !response.isSuccess, [.badAppKey, .unsupported, .rateLimited, .serverFault].contains(error.reason) {
            throw error
        }
    }
}

extension ParseBackend: AnonymousLogin {
    func logInAnonymously(identity: String) throws(BackendError) -> Reply<NewSession> {
        // The identity is a secret, because it is sufficient for a login.
        masker.register(identity)
        let (status, payload) = try answer(to: endpoints.signUpAnonymously(identity: identity))
        let token = try token(in: payload)
        let user = newUser(of: Identity(provider: "anonymous", id: nil), payload)
        return Reply(NewSession(user: user, session: session(token), createdAccount: status == 201))
    }

    /// Reads the new user after a login with an identity, and adds the identity, which the response lacks. Source: the
    /// exchanges `anonymous.signup` and `facebook.signup`.
    func newUser(of identity: Identity, _ payload: JSONObject) -> User {
        var user = ParsePayloads.user(payload)
        user.identities = user.identities ?? [identity]
        return user
    }
}
