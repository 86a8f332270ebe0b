import AuthModel
import Expectations
import Platform

@Suite struct SessionTests {
    static let now = Instant(milliseconds: 1000)

    @Test(arguments: [(999 as Int64?, true), (1000, true), (1001, false), (nil, false)])
    func `a session expires at its expiry time`(end: Int64?, expected: Bool) {
        let session = Session(token: Secret("t"), expiresAt: end.map(Instant.init(milliseconds:)))
        expect(session.hasExpired(at: Self.now), expected)
    }

    @Test(arguments: [
        (User(id: "1", username: "ada", email: "a@b.c"), "ada" as String?),
        (User(id: "1", email: "a@b.c"), "a@b.c"),
        (User(id: "1", phone: "+819012345678"), "+819012345678"),
        (User(id: "1"), "1"),
        (User(), nil),
    ])
    func `a user's display name is the username, or else the e-mail, the phone number or the id`(
        user: User, name: String?
    ) {
        expect(user.displayName, name)
    }

    @Test(arguments: [
        Connection(backend: "local"),
        Connection(backend: "parse", server: "https://b.example/parse", appID: "x"),
        Connection(backend: "parse", server: "https://a.example", appID: "x"),
        Connection(backend: "parse", server: "http://a.example/parse", appID: "x"),
        Connection(backend: "parse", server: "https://a.example/parse", appID: "y"),
        Connection(backend: "parse", server: "https://a.example/parse"),
        Connection(backend: "kii", server: "https://a.example/parse", appID: "x"),
    ])
    func `connections are equal only if all their parts are equal`(other: Connection) {
        #expect(other != Connection(backend: "parse", server: "https://a.example/parse", appID: "x"))
    }
}
