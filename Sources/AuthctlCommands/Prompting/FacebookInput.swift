import AuthModel

/// Options of a command that takes a Facebook identity.
protocol TakesFacebookIdentity {
    var readsToken: Bool { get }
    var tokenFile: String? { get }
    var facebookID: String? { get }
}

extension TakesFacebookIdentity {
    /// Whether any of it is given.
    var hasFacebookIdentity: Bool { readsToken || tokenFile != nil || facebookID != nil }
}

/// Gets a Facebook identity as it was handed over.
struct FacebookInput {
    let context: Context

    func identity(_ options: some TakesFacebookIdentity) throws(AuthError) -> FacebookIdentity {
        let id = try options.facebookID.map { id throws(AuthError) in try checked(id) }
        return FacebookIdentity(id: id, token: try token(options))
    }

    private func token(_ options: some TakesFacebookIdentity) throws(AuthError) -> Secret {
        let reader = SecretReader(what: "Facebook token", context: context)
        switch (options.readsToken, options.tokenFile) {
        case (true, .some):
            throw AuthError(
                .usage, "--token-stdin and --token-file both say where the Facebook token is",
                hint: "give one of them")
        case (true, nil): return try reader.token(in: "-")
        case (false, let path?): return try reader.token(in: path)
        case (false, nil):
            throw AuthError(
                .usage, "a Facebook token is missing", hint: "give it with --token-stdin or --token-file")
        }
    }

    /// Facebook's ids are digits so far, but that is Facebook's affair.
    private func checked(_ id: String) throws(AuthError) -> String {
        guard !id.isEmpty else { throw AuthError(.usage, "the Facebook id is empty") }
        guard id.isPlain else { throw AuthError(.usage, "Facebook id '\(id)' holds a control character") }
        return id
    }
}
