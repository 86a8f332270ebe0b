import AuthModel
import JSON

/// Source: README of the documented exchanges, sections 4.5, 4.6 and 4.9.
extension KiiBackend: UserUpdating, AccountDeleting {
    func update(_ change: UserChange, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        if change != UserChange(email: change.email) {
            // Without the fields that `User` leaves out, the server would remove them.
            var fields = KiiPayloads.applicationFields(try me(session))
            for field in change.fields.members { fields[field.name] = field.value }
            for name in change.unset { fields[name] = nil }
            fields["loginName"] = change.username.map(JSONValue.string)
            _ = try send(endpoints.updateUser(fields, session), .updateUser)
        }
        if let email = change.email {
            do throws(AuthError) {
                _ = try send(endpoints.changeEmail(to: email, session), .updateUser)
            } catch {
                guard change != UserChange(email: email) else { throw error }
                throw error.explaining("the other values were changed, but the e-mail was not")
            }
        }
        return Reply(user.applying(change))
    }

    func check(_ change: UserChange) throws(AuthError) {
        if let name = (change.fields.names + change.unset).first(where: KiiPayloads.isReadOnly) {
            throw .readOnly(name)
        }
        if let name = change.unset.first(where: KiiPayloads.isPermanent) {
            throw AuthError(.unsupported, "Kii Cloud cannot remove '\(name)'")
        }
    }

    func deleteAccount(of user: User, _ session: Session) throws(AuthError) -> Reply<Void> {
        _ = try send(endpoints.deleteUser(session), .deleteAccount)
        return Reply(())
    }
}
