import JSON
internal import SQLite

extension ParseRoutes {
    /// `POST /users` with `username`, `password`, `email`? and any other fields -> 201, `objectId`, `createdAt`,
    /// `sessionToken`; 200, 201, 202, 203, 125, 105, 111, 119, 252.
    func signUp(_ request: ParseRequest) throws(RouteError) -> Step {
        let form = try SignUpForm(request.body)
        let job = PasswordJob.hash(form.password, cost: settings.passwordCost)
        return hashing(job) { outcome throws(RouteError) in
            guard case .hash(let hash) = outcome else { throw .refused(.internal) }
            let session = newSession(of: ObjectID.make(from: settings.randomness), .signUp, request)
            let token = SessionToken(from: settings.randomness)
            if let refusal = try create(form.user, passwordHash: hash, session, token) { throw .refused(refusal) }
            return .answer(
                ParseAnswer.json(createdUser(session, token), status: 201, location: location(session.userID)))
        }
    }

    /// A user's session that starts now.
    func newSession(of userID: String, _ origin: SessionOrigin, _ request: ParseRequest) -> Session {
        let now = now
        return Session(
            id: ObjectID.make(from: settings.randomness), userID: userID, createdAt: now, updatedAt: now,
            expiresAt: now.adding(hours: Sessions.lifetimeInHours), origin: origin,
            installationID: request.installationID)
    }

    /// - Returns: `nil` if the user is there now, else what stands in the way. Both taken: the name counts.
    private func create(
        _ user: NewUser, passwordHash: String, _ session: Session, _ token: SessionToken
    ) throws(RouteError) -> ParseError? {
        try stored { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                if try users.isTaken(username: user.username) { return .usernameTaken }
                if let email = user.email, try users.isTaken(email: email) { return .emailTaken }
                try users.insert(user, id: session.userID, passwordHash: passwordHash, at: session.createdAt)
                try sessions.insert(session, token: token)
                return nil
            }
        }
    }

    private func createdUser(_ session: Session, _ token: SessionToken) -> JSONObject {
        [
            "objectId": .string(session.userID), "createdAt": .string(session.createdAt.text),
            "sessionToken": .string(token.text),
        ]
    }

    private func location(_ userID: String) -> String { "\(settings.baseURL)/users/\(userID)" }
}
