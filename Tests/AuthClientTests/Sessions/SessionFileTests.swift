import CommandTestSupport
import Foundation
import Platform

@testable import AuthClient

@Suite struct SessionFileTests {
    @Test func `a session is written as one line of JSON`() {
        #expect(
            String(decoding: SessionFile.bytes(of: .ada), as: UTF8.self) == """
                {"v":1,"profile":"default","backend":"local","server":null,"appId":null,\
                "token":"r:0123456789abcdef0123456789abcdef","expiresAt":1798859045,"refreshToken":null,\
                "sessionId":"Xk2LmN3oPq","createdAt":1767323045,"with":null,\
                "user":{"id":"g7y9tkhB7O","username":"ada","email":"ada@example.org","emailVerified":null,\
                "createdAt":1767323045,"providers":[],"identities":[],"fields":{}}}

                """)
    }

    @Test(arguments: [
        StoredSession.ada, .sample(method: .password), .sample(method: .identity(.facebook)),
        .sample(method: .anonymous), .sample(method: .impersonation),
        .sample(session: .sample(""), method: .verificationLink),
        .sample(
            connection: Connection(backend: "parse", server: "https://a.example:8443/parse", appID: "x y"),
            session: Session(token: Secret("t"), refreshToken: Secret("r")), user: User()),
        .sample(session: .sample("\"\\/~")),
        .sample(
            user: User(
                id: "\u{0}\u{1}\"\\/\n\r\t\u{7F}\u{85}\u{2028}\u{202E}é😀\u{10FFFF}", username: "a\"b\\c\u{1B}[31m",
                emailVerified: false,
                identities: [Identity(provider: "facebook", id: "1"), Identity(provider: "", id: nil)],
                fields: ["a": [1, -2, JSONValue(1.5), nil, true, "x"], "b": ["c": [:]], "é": ""])),
        .sample(session: .sample("t", expiresAt: Instant(seconds: .max))),
        .sample(session: .sample("t", expiresAt: Instant(seconds: .min))),
        .sample(profile: String(repeating: "x", count: 64), session: .sample("t", expiresAt: nil)),
        StoredSession(profile: "default", connection: .local, session: .ada, user: .ada, isRefreshRejected: true),
        .sample(session: Session(token: Secret("t"), scheme: "JWT")),
    ])
    func `a session is the same after writing and reading`(stored: StoredSession) throws {
        let bytes = SessionFile.bytes(of: stored)
        try expect(SessionFile.session(from: bytes, profile: stored.profile), stored)
    }

    @Test(arguments: [LoginName.username("a@b"), .email("a@b"), .phone("+3161")])
    func `the login name, access token and cookies of a session are the same after writing and reading`(name: LoginName)
        throws
    {
        var stored = StoredSession.ada
        (stored.session.loginName, stored.session.accessToken) = (name, Secret("eyJ.x"))
        var cookie = Cookie("auth", Secret(""), domain: ".a.example")
        (cookie.path, cookie.isHTTPOnly, cookie.isSecure, cookie.sameSite) = ("/api", false, true, "None")
        stored.session.accessCookie = cookie
        stored.session.refreshCookie = Cookie("my-refresh", Secret(""), domain: "a.example")
        let bytes = SessionFile.bytes(of: stored)
        try expect(SessionFile.session(from: bytes, profile: stored.profile), stored)
    }

    @Test func `a named session is the same after writing and reading, and is rejected under a different name`()
        throws
    {
        let stored = StoredSession.sample(as: "ada+ci@example.org")
        let bytes = SessionFile.bytes(of: stored)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""as":"ada+ci@example.org""#))
        try expect(SessionFile.session(from: bytes, profile: "default", name: stored.name), stored)
        #expect(throws: SessionFile.Fault.otherName(stored.name)) {
            try SessionFile.session(from: bytes, profile: "default", name: "ada")
        }
        #expect(throws: SessionFile.Fault.otherName(stored.name)) {
            try SessionFile.session(from: bytes, profile: "default")
        }
        #expect(throws: SessionFile.Fault.otherName(nil)) {
            try SessionFile.session(from: SessionFile.bytes(of: .ada), profile: "default", name: "ada")
        }
    }

    @Test func `a user field at the nesting limit is saved, and a more deeply nested field is dropped`() throws {
        func nested(_ levels: Int) -> JSONValue { (0..<levels).reduce("x") { value, _ in ["a": value] } }
        let stored = StoredSession.sample(
            user: User(fields: [
                "deep": nested(SessionFile.deepestField), "deeper": nested(SessionFile.deepestField + 1),
            ]))
        let (fitted, dropped) = stored.fitted()
        expect(dropped, ["deeper"])
        try expect(SessionFile.session(from: SessionFile.bytes(of: fitted), profile: "default"), fitted)
    }

    @Test(arguments: [0, 1, 100_000])
    func `the largest user fields are dropped until a session fits the file size limit`(others: Int) throws {
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "\u{1}", count: count)) }
        // Each control character takes six bytes in JSON.
        let room = (SessionFile.limit - SessionFile.bytes(of: .sample(user: User(fields: ["a": ""]))).count) / 6
        let stored = StoredSession.sample(user: User(fields: ["a": text(room), "b": text(others)]))
        let (fitted, dropped) = stored.fitted()
        expect(dropped, ["a"])
        let bytes = SessionFile.bytes(of: fitted)
        #expect(bytes.count <= SessionFile.limit)
        try expect(SessionFile.session(from: bytes, profile: "default"), fitted)
    }

    @Test func `a session with too many small user fields keeps about as many as the file size limit allows`() throws {
        let fields = (0..<110_000).map { JSONObject.Member(name: "f\($0)", value: 1) }
        let (fitted, dropped) = StoredSession.sample(user: User(fields: JSONObject(fields))).fitted()
        #expect(SessionFile.bytes(of: fitted).count <= SessionFile.limit)
        #expect(SessionFile.bytes(of: fitted).count > SessionFile.limit * 9 / 10)
        expect(dropped.count + fitted.user.fields.members.count, 110_000)
    }

    @Test func `a session file of exactly the size limit keeps all user fields`() throws {
        let room = SessionFile.limit - SessionFile.bytes(of: .sample(user: User(fields: ["a": ""]))).count
        let stored = StoredSession.sample(user: User(fields: ["a": .string(String(repeating: "x", count: room))]))
        expect(SessionFile.bytes(of: stored).count, SessionFile.limit)
        expect(stored.fitted().session, stored)
    }

    @Test(arguments: [
        "", String(repeating: "x", count: 65_537), "t\r\nX: y", "t\0", "a b", "t\u{85}", "t\u{7F}", "t\n", "é",
    ])
    func `a session file with a malformed token or refresh token is rejected`(token: String) {
        let stored = StoredSession.sample(session: .sample(token))
        expectFault(SessionFile.bytes(of: stored), token)
        let refreshed = StoredSession.sample(session: Session(token: Secret("t"), refreshToken: Secret(token)))
        expectFault(SessionFile.bytes(of: refreshed), token)
    }

    @Test func `a truncated session file is rejected at every length`() {
        let bytes = SessionFile.bytes(of: .ada).dropLast()
        for length in 0..<bytes.count { expectFault(Array(bytes.prefix(length)), "cut at byte \(length)") }
    }

    @Test(arguments: [
        "", "\n", "{}", "[]", "null", "\0", String(repeating: "\0", count: 400), "{\"v\":", "{\"v\":1}",
        "{\"v\":1}\n", "{\"v\":\"1\"}\n", "{\"v\":0}\n", "{\"v\":-1}\n", "{\"v\":1.5}\n",
        "{\"v\":99999999999999999999}\n", "not JSON\n",
    ])
    func `a file that is not a session file is rejected`(text: String) {
        expectFault(Array(text.utf8), text)
    }

    private static let ada = SessionFile.bytes(of: .ada)

    @Test(arguments: [
        (Array(ada.dropLast(2)), "default", SessionFile.Fault.damaged(at: ada.count - 2)),
        (Array("{\"v\":2}".utf8), "default", SessionFile.Fault.newerVersion(2)),
        (ada, "ci", SessionFile.Fault.otherProfile("default")),
    ])
    func `the error about a session file contains the length, the newer version or the other profile`(
        bytes: [UInt8], profile: String, fault: SessionFile.Fault
    ) {
        #expect(throws: fault) { try SessionFile.session(from: bytes, profile: profile) }
    }

    @Test(arguments: ["", #""with":null,"#, #""with":"tele pathy","#, #""with":"","#, #""with":5,"#])
    func `a missing or unknown authentication method in a session file is not an error`(member: String) throws {
        let text = String(decoding: SessionFile.bytes(of: .sample(method: .identity(.facebook))), as: UTF8.self)
        let bytes = Array(text.replacing(#""with":"identity:facebook","#, with: member).utf8)
        try expect(SessionFile.session(from: bytes, profile: "default"), .ada)
    }

    private func expectFault(_ bytes: [UInt8], _ comment: String) {
        #expect(throws: SessionFile.Fault.self, "\(comment)") {
            try SessionFile.session(from: bytes, profile: "default")
        }
    }
}
