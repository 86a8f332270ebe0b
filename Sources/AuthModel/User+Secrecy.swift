import JSON

extension User {
    /// The same user where a server repeats no secret, as some sites do in fields of their own: those are left out; names
    /// say `<redacted>`.
    ///
    /// - Parameter names: under which somebody made themselves known, and which are shown whatever the password is.
    package func without(_ secrets: [Secret?], keeping names: [String?] = []) -> User {
        let echoes = SecretEchoes(secrets)
        let masked = { (name: String?) in names.contains(name) ? name : name.map(echoes.masking) }
        var user = self
        user.id = masked(id)
        user.username = masked(username)
        user.email = masked(email)
        user.providers = providers?.map(echoes.masking)
        user.fields = JSONObject(
            fields.members.filter { !echoes.areIn($0.name) && !echoes.areIn($0.value.text) })
        return user
    }

    package func withoutTokens(of session: Session) -> User { without(session.tokens) }
}

extension Session {
    /// `nil` where a server gives the token for it.
    var idWithoutTokens: String? { id.flatMap { SecretEchoes(tokens).areIn($0) ? nil : $0 } }
}

extension SessionSummary {
    package func withoutTokens(of session: Session) -> SessionSummary {
        let echoes = SecretEchoes(session.tokens)
        var row = self
        row.id = echoes.masking(id)
        row.createdWith = createdWith.map(echoes.masking)
        row.device = device.map(echoes.masking)
        row.address = address.map(echoes.masking)
        return row
    }
}

extension NewSession {
    package func without(_ secrets: [Secret?], keeping names: [String?] = []) -> NewSession {
        NewSession(user: user.without(secrets, keeping: names), session: session, createdAccount: createdAccount)
    }
}

extension LogInOutcome {
    package func without(_ secrets: [Secret?], keeping names: [String?]) -> LogInOutcome {
        switch self {
        case .session(let logIn): .session(logIn.without(secrets, keeping: names))
        case .pending(let pending, let user): .pending(pending, user.without(secrets, keeping: names))
        }
    }
}

extension SignUpOutcome {
    /// Without the password of the account, but with the names that it was asked for under.
    package func without(_ account: NewAccount) -> SignUpOutcome {
        let (secrets, names) = ([account.password], [account.username, account.email])
        return switch self {
        case .session(let logIn): .session(logIn.without(secrets, keeping: names))
        case .pending(let pending, let user): .pending(pending, user.without(secrets, keeping: names))
        case .created(let user): .created(user.without(secrets, keeping: names))
        }
    }
}
