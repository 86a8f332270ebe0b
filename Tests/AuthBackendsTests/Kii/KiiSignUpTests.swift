import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

@Suite struct KiiSignUpTests {
    static let account = NewAccount(username: "ada", email: "ada@example.org", password: Secret("secret"))
    static let body = #"{"loginName":"ada","emailAddress":"ada@example.org","password":"secret"}"#
    static let known = User(id: "u-1", username: "ada", email: "ada@example.org")

    private static func oneCall(_ status: Int, _ answer: String, sending body: String = body) -> Exchange {
        .kii("POST users", type: "RegistrationAndAuthorization", sending: body, status, answer)
    }

    @Test func `a signup takes the session that comes with the account`() throws {
        let backend = KiiBackend.replaying(
            Self.oneCall(201, #"{"userID":"u-1","_accessToken":"t1","_refreshToken":"r1"}"#))
        let session = Session(token: Secret("t1"), refreshToken: Secret("r1"), createdAt: .sampleNow)
        #expect(
            try backend.signUp(Self.account)
                == Reply(.session(NewSession(user: Self.known, session: session, createdAccount: true))))
    }

    @Test(arguments: [
        #"{"userID":"u-1"}"#, #"{"userID":"u-1","_accessToken":null}"#, #"{"userID":"u-1","_accessToken":""}"#,
        #"{"userID":"u-1","_accessToken":"two words"}"#, #"{"userID":"u-1","access_token":"t1"}"#,
        #"{"userID":"u-1","loginName":"ada","emailAddress":"ada@example.org"}"#,
    ])
    func `a signup without a session has created the account`(answer: String) throws {
        let backend = KiiBackend.replaying(Self.oneCall(201, answer))
        #expect(try backend.signUp(Self.account) == Reply(.created(Self.known)))
    }

    @Test func `a signup rejected with 415 is sent again without the request for a session`() throws {
        let backend = KiiBackend.replaying(
            Self.oneCall(415, "<html>Unsupported Media Type</html>"),
            .kii("POST users", type: "Registration", sending: Self.body, 201, #"{"userID":"u-1"}"#))
        #expect(try backend.signUp(Self.account) == Reply(.created(Self.known)))
    }

    @Test(arguments: [
        (400, KiiSample.error("INVALID_INPUT_DATA"), AuthError.Reason.invalidFields),
        (409, KiiSample.error("USER_ALREADY_EXISTS"), .usernameTaken),
        (500, KiiSample.error("UNDEFINED_ERROR"), .serverFault), (200, "{}", .brokenAnswer),
        (200, #"{"userID":null,"_accessToken":"t1"}"#, .brokenAnswer),
    ])
    func `a signup is sent once after any other rejection`(
        status: Int, answer: String, reason: AuthError.Reason
    ) throws {
        let backend = KiiBackend.replaying(Self.oneCall(status, answer))
        #expect(try failure { _ = try backend.signUp(Self.account) }.reason == reason)
    }

    @Test func `a signup sends names, phone number and fields`() throws {
        let body =
            #"{"displayName":"Ada","country":"GB","age":36,"loginName":"ada","phoneNumber":"+441234567","password":"secret"}"#
        let backend = KiiBackend.replaying(Self.oneCall(201, #"{"userID":"u-1"}"#, sending: body))
        let account = NewAccount(
            username: "ada", phone: "+441234567", password: Secret("secret"),
            fields: ["displayName": "Ada", "country": "GB", "age": 36])
        let user = User(
            id: "u-1", username: "ada", fields: ["phoneNumber": "+441234567"])
        #expect(try backend.signUp(account) == Reply(.created(user)))
    }

    @Test func `fields of a signup cannot replace names and password`() throws {
        let body = #"{"loginName":"ada","phoneNumber":"0312345678","country":"JP","password":"secret"}"#
        let backend = KiiBackend.replaying(Self.oneCall(201, #"{"userID":"u-1"}"#, sending: body))
        let account = NewAccount(
            username: "ada", password: Secret("secret"),
            fields: ["loginName": "eve", "phoneNumber": "0312345678", "country": "JP", "password": "x"])
        // Members keep their places.
        let expected = #"{"loginName":"ada","phoneNumber":"0312345678","country":"JP","password":"secret"}"#
        #expect(JSONValue.object(KiiAccount(account).fields).text == expected)
        #expect(throws: Never.self) { try backend.signUp(account) }
    }

    @Test(arguments: [
        ("loginName", AuthError.Reason.usernameTaken, "username"), ("emailAddress", .emailTaken, "email"),
        ("phoneNumber", .usernameTaken, "phone"),
    ])
    func `a taken name is reported with its field`(field: String, reason: AuthError.Reason, ours: String) throws {
        let answer = KiiSample.error("USER_ALREADY_EXISTS", #","field":"\#(field)","value":"x""#)
        let error = try failure { _ = try KiiBackend.replaying(Self.oneCall(409, answer)).signUp(Self.account) }
        #expect(error.reason == reason)
        #expect(error.fields.map(\.field) == [ours])
        error.expectMessage(in: "backends/kii", field)
        #expect(
            error.server
                == ServerDetail(
                    status: 409, code: "USER_ALREADY_EXISTS", message: "words of the server"))
    }

    @Test(arguments: ["loginName", "phoneNumber", "displayName"])
    func `a rejected field is named, with the text of the server`(field: String) throws {
        let answer = KiiSample.error("INVALID_INPUT_DATA", #","field":"\#(field)""#)
        let error = try failure { _ = try KiiBackend.replaying(Self.oneCall(400, answer)).signUp(Self.account) }
        #expect(error.reason == .invalidFields)
        error.expectMessage(in: "backends/kii", field)
    }

    @Test func `a password too short without a minimum length shows the text of the server`() throws {
        let answer = KiiSample.error("PASSWORD_TOO_SHORT")
        let error = try failure { _ = try KiiBackend.replaying(Self.oneCall(400, answer)).signUp(Self.account) }
        error.expectMessage(in: "backends/kii")
    }

    @Test(arguments: [nil, "ada@example.org"])
    func `a name with @ is the e-mail`(email: String?) throws {
        let body = #"{"emailAddress":"ada@example.org","password":"secret"}"#
        let backend = KiiBackend.replaying(Self.oneCall(201, #"{"userID":"u-1"}"#, sending: body))
        let account = NewAccount(username: "ada@example.org", email: email, password: Secret("secret"))
        #expect(try backend.signUp(account) == Reply(.created(User(id: "u-1", email: "ada@example.org"))))
    }

    @Test func `a short password is rejected with the minimum length`() throws {
        let answer = KiiSample.error("PASSWORD_TOO_SHORT", #","minimumLength":6"#)
        let error = try failure { _ = try KiiBackend.replaying(Self.oneCall(400, answer)).signUp(Self.account) }
        #expect(error.reason == .weakPassword)
        error.expectMessage(in: "backends/kii")
    }

    // MARK: - Anonymous users

    @Test func `an anonymous login creates an account without a name`() throws {
        let backend = KiiBackend.replaying(
            Self.oneCall(
                201, #"{"userID":"u-9","_accessToken":"t9","_hasPassword":false,"_disabled":false}"#, sending: "{}"))
        let logIn = NewSession(
            user: User(id: "u-9"), session: Session(token: Secret("t9"), createdAt: .sampleNow),
            createdAccount: true)
        #expect(try backend.logInAnonymously(identity: "x") == Reply(logIn))
    }

    @Test(arguments: [
        (201, #"{"userID":"u-9"}"#, AuthError.Reason.brokenAnswer),
        (403, KiiSample.error("OPERATION_NOT_SUPPORTED"), .unsupported),
    ])
    func `an anonymous login without a session is rejected`(status: Int, answer: String, reason: AuthError.Reason)
        throws
    {
        let backend = KiiBackend.replaying(Self.oneCall(status, answer, sending: "{}"))
        #expect(try failure { _ = try backend.logInAnonymously(identity: "x") }.reason == reason)
    }
}
