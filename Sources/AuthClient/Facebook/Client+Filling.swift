import AuthModel
import JSON

/// Empty fields of an account, filled with what Facebook tells of its user.
extension Client {
    func userFilling() throws(AuthError) -> any UserFilling {
        try ability((any UserFilling).self, to: "fill in what a user left empty")
    }

    /// Fields that are filled stay as they are. What cannot be filled is warned of: the account is linked all the same.
    ///
    /// - Returns: the fields that hold now what Facebook told.
    func fill(_ active: inout ActiveSession, from profile: FacebookProfile) -> [String] {
        var filled: [String] = []
        do throws(AuthError) {
            let backend = try userFilling()
            let before = active
            active.user = try ask("reading the user", with: &active) { session throws(AuthError) in
                try backend.currentUser(session)
            }
            for fields in backend.fillings(of: active.user, from: profile) {
                filled += fill(fields, of: &active, backend)
            }
            keep(active, insteadOf: before)
        } catch {
            events.warn("the empty fields of the user were not filled in: \(error.message)")
        }
        return filled
    }

    private func fill(_ fields: JSONObject, of active: inout ActiveSession, _ backend: any UserFilling) -> [String] {
        let names = fields.members.map { "'\($0.name)'" }.joined(separator: " and ")
        let user = active.user
        do throws(AuthError) {
            active.user = try ask("filling in the user", with: &active) { session throws(AuthError) in
                try backend.fill(fields, of: user, session)
            }
        } catch {
            let error = explain(
                error, failure: "\(names) could not be filled in", done: "\(names) went to the server")
            events.warn(
                [error.message, error.isAfterSuccess ? error.hint : nil].compactMap(\.self).joined(separator: "; "))
            return []
        }
        let taken = fields.members.filter { active.user.holds($0) }
        if taken.count < fields.members.count {
            events.note(
                "\(names) went to the server, which may first want to see that it is the user's: look for a mail")
        }
        return taken.map(\.name)
    }
}

extension User {
    fileprivate func holds(_ field: JSONObject.Member) -> Bool {
        field.name == "email" ? email == field.value.string : fields[field.name] == field.value
    }
}
