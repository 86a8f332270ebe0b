import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

/// Facebook ID tokens, and what Parse and allauth report about login methods other than Facebook.
@Suite struct FacebookIDTokenTests {
    static let identity = IdentityCredential(.facebook, id: "1003", .idToken(Secret("a.b.c")))

    // MARK: - ID tokens

    @Test func `a Facebook ID token is sent to Parse in the token member`() throws {
        let logIn = ParseFacebookTests.logInRequest.replacing(
            #""access_token":"EAAB""#, with: #""token":"a.b.c""#)
        let user = #"{"objectId":"g7/y","username":"ada","sessionToken":"r:abc"}"#
        let session = try ParseBackend.replaying(Exchange(logIn, 200, user)).logIn(Self.identity).value
            .session
        #expect(session.token == Secret("r:abc"))
        let link = ParseFacebookTests.updateRequest(#"{"id":"1003","token":"a.b.c"}"#)
        let backend = ParseBackend.replaying(
            Exchange(Exchange.currentUserRequest, 200, ParseFacebookTests.unlinked), Exchange(link, 200, "{}"))
        #expect(try backend.link(Self.identity, to: .abc).value.hasChanged == true)
    }

    @Test func `a Facebook ID token is sent to allauth in the id_token member`() throws {
        for process in ["login", "connect"] {
            let body =
                #"{"provider":"facebook","process":"\#(process)","#
                + #""token":{"client_id":"fbapp","id_token":"a.b.c"}}"#
            let isLogIn = process == "login"
            let request = Exchange.allauth(
                "POST auth/provider/token", sending: body, as: isLogIn ? .anonymous : .token("s1"), 200,
                AllauthSample.done(token: isLogIn ? "s1" : nil))
            if isLogIn {
                let backend = AllauthBackend.replaying(.allauthSite, request)
                #expect(try backend.logIn(Self.identity).value.session == .allauth)
            } else {
                let backend = AllauthBackend.replaying(
                    .allauthProviders(), .allauthSite, request, .allauthProviders("1003"))
                #expect(try backend.link(Self.identity, to: .allauthOld).value.hasChanged == true)
            }
        }
    }

    @Test func `a Facebook ID token is unsupported on rest-auth and is not sent`() throws {
        for error in [
            try failure { _ = try RestAuthBackend.replaying().logIn(Self.identity) },
            try failure { _ = try RestAuthBackend.replaying().link(Self.identity, to: .key) },
        ] {
            #expect(error.reason == .unsupported)
            error.expectMessage(in: "backends/rest-auth")
        }
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
        #expect(try backend.identities(of: .abc).value.hasLoginMethod(besides: .facebook) == isKnown)
    }

    @Test(
        arguments: [
            (#","has_usable_password":true"#, "", true), (#","has_usable_password":false"#, "", false),
            ("", "", nil),
            (
                #","has_usable_password":false"#, #",{"uid":"7","provider":{"id":"google"},"display":"x"}"#, true
            ),
        ] as [(String, String, Bool?)])
    func `allauth reports other linked identities and whether the account has a password`(
        password: String, others: String, isKnown: Bool?
    ) throws {
        let user = #"{"id":7,"display":"ada"\#(password)}"#
        let session = #"{"status":200,"data":{"user":\#(user)},"meta":{"is_authenticated":true}}"#
        let rows = #"{"uid":"1003","provider":{"id":"facebook"},"display":"x"}\#(others)"#
        let backend = AllauthBackend.replaying(
            .allauthUser(as: .token("s1"), 200, session),
            .allauth("GET account/providers", as: .token("s1"), 200, #"{"status":200,"data":[\#(rows)]}"#))
        #expect(try backend.identities(of: .allauthOld).value.hasLoginMethod(besides: .facebook) == isKnown)
    }
}
