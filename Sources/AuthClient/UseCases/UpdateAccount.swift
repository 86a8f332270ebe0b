package import AuthModel

/// Updates fields of the session's user, and saves the updated user.
package struct UpdateAccount: UseCase {
    let client: Client

    package init(_ client: Client) {
        self.client = client
    }

    package struct Result {
        package let user: User
        /// Whether a change was sent; `false` if the user already has the new values.
        package let changed: Bool
        /// Whether a new e-mail becomes the account's only after its verification.
        package let pending: Pending.Step?
    }

    package func run(_ change: UserChange) throws(AuthError) -> Result {
        let backend = try client.backends.connect()
        try requireValid(change)
        try failing(as: failure) { () throws(AuthError) in
            try converting { () throws(BackendError) in try backend.check(change) }
        }
        let saved = try sessions.current()
        var active = saved
        active.user = try failing(as: failure) { () throws(AuthError) in try sessions.fetchUser(with: &active) }
        let before = active.user
        let isNew =
            !change.missing(in: before).isEmpty || !backend.showsAllFields && change.mayRemoveHidden(from: before)
        if isNew { try send(change, &active, backend) }
        sessions.saveUser(of: active, insteadOf: saved)
        let pending = isNew ? try requireEffect(of: change, before, active.user, backend) : nil
        if pending == .emailVerification {
            sessions.pending.awaitNewEmail(change.email, of: active.user)
        } else if change.email != nil, sessions.pending.newEmail(of: before) != nil {
            sessions.pending.delete()
        }
        // A server may store the new value in the form that the user already has, such as a name in lower case.
        let isSame = change.values.names.allSatisfy { name in
            let value = active.user[name]
            return value != .null && value == before[name] && change.isRewritten(name, in: active.user)
        }
        return Result(user: active.user, changed: isNew && !isSame, pending: pending)
    }

    private let failure = "cannot update the account"

    private func requireValid(_ change: UserChange) throws(AuthError) {
        guard client.settings.backend.value.has(.checksNewAccounts) else { return }
        let faults = [
            change.username.flatMap(AccountChecks.usernameFault), change.email.flatMap(AccountChecks.emailFault),
        ].compactMap(\.self)
        guard !faults.isEmpty else { return }
        throw AuthError(.invalidFields, "\(failure): \(faults.summary)", fields: faults)
    }

    private func send(
        _ change: UserChange, _ active: inout ActiveSession, _ backend: any Backend
    ) throws(AuthError) {
        let before = active.user
        if change.password != nil { active.method = .password }
        do throws(AuthError) {
            active.user = try sessions.send("updating the user", with: &active) { session throws(BackendError) in
                try backend.update(change, of: before, session)
            }.keepingNames(of: before)
            if change.username != nil || change.email != nil { active.session.loginName = nil }
        } catch {
            let error = sessions.explaining(error, failure: failure, done: "the account was changed")
            if error.fact == .wantsPassword, change.password == nil, let password = try sessions.newPassword?() {
                var change = change
                change.password = password
                return try send(change, &active, backend)
            }
            guard error.leavesOutcomeOpen else { throw error }
            // If run again, the command first compares the values, and sends nothing if the server already has them.
            throw error.replacingSteps(with: "run the command again: repeating it is safe")
        }
        // `try?`: the fetch is optional, because the server has accepted the change.
        if let now = try? sessions.fetchUser(with: &active) { active.user = now }
    }

    /// Fails if the server did not store a value, except for an e-mail, which may require verification first.
    private func requireEffect(
        of change: UserChange, _ before: User, _ after: User, _ backend: any Backend
    ) throws(AuthError) -> Pending.Step? {
        var missing = change.missing(in: after).filter { !change.isRewritten($0, in: after) }
        var pending: Pending.Step?
        if missing.contains("email"), let email = change.email, after["email"] == before["email"] {
            pending = .emailVerification
            client.events.note(waiting(for: email, instead: before.email, backend))
            missing.removeAll { $0 == "email" }
        }
        let hidden = missing.filter { after[$0] == .null }
        if !hidden.isEmpty {
            client.events.warn("the server does not show whether it changed \(hidden.quotedList(atMost: 5))")
        }
        // An operation, such as Parse's {"__op":"AddUnique",...}, is not a value, so it cannot be compared.
        let ignored = missing.filter { after[$0] != .null && change.fields[$0]?["__op"] == nil }
        guard !ignored.isEmpty else { return pending }
        throw AuthError(
            .invalidFields, "\(failure): the server did not change \(ignored.quotedList(atMost: 5)) as requested",
            fields: ignored.map { FieldFault($0, "was not changed as requested") })
    }

    private func waiting(for email: String, instead old: String?, _ backend: any Backend) -> String {
        if client.settings.backend.value.verification == .address, let old {
            return "the e-mail changes once it is confirmed: by default, the server sends links to '\(old)' and "
                + "'\(email)', and both must be used"
        }
        let sent = "'\(email)' was sent to the server, which may require verification: check for an e-mail"
        guard backend is any EmailChoosing else { return sent }
        return sent + ". If the account keeps its old e-mail after the verification, run the command again"
    }
}
