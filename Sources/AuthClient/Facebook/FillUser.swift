import AuthModel
import JSON

/// Fills empty fields of the account from the user's Facebook profile.
struct FillUser: UseCase {
    let client: Client

    func requireSupport() throws(AuthError) { _ = try backend() }

    /// Fills the user's empty fields from the profile. A failure is only a warning, because the link or the login has
    /// already succeeded.
    ///
    /// - Returns: the fields that now have the values of the Facebook profile.
    func run(_ active: inout ActiveSession, from profile: IdentityProfile) -> [String] {
        var filled: [String] = []
        do throws(AuthError) {
            let backend = try backend()
            let before = active
            active.user = try sessions.fetchUser(with: &active)
            for fields in backend.emptyFieldValues(of: active.user, from: profile) {
                filled += fill(fields, of: &active, backend)
            }
            sessions.saveUser(of: active, insteadOf: before)
        } catch {
            client.events.warn("cannot fill in the empty fields of the user: \(error.message)")
        }
        return filled
    }

    private func backend() throws(AuthError) -> any UserFilling {
        try client.backends.require((any UserFilling).self, to: "fill in fields of the user")
    }

    private func fill(_ fields: JSONObject, of active: inout ActiveSession, _ backend: any UserFilling)
        -> [String]
    {
        let names = fields.members.map { "'\($0.name)'" }.joined(separator: " and ")
        let user = active.user
        var change = UserChange(email: fields["email"]?.string, fields: fields)
        change.fields["email"] = nil
        do throws(AuthError) {
            active.user = try sessions.send("filling in fields of the user", with: &active) {
                session throws(BackendError) in
                try backend.update(change, of: user, session)
            }
        } catch {
            let error = sessions.explaining(
                error, failure: "cannot fill in \(names)", done: "\(names) was sent to the server")
            client.events.warn(error.message, next: error.isAfterSuccess ? error.nextSteps.first : nil)
            return []
        }
        let taken = fields.members.filter { active.user[$0.name] == $0.value }
        if taken.count < fields.members.count {
            client.events.note("\(names) was sent to the server, which may require verification: check for an e-mail")
        }
        return taken.map(\.name)
    }
}
