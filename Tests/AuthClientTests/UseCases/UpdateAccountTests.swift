import AuthClient
import CommandTestSupport

@Suite struct UpdateAccountTests {
    static let token = "r:0123456789abcdef0123456789abcdef"
    static let change = UserChange(email: "new@example.org", fields: ["level": 3])
    static let ask = "currentUser \(token)"
    static let send = #"update {"level":3,"email":"new@example.org"} \#(token)"#
    static let lost = AuthError(.outcomeUnknown, "no response")

    static let changed: User = {
        var user = User.ada
        user.email = "new@example.org"
        user.fields["level"] = 3
        return user
    }()

    @Test func `an account update saves the user that the server returns after the update`() throws {
        let fixture = ClientFixture(
            .currentUser(.success(.ada)), .update(.success(.ada)), .currentUser(.success(Self.changed)), stored: .ada)
        let result = try UpdateAccount(fixture.client).run(Self.change)
        expect(result.user, Self.changed)
        #expect(result.changed)
        expect(fixture.store.current?.user, Self.changed)
        expect(fixture.requests, [Self.ask, Self.send, Self.ask])
    }

    private static func json(_ text: String) -> JSONObject {
        // `try?`: a fault of the text fails the test that uses it.
        (try? JSONValue(parsing: Array(text.utf8)))?.object ?? [:]
    }

    /// The fields of the user, and the same values in another form.
    static let equalValues = [
        (#"{"a":{"x":1,"y":[2,{}]}}"#, #"{"a":{"y":[2.0,{}],"x":1}}"#), (#"{"a":null}"#, #"{"a":null}"#),
        (#"{"a":{"b":{"c":1}}}"#, #"{"a.b.c":1}"#),
        (
            #"{"a":{"__type":"Date","iso":"2026-01-02T03:04:05.000Z"}}"#,
            #"{"a":{"__type":"Date","iso":"2026-01-02T04:04:05+01:00"}}"#
        ),
        (
            #"{"a":{"__type":"GeoPoint","latitude":1,"longitude":2}}"#,
            #"{"a":{"longitude":2.0,"latitude":1,"__type":"GeoPoint"}}"#
        ),
        (#"{"a":{"__type":"File","name":"x","url":"u"}}"#, #"{"a":{"__type":"File","name":"x"}}"#),
        (
            #"{"a":{"__type":"Polygon","coordinates":[[0,0],[0,1],[1,1],[0,0]]}}"#,
            #"{"a":{"__type":"Polygon","coordinates":[[0,0],[0,1],[1,1]]}}"#
        ),
        (
            #"{"ACL":{"*":{"read":true},"g7y9tkhB7O":{"read":true,"write":true}}}"#,
            #"{"ACL":{"*":{"read":true,"write":false}}}"#
        ),
    ]

    @Test(arguments: equalValues + [("{}", #"{"username":"ada","email":"ada@example.org"}"#)])
    func `an account update that changes no value sends no update request`(fields: String, new: String) throws {
        var user = User.ada
        for field in Self.json(fields).members { user.fields[field.name] = field.value }
        let fixture = ClientFixture(.currentUser(.success(user)), stored: .sample(user: user))
        var (values, change) = (Self.json(new), UserChange())
        (change.username, change.email) = (values["username"]?.string, values["email"]?.string)
        (values["username"], values["email"]) = (nil, nil)
        change.fields = values
        #expect(try !UpdateAccount(fixture.client).run(change).changed)
        expect(fixture.requests, [Self.ask])
    }

    /// authctl hides some fields, and a server may hide others.
    @Test(arguments: [
        UserChange(unset: ["apiToken"]), UserChange(fields: ["apiToken": nil]), UserChange(unset: ["prefs.size"]),
        UserChange(unset: ["empty"]), UserChange(fields: ["empty": nil]),
        UserChange(fields: ["level": 3, "prefs.size": 1]),
    ])
    func `an account update that may change a field that is not shown is sent`(change: UserChange) throws {
        var user = User.ada
        (user.fields["empty"], user.fields["level"]) = ("", 3)
        var after = user
        after.fields["empty"] = nil
        let fixture = ClientFixture(
            .currentUser(.success(user)), .update(.success(user)), .currentUser(.success(after)), stored: .ada)
        #expect(try UpdateAccount(fixture.client).run(change).changed)
    }

    @Test(arguments: [
        (UserChange(username: "ADA", email: "Ada@Example.org"), "{}"),
        (UserChange(fields: ["a": "2026-01-02T04:04:05+01:00"]), #"{"a":"2026-01-02T03:04:05Z"}"#),
        (UserChange(fields: ["a": ["x": 1, "apiToken": "t"]]), #"{"a":{"x":1,"apiToken":"t"}}"#),
        (UserChange(fields: ["a": 9_007_199_254_740_993]), #"{"a":9007199254740992}"#),
        (UserChange(fields: ["a": "7", "b": "true"]), #"{"a":7,"b":true}"#),
        (UserChange(fields: ["a": 7, "b": " x "]), #"{"a":"7","b":"x"}"#),
        (UserChange(fields: ["a": "x", "b": ["y"]]), #"{"a":["x"],"b":"y"}"#),
        (UserChange(fields: ["a": "2026-01-02"]), #"{"a":"2026-01-02 00:00:00.000Z"}"#),
        (
            UserChange(fields: ["a": ["__type": "Date", "iso": "2026-01-02T03:04:05.678Z"]]),
            #"{"a":"2026-01-02 03:04:05.678Z"}"#
        ),
        (
            UserChange(fields: ["a": ["__type": "GeoPoint", "latitude": 1, "longitude": 2]]),
            #"{"a":{"lon":2,"lat":1.0}}"#
        ),
        (UserChange(unset: ["a", "b"]), #"{"a":0,"b":{"lon":0,"lat":0}}"#),
    ])
    func `an account update changes nothing if the user already has the server's own form of the values`(
        change: UserChange, fields: String
    ) throws {
        var user = User.ada
        for field in Self.json(fields).members { user.fields[field.name] = field.value }
        let fixture = ClientFixture(
            .currentUser(.success(user)), .update(.success(user)), .currentUser(.success(user)), stored: .ada)
        let result = try UpdateAccount(fixture.client).run(change)
        #expect(result.user == user && !result.changed)
    }

    @Test(arguments: [
        (UserChange(fields: ["a": "x9"]), #"{"a":5}"#, #"{"a":0}"#), (UserChange(fields: ["a": 3]), "{}", #"{"a":4}"#),
        (UserChange(fields: ["a": "maybe"]), "{}", #"{"a":false}"#),
        (UserChange(unset: ["a.b"]), #"{"a":{"b":1}}"#, #"{"a":{"b":{"__op":"Delete"}}}"#),
        (UserChange(unset: ["email"]), "{}", "{}"),
    ])
    func `an account update fails if the server shows another value than the new one`(
        change: UserChange, before: String, after: String
    ) throws {
        let users = [before, after].map { text in
            var user = User.ada
            for field in Self.json(text).members { user.fields[field.name] = field.value }
            return user
        }
        let fixture = ClientFixture(
            .currentUser(.success(users[0])), .update(.success(users[1])), .currentUser(.success(users[1])),
            stored: .ada)
        let error = try failure { _ = try UpdateAccount(fixture.client).run(change) }
        #expect(error.reason == .invalidFields && error.fields.map(\.field) == change.values.names)
    }

    @Test func `an account update without a response has an unknown outcome and can be repeated`() throws {
        let fixture = ClientFixture(
            .currentUser(.success(.ada)), .update(.failure(Self.lost)), stored: .ada)
        try failure { try UpdateAccount(fixture.client).run(Self.change) }.expectMessage(in: "use-cases/account")
    }

    @Test func `an account update fails if the server keeps an old value`() throws {
        var user = User.ada
        user.fields["level"] = 2
        let fixture = ClientFixture(
            .currentUser(.success(user)), .update(.success(user)), .currentUser(.success(user)), stored: .ada)
        let error = try failure { _ = try UpdateAccount(fixture.client).run(UserChange(fields: ["level": 3])) }
        error.expectMessage(in: "use-cases/account")
    }

    @Test func `an account update with a Parse operation succeeds even if the value stays the same`() throws {
        var user = User.ada
        user.fields["tags"] = ["a"]
        let fixture = ClientFixture(
            .currentUser(.success(user)), .update(.success(user)), .currentUser(.success(user)), stored: .ada)
        let change = UserChange(fields: ["tags": ["__op": "AddUnique", "objects": ["a"]]])
        #expect(try UpdateAccount(fixture.client).run(change).changed)
    }

    @Test func `an account update warns about a hidden value and notes that the e-mail may need verification`() throws {
        let fixture = ClientFixture(
            .currentUser(.success(.ada)), .update(.success(.ada)), .currentUser(.success(.ada)), stored: .ada)
        try expect(UpdateAccount(fixture.client).run(Self.change).user, .ada)
        fixture.expectNotices(in: "use-cases/account")
    }

    @Test func `the new e-mail of an account is the one to verify until the account has it`() throws {
        let fixture = ClientFixture(
            .currentUser(.success(.ada)), .update(.success(.ada)), .currentUser(.success(.ada)),
            .currentUser(.success(.ada)), .update(.success(Self.changed)), .currentUser(.success(Self.changed)),
            stored: .ada)
        expect(fixture.client.addressToVerify, "ada@example.org")
        _ = try UpdateAccount(fixture.client).run(Self.change)
        expect(fixture.client.addressToVerify, "new@example.org")
        expect(fixture.client.sessions.pending.step, nil)
        _ = try UpdateAccount(fixture.client).run(Self.change)
        #expect(fixture.client.addressToVerify == "new@example.org" && fixture.pending == nil)
    }

    @Test func `an account update with an invalid username and e-mail is not sent, and its error names both`() throws {
        let fixture = ClientFixture(stored: .ada)
        let error = try failure { _ = try UpdateAccount(fixture.client).run(UserChange(username: "a", email: "x")) }
        expect(error.reason, .invalidFields)
        expect(error.fields.map(\.field), ["username", "email"])
        expect(fixture.requests, [])
    }

    @Test func `the first e-mail is sent again with a new password if the server takes it only with one`() throws {
        let needed = AuthError(.reauthenticationRequired, "the first e-mail needs a password", fact: .wantsPassword)
        let anonymous = StoredSession.sample(user: User(id: "1"), method: .anonymous)
        let script: [Step] = [.currentUser(.success(User(id: "1"))), .update(.failure(needed))]
        let fixture = ClientFixture(
            script: script + [.update(.success(.ada), replacement: .new), .currentUser(.success(.ada))],
            stored: anonymous)
        var client = fixture.client
        client.sessions.newPassword = { () throws(AuthError) in Secret("long enough") }
        let change = UserChange(email: User.ada.email)
        try expect(UpdateAccount(client).run(change).user, .ada)
        #expect(fixture.store.current?.session == .new && fixture.store.current?.method == .password)
        let refused = ClientFixture(script: script, stored: anonymous)
        try expect(failure { _ = try UpdateAccount(refused.client).run(change) }.reason, needed.reason)
        expect(refused.store.current, anonymous)
    }

    @Test func `a request that needs the second factor suggests a login with the address of the account`() throws {
        let step = NextStep("log in with the code", run: ["login", NextStep.account, "--otp", "CODE"])
        let needed = AuthError(.secondFactorRequired, "the session has the first level only", next: step)
        let fixture = ClientFixture(.currentUser(.success(.ada)), .update(.failure(needed)), stored: .ada)
        let error = try failure { _ = try UpdateAccount(fixture.client).run(Self.change) }
        expect(error.nextSteps.map(\.command), [["login", "ada@example.org", "--otp", "CODE"]])
    }

    @Test(arguments: [true, false])
    func `a new e-mail that waits for its links is noted without advice to start over`(hasTwoLinks: Bool) throws {
        let script: [Step] = [.currentUser(.success(.ada)), .update(.success(.ada)), .currentUser(.success(.ada))]
        let fixture = ClientFixture(
            backend: FakeBackend(script), verification: hasTwoLinks ? .address : .nothing)
        fixture.store.put(.ada)
        #expect(try UpdateAccount(fixture.client).run(UserChange(email: "new@example.org")).pending != nil)
        fixture.expectNotices(in: "use-cases/account", hasTwoLinks ? "two links" : "one link")
    }
}

@Suite struct DeleteAccountTests {
    static let token = UpdateAccountTests.token
    static let requests = ["currentUser \(token)", "deleteAccount g7y9tkhB7O \(token)"]

    @Test func `an account deletion asks for confirmation, then deletes the account and the saved session`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), .deleteAccount(.success(())), stored: .ada)
        var confirmed: User?
        let user = try DeleteAccount(fixture.client).run { confirmed = $0 }
        expect(confirmed, .ada)
        expect(user, .ada)
        expect(fixture.store.current, nil)
        expect(fixture.requests, Self.requests)
    }

    @Test func `an account deletion without confirmation sends no deletion request`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), stored: .ada)
        let error = try failure {
            _ = try DeleteAccount(fixture.client).run { _ throws(AuthError) in throw AuthError(.cancelled, "no") }
        }
        expect(error.reason, .cancelled)
        expect(fixture.store.current, .ada)
    }

    @Test(
        arguments: [
            ("the user", .success(.ada)), ("a rejected session", .failure(.revoked)),
            ("no second response", .failure(AuthError(.connect, "no route"))),
        ] as [(String, Result<User, AuthError>)])
    func `an account deletion without a response has an unknown outcome and keeps the saved session`(
        situation: String, answer: Result<User, AuthError>
    ) throws {
        let fixture = ClientFixture(
            .currentUser(.success(.ada)), .deleteAccount(.failure(UpdateAccountTests.lost)), .currentUser(answer),
            stored: .ada)
        try failure { try DeleteAccount(fixture.client).run { _ in } }.expectMessage(in: "use-cases/account", situation)
        expect(fixture.store.current, .ada)
    }

    @Test func `an account deletion warns that AUTHCTL_TOKEN is invalid now and keeps another user's session`() throws {
        let eve = StoredSession.sample(user: User(id: "other", username: "eve"))
        let fixture = ClientFixture(
            .currentUser(.success(.ada)), .deleteAccount(.success(())), stored: eve, environmentToken: "r:env")
        _ = try DeleteAccount(fixture.client).run { _ in }
        expect(fixture.store.current, eve)
        fixture.expectNotices(in: "use-cases/account")
    }

    @Test func `an account deletion removes the user's sessions from all profiles but keeps other sessions`() throws {
        let fixture = ClientFixture(.currentUser(.success(.ada)), .deleteAccount(.success(())), stored: .ada)
        let kept: [StoredSession] = [
            .sample(connection: Connection(backend: "parse", server: "https://a.example"), session: .sample("b")),
            .sample(as: "eve", session: .sample("c"), user: User(id: "other")),
            .sample(as: "unknown", session: .sample("d"), user: User()),
        ]
        for session in kept { fixture.store.put(session) }
        fixture.store.put(.sample(as: "two", session: .sample("e")))
        fixture.store.put(.sample(profile: "ci", session: .sample("f")))
        _ = try DeleteAccount(fixture.client).run { _ in }
        for session in kept { expect(fixture.store[session.key], session) }
        try expect(fixture.store.list(of: nil).count, kept.count)
        fixture.expectNotices(in: "use-cases/account")
    }
}
