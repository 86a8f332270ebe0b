package import AuthModel
import Platform

/// The signup, login, password reset or change of the e-mail that waits for a code or link, if there is one.
package struct PendingLogin: Sendable {
    let sessions: SessionProvider

    /// Returns the signup or login that waits for the verification of an e-mail.
    func find() throws(AuthError) -> StoredSession? {
        let stored = sessions.masked(try store().load(sessions.key))
        switch stored?.method {
        case .passwordReset, .secondFactor, .logInCode, .phoneVerification, .emailChange: return nil
        default: return stored
        }
    }

    /// Returns the login that waits for a code, such as that of its second factor.
    ///
    /// - Parameter login: the name of the login; `nil` for any name.
    func waitingForLogInCode(of login: String?) throws(AuthError) -> StoredSession? {
        let stored = sessions.masked(try store().load(sessions.key))
        guard let stored, [.secondFactor, .logInCode, .phoneVerification].contains(stored.method),
            login == nil || stored.user.displayName?.lowercased() == login?.lowercased()
        else {
            return nil
        }
        return stored
    }

    /// Returns the signup or login if a code can complete it; otherwise `nil`.
    ///
    /// - Parameter email: the address of the signup or login; `nil` for any address.
    func waitingForCode(of email: String? = nil) throws(AuthError) -> StoredSession? {
        guard let stored = try find(), stored.method != .verificationLink else { return nil }
        guard let email, let own = stored.user.email else { return stored }
        return own.lowercased() == email.lowercased() ? stored : nil
    }

    /// Returns the server's token of a password reset that waits for its code.
    func resetToken() -> Secret? {
        // `try?`: without the token, the server reports that no reset is pending.
        guard let stored = try? store().load(sessions.key), stored.method == .passwordReset else { return nil }
        return sessions.masked(stored)?.session.token
    }

    /// The address that the account of the session gets once it is verified; `nil` if none waits.
    ///
    /// - Parameter user: the user of the session.
    func newEmail(of user: User) -> String? {
        // `try?`: the caller works without the address.
        guard let stored = try? store().load(sessions.key), stored.method == .emailChange,
            stored.user.id == user.id, stored.user.email != user.email
        else { return nil }
        return stored.user.email
    }

    /// Remembers the new address of a user, unless a signup, login or password reset waits.
    func awaitNewEmail(_ email: String?, of user: User) {
        // `try?`: without the address, the user must name it.
        let other = try? store().load(sessions.key)
        guard other == nil || other?.method == .emailChange else { return }
        save(nil, User(id: user.id, email: email), by: .emailChange)
    }

    /// Saves a signup, login or password reset in place of an earlier one.
    ///
    /// - Parameter token: the server's token; `nil` if a link completes the signup and creates no session.
    /// - Returns: whether a code can complete it later.
    @discardableResult
    func save(_ token: Secret?, _ user: User, by method: AuthMethod? = nil) -> Bool {
        let stored = sessions.stored(
            Session(token: token ?? Secret(""), createdAt: sessions.clock.now()), user,
            by: token == nil && method != .emailChange ? .verificationLink : method)
        do throws(AuthError) {
            _ = try store().save(stored, after: sessions.requireStillSavable)
            return token != nil
        } catch {
            guard token != nil else { return false }
            let what = method == .passwordReset ? "password reset" : "login"
            sessions.events.warn(
                "cannot save the pending \(what), so a code from the e-mail cannot complete it: \(error.message)")
            return false
        }
    }

    func delete() {
        // `try?`: without a session store, there is no pending login to delete.
        guard let store = try? store() else { return }
        do throws(AuthError) {
            guard let stored = try store.load(sessions.key) else { return }
            _ = try store.remove(sessions.key, ifStill: stored.session.presentedToken)
        } catch {
            try? store.discard(sessions.key)
        }
    }

    /// The name of the signup or login that waits for a code; `nil` if none does.
    var name: String? {
        // `try?`: without a readable file, nothing is known to wait.
        ((try? waitingForLogInCode(of: nil)) ?? (try? waitingForCode()))?.user.displayName
    }

    /// What the signup or login waits for; `nil` if none waits.
    package var step: Pending.Step? {
        // `try?`: without a readable file, nothing is known to wait.
        let stored = (try? store().load(sessions.key)) ?? nil
        let isByPhone = stored?.user.email == nil && stored?.user.phone != nil
        if stored?.method == .phoneVerification { return .phoneVerification }
        if stored?.method == .logInCode { return .logInCode }
        return stepToComplete() == nil ? nil : isByPhone ? .phoneVerification : .emailVerification
    }

    /// Returns the step that completes the signup; `nil` if none waits.
    ///
    /// - Parameter login: the username or e-mail of the signup; `nil` for any signup.
    package func stepToComplete(of login: String? = nil) -> NextStep? {
        // `try?`: the hint about a pending signup is optional.
        if let waiting = try? waitingForLogInCode(of: login), waiting.method == .logInCode {
            let takesLinks = sessions.settings.backend.value.codes.contains(.withAddress)
            return NextStep(
                "a login of '\(waiting.user.displayName ?? "")' waits for its \(takesLinks ? "link or code" : "code")",
                run: takesLinks ? ["login", "--key-stdin"] : ["login", "--otp", "CODE"])
        }
        guard let user = try? find()?.user, let name = user.displayName,
            login == nil || [user.username, user.email, user.phone].contains(login)
        else { return nil }
        return NextStep("a signup of '\(name)' waits for its link or code", run: ["verify-email", "--key-stdin"])
    }

    private func store() throws(AuthError) -> any SessionStore { try sessions.sources.sessions().unfinished }
}
