import CommandTestSupport

@testable import AuthBackends

@Suite struct ParseIdentityTests {
    static let identity = IdentityCredential(.facebook, id: "1003", .accessToken(Secret("EAAB")))
    static let logInRequest = """
        POST https://a.example/parse/users
        X-Parse-Application-Id: app
        Content-Type: application/json
        X-Parse-Revocable-Session: 1

        {"authData":{"facebook":{"id":"1003","access_token":"EAAB"}}}
        """
    static let linked =
        #"{"objectId":"g7/y","username":"ada","authData":{"facebook":{"id":"1003","access_token":"X"}}}"#
    static let unlinked = #"{"objectId":"g7/y","username":"ada","authData":{}}"#
    /// A response without `authData`: the user has no identities, or the server hides them.
    static let silent = #"{"objectId":"g7/y","username":"ada"}"#

    static func updateRequest(_ value: String) -> String {
        """
        PUT https://a.example/parse/users/g7%2Fy
        X-Parse-Application-Id: app
        X-Parse-Session-Token: r:abc
        Content-Type: application/json

        {"authData":{"facebook":\(value)}}
        """
    }

    static let linkRequest = updateRequest(#"{"id":"1003","access_token":"EAAB"}"#)

    static func user(_ providers: String...) -> User {
        User(id: "g7/y", username: "ada", identities: providers.map { Identity(provider: $0, id: "1003") })
    }

    // MARK: - Status

    @Test(arguments: [
        (linked, IdentityLink.linked(id: "1003"), user("facebook")),
        (unlinked, .none, user()), (silent, .unknown, User(id: "g7/y", username: "ada")),
        (#"{"objectId":"g7/y","username":"ada","authData":{"facebook":null}}"#, .none, user()),
        (#"{"objectId":"g7/y","username":"ada","authData":{"facebook":{"id":3}}}"#, .linked(id: "3"), user("facebook")),
        (#"{"objectId":"g7/y","username":"ada","authData":{"facebook":{}}}"#, .linked(id: nil), user("facebook")),
    ])
    func `the status of a Facebook link on Parse has the linked id and no token`(
        answer: String, link: IdentityLink, user: User
    ) throws {
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, 200, answer))
        try expect(backend.identities(of: .abc), Reply(IdentityStatus(user: user, link: link)))
    }

    @Test func `a user without authData on the embedded server has no linked identities`() throws {
        let backend = ParseBackend.replaying(
            isEmbedded: true, Exchange(Exchange.currentUserRequest, 200, Self.silent))
        let status = try backend.identities(of: .abc).value
        expect(status.link(to: .facebook), .none)
        expect(status.user.identities, [])
    }

    // MARK: - Linking

    @Test(arguments: [(linked, IdentityLink.none, true as Bool?), (silent, .unknown, nil)])
    func `a Facebook link requests the user again if Parse does not report the earlier identities`(
        afterwards: String, before: IdentityLink, hasChanged: Bool?
    ) throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, Self.silent), Exchange(Self.linkRequest, 200, "{}"),
            Exchange(Exchange.currentUserRequest, 200, afterwards))
        let status = IdentityStatus(user: Self.user("facebook"), link: .linked(id: "1003"))
        let change = IdentityChange(before: before, status: status)
        try expect(backend.link(Self.identity, to: .abc), Reply(change))
        expect(change.hasChanged, hasChanged)
    }

    @Test func `a Facebook unlink does not report whether a link existed if Parse omits the identities`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, Self.silent), Exchange(Self.updateRequest("null"), 200, "{}"))
        let change = try backend.unlink(.facebook, from: .abc).value
        expect(change.hasChanged, nil)
        expect(change.after, .none)
        expect(change.user, User(id: "g7/y", username: "ada"))
    }

    @Test(arguments: [
        (unlinked, IdentityLink.none, true, nil as String?),
        (linked, .linked(id: "1003"), false, nil),
        (#"{"objectId":"g7/y","username":"ada","authData":{"facebook":{"id":"7"}}}"#, .linked(id: "7"), true, "7"),
    ])
    func `a Facebook link on Parse replaces the Facebook identity linked before`(
        user: String, before: IdentityLink, hasChanged: Bool, replaced: String?
    ) throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, user),
            Exchange(Self.linkRequest, 200, #"{"updatedAt":"2026-06-01T00:00:00.000Z","authDataResponse":{}}"#))
        let status = IdentityStatus(user: Self.user("facebook"), link: .linked(id: "1003"))
        let change = IdentityChange(before: before, status: status)
        try expect(backend.link(Self.identity, to: .abc), Reply(change))
        expect(change.hasChanged, hasChanged)
        expect(change.replacedID, replaced)
    }

    @Test func `a session in Parse's response to a Facebook link is returned as the new session`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, Self.unlinked),
            Exchange(Self.linkRequest, 200, #"{"sessionToken":"r:new"}"#))
        try expect(backend.link(Self.identity, to: .abc).replacement, Session(token: Secret("r:new")))
    }

    /// Code 206 means a rejected session or Facebook token. An earlier request has shown that the session is valid.
    @Test func `Parse code 206 in the response to a link means that the Facebook token is rejected`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, Self.unlinked),
            Exchange(Self.linkRequest, 400, #"{"code":206,"error":"Insufficient auth."}"#))
        try expect(failure { _ = try backend.link(Self.identity, to: .abc) }.reason, .tokenRefused)
    }

    @Test func `a Facebook login or link on Parse without a Facebook user id is a usage error`() throws {
        let identity = IdentityCredential(.facebook, .accessToken(Secret("EAAB")))
        for error in [
            try failure { _ = try ParseBackend.replaying().link(identity, to: .abc) },
            try failure { _ = try ParseBackend.replaying().logIn(identity) },
        ] {
            error.expectMessage(in: "backends/parse")
        }
    }

    // MARK: - Unlinking

    @Test(arguments: [(linked, IdentityLink.linked(id: "1003")), (unlinked, .none)])
    func `an unlink request is sent even if Parse shows no linked identity`(user: String, before: IdentityLink) throws {
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, user),
            Exchange(Self.updateRequest("null"), 200, #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#))
        let change = IdentityChange(before: before, status: IdentityStatus(user: Self.user(), link: .none))
        try expect(backend.unlink(.facebook, from: .abc), Reply(change))
        expect(change.hasChanged, (before != .none))
        expect(change.replacedID, nil)
    }

    // MARK: - Logging in

    @Test func `a Facebook login of a known user returns the user and the session`() throws {
        let answer = #"{"sessionToken":"r:abc",\#(Self.linked.dropFirst())"#
        let backend = ParseBackend.replaying(Exchange(Self.logInRequest, 200, answer))
        try expect(
            backend.logIn(Self.identity), Reply(.session(NewSession(user: Self.user("facebook"), session: .abc))))
    }

    @Test func `a Facebook login of a new user creates the account and returns its generated username`() throws {
        let backend = ParseBackend.replaying(
            Exchange(Self.logInRequest, 201, #"{"objectId":"g7/y","username":"ada","sessionToken":"r:abc"}"#))
        let logIn = NewSession(user: Self.user("facebook"), session: .abc, createdAccount: true)
        try expect(backend.logIn(Self.identity), Reply(.session(logIn)))
    }

    // MARK: - Other login methods

    @Test(arguments: [
        (#"{"facebook":{"id":"1"}}"#, nil as Bool?), (#"{"facebook":{"id":"1"},"google":{"id":"2"}}"#, true),
        (#"{"facebook":{"id":"1"},"anonymous":{"id":"2"}}"#, nil),
        (#"{"facebook":{"id":"1"},"mfa":{"status":"enabled"}}"#, nil),
        (#"{"facebook":{"id":"1"},"google":null}"#, nil),
    ])
    func `Parse reports other linked identities, but not whether the account has a password`(
        authData: String, isKnown: Bool?
    ) throws {
        let user = #"{"objectId":"g7/y","username":"ada","authData":\#(authData)}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.currentUserRequest, 200, user))
        try expect(backend.identities(of: .abc).value.hasLoginMethod(besides: .facebook), isKnown)
    }
}
