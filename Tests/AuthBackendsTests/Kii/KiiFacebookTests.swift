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

    @Test func `a link reads the linked identity afterwards`() throws {
        let change = try KiiBackend.replaying(.kiiMe(), Self.link(), Self.linkedMe).linkFacebook(
            Self.identity, to: .kii)
        let status = FacebookStatus(user: Self.linkedUser, link: .linked(id: "1001"))
        #expect(change == Reply(FacebookChange(before: .none, status: status)))
    }

    @Test func `an identity that is linked already is not sent`() throws {
        let change = try KiiBackend.replaying(Self.linkedMe).linkFacebook(Self.identity, to: .kii).value
        #expect(change.hasChanged == false)
        #expect(change.status.link == .linked(id: "1001"))
    }

    @Test(arguments: [
        "FACEBOOK_USER_ALREADY_LINKED", "USER_ALREADY_LINKED",
    ])
    func `a taken identity cannot be linked`(code: String) throws {
        let backend = KiiBackend.replaying(Self.linkedMe, Self.link(409, KiiSample.error(code)))
        let other = FacebookIdentity(id: "1002", .accessToken(Secret("fb-token")))
        let error = try failure { _ = try backend.linkFacebook(other, to: .kii) }
        #expect(error.reason == .identityTaken)
        error.expectMessage(in: "backends/kii", code)
    }

    @Test func `ID tokens of Limited Login are unsupported`() throws {
        let identity = FacebookIdentity(id: "1001", .idToken(Secret("a.b.c")))
        let error = try failure { _ = try KiiBackend.replaying().logIn(facebook: identity) }
        #expect(error.reason == .unsupported)
        error.expectMessage(in: "backends/kii")
        #expect(!KiiBackend.replaying().facebookTraits.takesIDTokens)
    }

    // MARK: - Unlinking

    @Test func `an unlink changes nothing the second time`() throws {
        let backend = KiiBackend.replaying(
            Self.linkedMe, Self.unlink(), .kiiMe(), .kiiMe(), Self.unlink(409, KiiSample.error("USER_NOT_LINKED")),
            .kiiMe())
        let change = try backend.unlinkFacebook(from: .kii).value
        #expect(change == FacebookChange(before: .linked(id: "1001"), status: FacebookStatus(user: .kii, link: .none)))
        #expect(try backend.unlinkFacebook(from: .kii).value.hasChanged == false)
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
    func `the Facebook status is read from the user`(answer: String, link: FacebookLink, hasOtherLoginMethod: Bool?)
        throws
    {
        let status = try KiiBackend.replaying(.kiiMe(200, answer)).facebookStatus(of: .kii).value
        #expect(status.link == link)
        #expect(status.hasOtherLoginMethod == hasOtherLoginMethod)
    }

    // MARK: - Logging in

    private static func logIn(_ status: Int, _ answer: String) -> Exchange {
        .kii(
            "POST integration/facebook", type: "AuthTokenFacebook", sending: #"{"accessToken":"fb-token"}"#, status,
            answer)
    }

    @Test(arguments: [(#","new_user_created":true"#, true), (#","new_user_created":false"#, false), ("", false)])
    func `a Facebook login says whether it created the account`(more: String, isNew: Bool) throws {
        let answer = #"{"id":"u-1","access_token":"t1","expires_in":3600\#(more)}"#
        let reply = try KiiBackend.replaying(Self.logIn(200, answer), Self.linkedMe).logIn(facebook: Self.identity)
        #expect(reply == Reply(NewSession(user: Self.linkedUser, session: .kii, createdAccount: isNew)))
    }
}
