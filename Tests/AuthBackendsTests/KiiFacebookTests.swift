import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct KiiFacebookTests {
    static let identity = FacebookIdentity(id: "1001", .accessToken(Secret("fb-token")))
    static let linkedMe = Exchange.kiiMe(200, KiiSample.linkedUser)
    static let linkedUser = User(id: "u-1", username: "ada", providers: ["facebook"])

    private static func link(_ status: Int = 204, _ answer: String = "") -> Exchange {
        .kii(
            "POST users/me/facebook/link", type: "LinkFacebook", sending: #"{"accessToken":"fb-token"}"#, as: "t1",
            status,
            answer)
    }

    private static func unlink(_ status: Int = 204, _ answer: String = "") -> Exchange {
        .kii("POST users/me/facebook/unlink", as: "t1", status, answer)
    }

    // MARK: - Linking

    @Test func `links an identity, and reads what is linked then`() throws {
        let change = try KiiBackend.replaying(.kiiMe(), Self.link(), Self.linkedMe).linkFacebook(
            Self.identity, to: .kii)
        let status = FacebookStatus(user: Self.linkedUser, link: .linked(id: "1001"))
        #expect(change == Reply(FacebookChange(before: .none, status: status)))
    }

    @Test func `sends nothing where the same identity is linked already`() throws {
        let change = try KiiBackend.replaying(Self.linkedMe).linkFacebook(Self.identity, to: .kii).value
        #expect(!change.hasChanged)
        #expect(change.status.link == .linked(id: "1001"))
    }

    @Test(arguments: [
        ("FACEBOOK_USER_ALREADY_LINKED", "the account is linked with another Facebook identity"),
        ("USER_ALREADY_LINKED", "that Facebook identity belongs to another account"),
    ])
    func `takes no identity the place of which is taken`(code: String, message: String) throws {
        let backend = KiiBackend.replaying(Self.linkedMe, Self.link(409, KiiSample.error(code)))
        let other = FacebookIdentity(id: "1002", .accessToken(Secret("fb-token")))
        let error = try failure { _ = try backend.linkFacebook(other, to: .kii) }
        #expect(error.reason == .identityTaken)
        #expect(error.message == message)
    }

    @Test(arguments: [
        (400, KiiSample.oauth("invalid_grant"), AuthError.Reason.tokenRefused),
        (401, KiiSample.error("UNAUTHORIZED"), .sessionRevoked), (403, KiiSample.error("WRONG_TOKEN"), .sessionRevoked),
        (403, KiiSample.error("OPERATION_NOT_SUPPORTED"), .unsupported), (404, "<html>", .wrongEndpoint),
        (500, KiiSample.error("UNDEFINED_ERROR"), .serverFault), (502, "", .outcomeUnknown), (429, "", .rateLimited),
        (200, "<html>", .brokenAnswer),
    ])
    func `says why it is not linked`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = KiiBackend.replaying(.kiiMe(), Self.link(status, answer))
        #expect(try failure { _ = try backend.linkFacebook(Self.identity, to: .kii) }.reason == reason)
    }

    @Test func `takes no tokens of Limited Login`() throws {
        let identity = FacebookIdentity(id: "1001", .idToken(Secret("a.b.c")))
        #expect(try failure { _ = try KiiBackend.replaying().logIn(facebook: identity) }.reason == .unsupported)
        #expect(!KiiBackend.replaying().facebookTraits.takesIDTokens)
    }

    // MARK: - Unlinking

    @Test func `unlinks, and a second time changes nothing`() throws {
        let backend = KiiBackend.replaying(
            Self.linkedMe, Self.unlink(), .kiiMe(), .kiiMe(), Self.unlink(409, KiiSample.error("USER_NOT_LINKED")),
            .kiiMe())
        let change = try backend.unlinkFacebook(from: .kii).value
        #expect(change == FacebookChange(before: .linked(id: "1001"), status: FacebookStatus(user: .kii, link: .none)))
        #expect(try !backend.unlinkFacebook(from: .kii).value.hasChanged)
    }

    @Test(arguments: [
        (403, KiiSample.error("WRONG_TOKEN"), AuthError.Reason.sessionRevoked),
        (409, KiiSample.error("OPERATION_NOT_ALLOWED"), .forbidden), (502, "", .outcomeUnknown),
    ])
    func `says why it is not unlinked`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = KiiBackend.replaying(Self.linkedMe, Self.unlink(status, answer))
        #expect(try failure { _ = try backend.unlinkFacebook(from: .kii) }.reason == reason)
    }

    @Test(arguments: [
        (#"{"userID":"u"}"#, FacebookLink.none, Bool?.none),
        (#"{"userID":"u","_thirdPartyAccounts":{}}"#, .none, nil),
        (#"{"userID":"u","_thirdPartyAccounts":{"facebook":null}}"#, .none, nil),
        (#"{"userID":"u","_thirdPartyAccounts":{"facebook":{}}}"#, .linked(id: nil), nil),
        (#"{"userID":"u","_thirdPartyAccounts":{"facebook":{"id":1001}}}"#, .linked(id: "1001"), nil),
        (
            #"{"userID":"u","_hasPassword":false,"_thirdPartyAccounts":{"facebook":{"id":"1"}}}"#, .linked(id: "1"),
            false
        ),
        (#"{"userID":"u","_hasPassword":true,"_thirdPartyAccounts":{"facebook":{"id":"1"}}}"#, .linked(id: "1"), nil),
        (
            #"{"userID":"u","_hasPassword":false,"_thirdPartyAccounts":{"facebook":{"id":"1"},"qq":{"id":"2"}}}"#,
            .linked(id: "1"), true
        ),
    ])
    func `is told by the user`(answer: String, link: FacebookLink, hasOtherWayIn: Bool?) throws {
        let status = try KiiBackend.replaying(.kiiMe(200, answer)).facebookStatus(of: .kii).value
        #expect(status.link == link)
        #expect(status.hasOtherWayIn == hasOtherWayIn)
    }

    // MARK: - Logging in

    private static func logIn(_ status: Int, _ answer: String) -> Exchange {
        .kii(
            "POST integration/facebook", type: "AuthTokenFacebook", sending: #"{"accessToken":"fb-token"}"#, status,
            answer)
    }

    @Test(arguments: [(#","new_user_created":true"#, true), (#","new_user_created":false"#, false), ("", false)])
    func `logs in, and says whether the account is new`(more: String, isNew: Bool) throws {
        let answer = #"{"id":"u-1","access_token":"t1","expires_in":3600\#(more)}"#
        let reply = try KiiBackend.replaying(Self.logIn(200, answer), Self.linkedMe).logIn(facebook: Self.identity)
        #expect(reply == Reply(NewSession(user: Self.linkedUser, session: .kii, createdAccount: isNew)))
    }

    @Test(arguments: [
        (400, KiiSample.oauth("invalid_grant"), AuthError.Reason.tokenRefused),
        (401, KiiSample.error("USER_DISABLED"), .accountDisabled),
        (403, KiiSample.error("OPERATION_NOT_SUPPORTED"), .unsupported),
        (404, KiiSample.error("APP_NOT_FOUND"), .badAppKey), (500, "<html>", .outcomeUnknown),
        (200, "{}", .brokenAnswer),
    ])
    func `says why nobody is logged in`(status: Int, answer: String, reason: AuthError.Reason) throws {
        let backend = KiiBackend.replaying(Self.logIn(status, answer))
        #expect(try failure { _ = try backend.logIn(facebook: Self.identity) }.reason == reason)
    }
}
