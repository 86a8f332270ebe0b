import AuthModel

/// Calls to a backend, selected by number.
struct BackendCalls {
    /// A value from a response.
    enum Found {
        case logIn(NewSession)
        case session(Session)
        case pending(Pending, User?)
        case user(User)
        case summary(SessionSummary)
    }

    let backend: any Backend

    /// - Returns: the values from the response; empty if there are none, or if the backend does not support the call.
    func make(_ number: Int) throws(BackendError) -> [Found] {
        switch number % 22 {
        case 0: found(try backend.signUp(FuzzUser.account)) { found($0) }
        case 1: found(try backend.logIn(FuzzUser.credentials)) { found($0) }
        case 2: found(try backend.logOut(FuzzUser.session)) { _ in [] }
        case 3: found(try backend.currentUser(FuzzUser.session)) { [.user($0)] }
        case 4...6: try askOfSessions(number % 22)
        case 7...10: try askOfAccount(number % 22)
        case 11...15: try askOfIdentities(number % 22)
        default: try askOfLogIns(number % 22)
        }
    }

    private func askOfSessions(_ number: Int) throws(BackendError) -> [Found] {
        switch (number, backend) {
        case (4, let backend as any SessionListing):
            found(try backend.sessions(of: FuzzUser.session)) { $0.map { .summary($0) } }
        case (5, let backend as any SessionListing):
            found(try backend.endSession(id: "1", of: FuzzUser.session)) { _ in [] }
        case (6, let backend as any SessionRefreshing): [.session(try backend.refresh(FuzzUser.session))]
        default: []
        }
    }

    private func askOfAccount(_ number: Int) throws(BackendError) -> [Found] {
        switch (number, backend) {
        case (7, _):
            return found(
                try backend.changePassword(
                    PasswordChange(from: Secret(FuzzUser.password), to: Secret(FuzzUser.newPassword)),
                    of: FuzzUser.session)
            ) { $0.map { [.pending($0, nil)] } ?? [] }
        case (8, _): _ = try backend.resetPassword(email: "ada@example.org")
        case (9, _): _ = try backend.sendVerification(email: "ada@example.org", as: .anonymous)
        case (10, _):
            let user = User(id: "1", username: FuzzUser.login, fields: ["name": ""])
            let change =
                backend is any SiteDescribing
                ? UserChange(email: "ada@example.org") : UserChange(fields: ["name": "Ada"])
            return found(try backend.update(change, of: user, FuzzUser.session)) { [.user($0)] }
        default: break
        }
        return []
    }

    private func askOfIdentities(_ number: Int) throws(BackendError) -> [Found] {
        switch number {
        case 11: return found(try backend.identities(of: FuzzUser.session)) { [.user($0.user)] }
        case 12:
            return found(try backend.link(FuzzUser.identity, to: FuzzUser.session)) { [.user($0.user)] }
        case 13: return found(try backend.unlink(.facebook, from: FuzzUser.session)) { [.user($0.user)] }
        case 14: return found(try backend.logIn(FuzzUser.identity)) { found($0) }
        default:
            let reply = try backend.resume(Secret(FuzzUser.token), code: Secret(FuzzUser.newPassword))
            return found(reply) { found($0) }
        }
    }

    private func askOfLogIns(_ number: Int) throws(BackendError) -> [Found] {
        switch (number, backend) {
        case (16, _):
            return found(try backend.logIn(FuzzUser.credentials, code: Secret(FuzzUser.newPassword))) { found($0) }
        case (17, _):
            return found(try backend.logIn(token: Secret(FuzzUser.token))) { [.logIn($0)] }
        case (18, let backend as any AnonymousLogin):
            return found(try backend.logInAnonymously(identity: "nobody")) { [.logIn($0)] }
        case (19, _):
            let proof = VerificationProof(
                address: FuzzUser.login, password: Secret(FuzzUser.password), as: .pending(Secret(FuzzUser.token)))
            return found(try backend.verify(MailKey(FuzzUser.newPassword), proof)) { found($0) }
        case (20, let backend as any SiteDescribing): _ = try backend.site()
        case (20, let backend as any Administering):
            let key = Secret(FuzzUser.password)
            let user = try backend.user(named: FuzzUser.login, adminKey: key)
            return found(try backend.logIn(as: user, adminKey: key)) { [.logIn($0)] }
        case (21, _):
            let new = try backend.resetPassword(
                key: MailKey("https://a.example/?uid=1&token=\(FuzzUser.newPassword)"),
                to: Secret(FuzzUser.newPassword), of: nil, pending: nil)
            return new.map { found($0) } ?? []
        default:
            return found(try backend.verify(MailKey(FuzzUser.newPassword), VerificationProof())) { found($0) }
        }
        return []
    }

    // MARK: - Values

    private func found<Value>(_ reply: Reply<Value>, _ inside: (Value) -> [Found]) -> [Found] {
        inside(reply.value) + (reply.replacement.map { [.session($0)] } ?? [])
    }

    private func found(_ outcome: SignUpOutcome) -> [Found] {
        switch outcome {
        case .session(let logIn): [.logIn(logIn)]
        case .waits(let pending, let user): [.pending(pending, user)]
        case .created(let user): [.user(user)]
        }
    }

    private func found(_ verification: Verification) -> [Found] {
        switch verification {
        case .session(let new), .changedEmail(let new?): [.logIn(new)]
        case .done, .otherAddressMissing, .changedEmail(nil): []
        }
    }

    private func found(_ outcome: LogInOutcome) -> [Found] {
        switch outcome {
        case .session(let logIn): [.logIn(logIn)]
        case .waits(let pending, let user): [.pending(pending, user)]
        }
    }
}
