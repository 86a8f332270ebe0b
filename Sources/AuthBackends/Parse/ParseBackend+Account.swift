import AuthModel
import JSON

/// Source: Parse REST guide, "Updating Users", "Deleting Users" and "Deleting Fields".
extension ParseBackend: UserUpdating, AccountDeleting {
    func check(_ change: UserChange) throws(AuthError) {
        let names = change.fields.names + change.unset
        if let name = names.first(where: { $0 != "email" && ParsePayloads.isReadOnly($0) }) { throw .readOnly(name) }
    }

    /// The response contains only the time, so the rest is taken from the request.
    func update(_ change: UserChange, of user: User, _ session: Session) throws(AuthError) -> Reply<User> {
        guard let id = user.id else { throw .namesNoUser() }
        var fields = change.values
        for name in change.unset { fields[name] = ["__op": "Delete"] }
        let payload = try send(endpoints.updateUser(id: id, fields, session), .updateUser)
        return Reply(
            user.applying(change), replacement: ParsePayloads.token(payload, masker).map(self.session))
    }

    func deleteAccount(of user: User, _ session: Session) throws(AuthError) -> Reply<Void> {
        guard let id = user.id else { throw .namesNoUser() }
        _ = try send(endpoints.deleteUser(id: id, session), .deleteAccount)
        return Reply(())
    }
}
