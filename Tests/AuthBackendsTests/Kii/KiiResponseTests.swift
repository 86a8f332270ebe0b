import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct KiiResponseTests {
    @Test func `an error about a missing user or session has the status`() throws {
        let noUser = try failure { _ = try KiiBackend.replaying(.kiiMe(200, "{}")).currentUser(.kii) }
        #expect(noUser.server?.status == 200)
        let logIn = KiiBackend.replaying(.kiiLogIn("ada", "secret", 200, "{}"))
        #expect(try failure { _ = try logIn.logIn(.typed("ada")) }.server?.status == 200)
        let anonymous = KiiBackend.replaying(
            .kii("POST users", type: "RegistrationAndAuthorization", sending: "{}", 201, #"{"userID":"u-1"}"#))
        #expect(try failure { _ = try anonymous.logInAnonymously(identity: "x") }.server?.status == 201)
    }

    @Test func `a response that holds the key of the application in a name is read unchanged`() throws {
        let body = #"{"userID":"u-1","loginName":"tester1","_accessToken":"t1"}"#
        let backend = KiiBackend(
            endpoints: KiiEndpoints(site: "https://a.example/api", appID: "app1", appKey: Secret("test")),
            transport: OneAnswer(answer: HTTPResponse(status: 201, body: Array(body.utf8))),
            clock: .fixed(.sampleNow))
        let account = NewAccount(username: "ada", password: Secret("pass-w0rd"))
        let session = Session(token: Secret("t1"), createdAt: .sampleNow)
        let user = User(id: "u-1", username: "tester1")
        #expect(
            try backend.signUp(account)
                == Reply(.session(NewSession(user: user, session: session, createdAccount: true))))
    }

    @Test func `no token becomes a field of a user`() throws {
        let answer =
            #"{"userID":"u-1","_accessToken":"t1","_refreshToken":"r1","access_token":"t1","password":"x","token":"t1"}"#
        let backend = KiiBackend.replaying(
            .kii("POST users", type: "RegistrationAndAuthorization", sending: "{}", 201, answer))
        #expect(try backend.logInAnonymously(identity: "x").value.user == User(id: "u-1"))
    }
}
