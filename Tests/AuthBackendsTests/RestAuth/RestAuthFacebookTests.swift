import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// Facebook logins, link status, and unlinking.
@Suite struct RestAuthFacebookTests {
    static let one = #"[{"id":3,"provider":"facebook","uid":"1001","last_login":null}]"#
    static let two =
        #"[{"id":3,"provider":"facebook","uid":"1001"},{"id":9,"provider":"google","uid":"g"},"#
        + #"{"id":4,"provider":"facebook","uid":"1002"}]"#
    static let tokenBody = #"{"access_token":"fb-token"}"#
    static let identity = IdentityCredential(.facebook, .accessToken(Secret("fb-token")))

    static func list(_ answer: String, _ status: Int = 200) -> Exchange {
        .get("socialaccounts/", as: "Token 0a1b", status, answer)
    }

    @Test func `a rest-auth Facebook login sends only the access token`() throws {
        let backend = RestAuthBackend.replaying(
            .post("facebook/", Self.tokenBody, 200, RestAuthSample.key), .keyUser)
        // The site does not report whether it created the account.
        let logIn = NewSession(user: .seven, session: .key, createdAccount: nil)
        #expect(try backend.logIn(Self.identity) == Reply(logIn))
    }

    @Test func `a rest-auth Facebook login uses the login path set in the profile`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["socialLoginPath.facebook": "social/fb/"],
            .post("social/fb/", Self.tokenBody, 200, RestAuthSample.pair))
        let logIn = NewSession(user: .seven, session: .restAuthJWT, createdAccount: nil)
        #expect(try backend.logIn(Self.identity) == Reply(logIn))
    }

    @Test(arguments: [
        ("[]", [], nil), (one, ["facebook 1001"], nil), (two, ["facebook 1001", "google g", "facebook 1002"], true),
        (#"{"count":1,"next":null,"results":\#(one)}"#, ["facebook 1001"], nil),
        (#"[{"id":9,"provider":"google","uid":"g"}]"#, ["google g"], true),
    ])
    func `a rest-auth link status lists all identities and shows whether a provider besides Facebook is linked`(
        answer: String, identities: [String], hasOther: Bool?
    ) throws {
        let backend = RestAuthBackend.replaying(Self.list(answer), .keyUser)
        let status = try backend.identities(of: .key).value
        #expect(status.user.identities?.map { "\($0.provider) \($0.id ?? "")" } == identities)
        #expect(status.hasLoginMethod(besides: .facebook) == hasOther)
    }

    @Test func `a rest-auth unlink disconnects every linked Facebook identity`() throws {
        let backend = RestAuthBackend.replaying(
            .keyUser, Self.list(Self.two),
            .post("socialaccounts/3/disconnect/", "{}", as: "Token 0a1b", 200, "{}"),
            .post("socialaccounts/4/disconnect/", "{}", as: "Token 0a1b", 404, #"{"detail":"Not found."}"#))
        let change = try backend.unlink(.facebook, from: .key).value
        #expect(change.before == .linked(ids: ["1001", "1002"]))
        #expect(change.after == .none)
        #expect(change.user.identities == [Identity(provider: "google", id: "g")])
    }

    @Test func `a server error during a rest-auth unlink is reported as a server fault`() throws {
        let backend = RestAuthBackend.replaying(
            .keyUser, Self.list(Self.one),
            .post("socialaccounts/3/disconnect/", "{}", as: "Token 0a1b", 500, "<html>"))
        let error = try failure { _ = try backend.unlink(.facebook, from: .key) }
        #expect(error.reason == .serverFault)
        error.expectMessage(in: "backends/rest-auth")
    }

    @Test func `the id of a rest-auth identity is percent-encoded as one path segment`() throws {
        let backend = RestAuthBackend.replaying(
            .keyUser, Self.list(#"[{"id":"../logout/?","provider":"facebook","uid":"1"}]"#),
            .post("socialaccounts/..%2Flogout%2F%3F/disconnect/", "{}", as: "Token 0a1b", 200, "{}"))
        #expect(throws: Never.self) { try backend.unlink(.facebook, from: .key) }
    }
}
