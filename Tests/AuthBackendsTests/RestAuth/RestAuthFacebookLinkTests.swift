import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

/// The response to a link request logs in the owner of the identity, who may be a user other than the caller.
@Suite struct RestAuthFacebookLinkTests {
    static let foreign = #"{"key":"foreign-key"}"#
    static let identity = IdentityCredential(.facebook, .accessToken(Secret("fb-token")))

    private func connect(_ status: Int = 200, _ answer: String = RestAuthSample.key) -> Exchange {
        .post("facebook/connect/", RestAuthFacebookTests.tokenBody, as: "Token 0a1b", status, answer)
    }

    private func link(
        _ backend: RestAuthBackend, _ identity: IdentityCredential = identity, to session: Session = .key
    ) throws -> IdentityChange {
        let reply = try backend.link(identity, to: session)
        #expect(reply.replacement == nil)
        return reply.value
    }

    private func status(_ ids: String...) -> IdentityStatus {
        IdentityStatus(user: .seven, link: .linked(ids: ids))
    }

    @Test func `linking Facebook on rest-auth uses the profile's link path and requires no identity list`() throws {
        let backend = RestAuthBackend.replaying(
            paths: ["socialConnectPath.facebook": "fb/link/"], .keyUser, RestAuthFacebookTests.list("<html>", 404),
            .post("fb/link/", RestAuthFacebookTests.tokenBody, as: "Token 0a1b", 200, RestAuthSample.key))
        let change = try link(backend, IdentityCredential(.facebook, id: "1001", .accessToken(Secret("fb-token"))))
        #expect(change.after == .linked(id: "1001"))
    }

    @Test func `the JWTs in the response to a rest-auth Facebook link are revoked`() throws {
        let list = Exchange.get(
            "socialaccounts/", as: "Bearer \(RestAuthSample.access)", 200, RestAuthFacebookTests.one)
        let given = #"{"access":"\#(RestAuthSample.otherAccess)","refresh":"\#(RestAuthSample.otherRefresh)","#
        let change = try link(
            .replaying(
                .restAuthJWTUser, list,
                .post(
                    "facebook/connect/", RestAuthFacebookTests.tokenBody, as: "Bearer \(RestAuthSample.access)", 200,
                    given + #""user":\#(RestAuthSample.user)}"#),
                .post("logout/", #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#, 200, "{}"), list),
            to: .restAuthJWT)
        #expect(change.hasChanged == false)
    }

    @Test func `a different user's key in the response to a link means that the identity is taken`() throws {
        let error = try failure {
            _ = try link(.replaying(.keyUser, RestAuthFacebookTests.list("[]"), connect(200, Self.foreign)))
        }
        #expect(error.reason == .identityTaken)
        #expect(!error.allTexts.contains("foreign-key"))
        error.expectMessage(in: "backends/rest-auth")
    }

    @Test func `a different user's JWTs in the response to a link are revoked, and the identity is taken`() throws {
        let error = try failure { _ = try linkWithJWTs(answer: RestAuthSample.otherPair) }
        #expect(error.reason == .identityTaken)
        for secret in [RestAuthSample.otherAccess, RestAuthSample.otherRefresh] {
            #expect(!error.allTexts.contains(secret))
        }
    }

    /// A 401 response to the request for the user rejects the JWT from the link response, not the saved session.
    @Test(arguments: [
        (200, RestAuthSample.otherUser, AuthError.Reason.identityTaken),
        (401, #"{"detail":"Token is blacklisted","code":"token_not_valid"}"#, .invalidResponse),
        (401, #"{"detail":"User is inactive","code":"user_inactive"}"#, .invalidResponse),
        (500, "<html>", .invalidResponse),
        (200, #"{"email":"eve@example.org"}"#, .invalidResponse),
    ])
    func `if a link response has JWTs but no user, the backend requests the user and then revokes the JWTs`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let given = #"{"access":"\#(RestAuthSample.otherAccess)","refresh":"\#(RestAuthSample.otherRefresh)"}"#
        let owner = Exchange.get("user/", as: "Bearer \(RestAuthSample.otherAccess)", status, answer)
        #expect(try failure { _ = try linkWithJWTs(answer: given, owner) }.reason == reason)
    }

    private func linkWithJWTs(answer: String, _ question: Exchange? = nil) throws -> IdentityChange {
        let bearer = "Bearer \(RestAuthSample.access)"
        let transport = ReplayingTransport(
            .restAuthJWTUser, .get("socialaccounts/", as: bearer, 200, "[]"),
            .post("facebook/connect/", RestAuthFacebookTests.tokenBody, as: bearer, 200, answer))
        if let question { transport.expect(question) }
        transport.expect(.post("logout/", #"{"refresh":"\#(RestAuthSample.otherRefresh)"}"#, 200, "{}"))
        let backend = RestAuthBackend(
            endpoints: RestAuthEndpoints(base: "https://a.example/auth"),
            server: .replaying(transport, base: "https://a.example/auth"))
        return try link(backend, to: .restAuthJWT)
    }

    @Test(arguments: [(204, ""), (200, "{}"), (200, #"{"detail":"ok"}"#)])
    func `a link response that does not name the owner of the identity is an invalid response`(
        status: Int, answer: String
    ) throws {
        let error = try failure {
            _ = try link(.replaying(.keyUser, RestAuthFacebookTests.list("[]"), connect(status, answer)))
        }
        #expect(error.reason == .invalidResponse)
        error.expectMessage(in: "backends/rest-auth")
    }
}
