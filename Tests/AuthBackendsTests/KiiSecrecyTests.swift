import AuthModel
import Testing
import Transport

@testable import AuthBackends

/// A server may repeat what it was sent, in any member.
@Suite struct KiiSecrecyTests {
    static let endpoints = KiiEndpoints(site: "https://a.example/api", appID: "app1", appKey: Secret("app-k3y"))
    static let secrets = [
        "pass-w0rd", "new-w0rd", "t0ken-1", "refresh-1", "fb-token", "v-code", "app-k3y", "YXBwMTphcHAtazN5",
    ]

    static let keys = ["app-k3y", "YXBwMTphcHAtazN5"]

    /// Every request with something in it that nobody else may see.
    static let requests: [(HTTPRequest, Operation)] = {
        let session = Session(token: Secret("t0ken-1"), refreshToken: Secret("refresh-1"))
        let password = Secret("pass-w0rd")
        let account = KiiAccount(NewAccount(username: "ada", password: password))
        return [
            (endpoints.signUpWithSession(account), .signUp), (endpoints.signUp(account), .signUp),
            (endpoints.logIn("ada", password), .logIn), (endpoints.refresh(Secret("refresh-1")), .refresh),
            (endpoints.logIn(facebook: Secret("fb-token")), .logInWithFacebook),
            (endpoints.currentUser(session), .currentUser), (endpoints.currentUser(session), .logInWithToken),
            (endpoints.changePassword(from: password, to: Secret("new-w0rd"), session), .changePassword),
            (endpoints.resetPassword(.email("a@x.org")), .requestPasswordReset),
            (endpoints.resendVerification(session), .sendVerification),
            (endpoints.verify("v-code", session), .verifyEmail),
            (endpoints.linkFacebook(Secret("fb-token"), session), .linkFacebook),
            (endpoints.unlinkFacebook(session), .unlinkFacebook),
        ]
    }()

    @Test(arguments: [200, 400, 401, 403, 404, 409, 429, 500, 502])
    func `no error repeats what was sent in secret`(status: Int) throws {
        for (request, call) in Self.requests {
            let text =
                request.headers.fields.map(\.value).joined() + String(decoding: request.body ?? [], as: UTF8.self)
            // What stands in the header is a pair, encoded.
            let isNobody = text.contains("YXBwMTphcHAtazN5")
            let sent = Self.secrets.filter { text.contains($0) || isNobody && $0 == "app-k3y" }
            #expect(!sent.isEmpty)
            for (type, body) in Self.answers(repeating: sent.joined(separator: " ")) {
                // Keys of the application are masked in errors alone.
                let sent = status == 200 && type != "text/html" ? sent.filter { !Self.keys.contains($0) } : sent
                let response = HTTPResponse(status: status, headers: ["Content-Type": type], body: Array(body.utf8))
                var shown = ""
                do {
                    _ = try KiiErrors.check(response.redacted(for: request), to: request, call, now: .sampleNow)
                } catch {
                    dump(error, to: &shown)
                }
                for secret in sent where shown.contains(secret) {
                    Issue.record("\(call), \(type), \(status): \(secret) in \(shown)")
                }
            }
        }
    }

    private static func answers(repeating text: String) -> [(type: String, body: String)] {
        [
            (
                "application/vnd.kii.ValidationException+json",
                #"{"errorCode":"INVALID_INPUT_DATA","message":"\#(text)","field":"\#(text)","value":"\#(text)"}"#
            ),
            ("application/json", #"{"errorCode":"\#(text)","message":"\#(text)"}"#),
            ("application/json", #"{"errorCode":"USER_ALREADY_EXISTS","field":"\#(text)","message":"\#(text)"}"#),
            ("application/json", #"{"errorCode":"x","error":"\#(text)","error_description":"\#(text)"}"#),
            ("application/json", #"{"message":"\#(text)"}"#), ("application/json", #"["\#(text)"]"#),
            ("text/html", "<html><title>\(text)</title><p>\(text)</p></html>"), ("text/plain", "\(text)"),
        ]
    }

    @Test func `an error about a missing user or session tells the status`() throws {
        let noUser = try failure { _ = try KiiBackend.replaying(.kiiMe(200, "{}")).currentUser(.kii) }
        #expect(noUser.server?.status == 200)
        let logIn = KiiBackend.replaying(.kiiLogIn("ada", "secret", 200, "{}"))
        #expect(try failure { _ = try logIn.logIn(.typed("ada")) }.server?.status == 200)
        let anonymous = KiiBackend.replaying(
            .kii("POST users", type: "RegistrationAndAuthorization", sending: "{}", 201, #"{"userID":"u-1"}"#))
        #expect(try failure { _ = try anonymous.logInAnonymously(identity: "x") }.server?.status == 201)
    }

    @Test func `a response that repeats the key of the application is read as it is`() throws {
        let body = #"{"userID":"u-1","loginName":"tester1","_accessToken":"t1"}"#
        let backend = KiiBackend(
            endpoints: KiiEndpoints(site: "https://a.example/api", appID: "app1", appKey: Secret("test")),
            transport: RedactingTransport(OneAnswer(answer: HTTPResponse(status: 201, body: Array(body.utf8)))),
            clock: .fixed(.sampleNow))
        let account = NewAccount(username: "ada", password: Secret("pass-w0rd"))
        guard case .session(let new) = try backend.signUp(account).value else {
            Issue.record("there is no session")
            return
        }
        #expect(new.user.username == "tester1")
    }

    @Test func `no token becomes a field of a user`() throws {
        let answer =
            #"{"userID":"u-1","_accessToken":"t1","_refreshToken":"r1","access_token":"t1","password":"x","token":"t1"}"#
        let backend = KiiBackend.replaying(
            .kii("POST users", type: "RegistrationAndAuthorization", sending: "{}", 201, answer))
        #expect(try backend.logInAnonymously(identity: "x").value.user == User(id: "u-1", providers: []))
    }
}
