package import AuthModel

/// The result of linking or unlinking.
package struct FacebookResult: Sendable, Equatable {
    package let change: FacebookChange
    /// The fields that were filled; `nil` if that was not requested.
    package let filled: [String]?
    /// Whether the app's permissions at Facebook are revoked, too.
    package let isRevoked: Bool
    /// Whether they were revoked before this command.
    package let wasRevoked: Bool

    package init(change: FacebookChange, filled: [String]? = nil, isRevoked: Bool = false, wasRevoked: Bool = false) {
        self.change = change
        self.filled = filled
        self.isRevoked = isRevoked
        self.wasRevoked = wasRevoked
    }
}

/// Links a Facebook identity to the account, and shows the linked one.
package struct LinkFacebook {
    private let client: Client
    private let account: FacebookAccount
    private var sessions: SessionProvider { client.sessions }

    package init(_ client: Client) {
        self.client = client
        account = FacebookAccount(client)
    }

    /// The Facebook identity linked to the account.
    package func status() throws(AuthError) -> FacebookLink {
        let backend = try account.backend()
        var active = try sessions.current()
        return try account.status(&active, backend, else: "cannot check whether a Facebook identity is linked").link
    }

    /// Links an identity in place of the one linked before.
    ///
    /// - Parameter fills: whether to fill empty fields of the account from the Facebook profile.
    package func run(_ credential: FacebookCredential, fills: Bool) throws(AuthError) -> FacebookResult {
        let backend = try account.backend()
        let fillUser = FillUser(client)
        if fills { try fillUser.requireSupport() }
        var active = try sessionToLink(credential)
        let (identity, profile): (FacebookIdentity, FacebookProfile?)
        let failure = "cannot link the Facebook identity"
        do throws(AuthError) {
            (identity, profile) = try FacebookIdentification(client)
                .identity(from: credential, for: backend, wantsProfile: fills)
            try account.requireSameUser(&active)
        } catch {
            throw error.outcome == .usage ? error : error.explaining(failure)
        }
        let change: FacebookChange
        do throws(AuthError) {
            change = try account.change(&active, "linking", else: failure) { session throws(AuthError) in
                try backend.linkFacebook(identity, to: session)
            }
        } catch {
            guard error.reason == .identityTaken else { throw error }
            throw error.suggesting(
                NextStep(
                    "if that account is yours, log in with Facebook", run: ["login", "--facebook"] + credential.options)
            )
        }
        if let id = change.replacedID {
            client.events.note("replaced the link to Facebook identity '\(id)'")
        }
        guard fills, let profile else { return FacebookResult(change: change) }
        return FacebookResult(change: change, filled: fillUser.run(&active, from: profile))
    }

    /// The session to link. It is checked with the server before the user opens a browser.
    private func sessionToLink(_ credential: FacebookCredential) throws(AuthError) -> ActiveSession {
        var active = try sessions.current()
        if active.source == .file { try sessions.requireWritable() }
        if case .device = credential.source { active.user = try account.owner(of: &active) }
        return active
    }
}

extension FacebookCredential {
    /// The options for the same credential, for a command to paste.
    var options: [String] {
        let token: [String] =
            switch source {
            case .given(.accessToken): ["--token-file", "FILE"]
            case .given(.idToken): ["--id-token-file", "FILE"]
            case .device: []
            }
        return token + (id.map { .option("--facebook-id", $0) } ?? [])
    }
}
