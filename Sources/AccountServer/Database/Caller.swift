/// The sender of a request, authenticated by a session token. A class, because requests are copied several times.
final class Caller {
    let token: SessionToken
    let session: SessionRow
    let user: UserRow
    var identities: [Identity] = []

    init(_ token: SessionToken, _ session: SessionRow, _ user: UserRow) {
        (self.token, self.session, self.user) = (token, session, user)
    }

    var userID: String { session.userID }
}
