import AuthModel
import CommandTestSupport
import JSON
import Platform
import Synchronization
import Testing
import Transport

@testable import AuthBackends

/// A login sends several requests, and a server may repeat the password in the response to any of them.
@Suite struct FollowUpSecrecyTests {
    static let password = Secret("pass-w0rd")
    static let credentials = Credentials(login: "ada", password: password)
    static let facebook = FacebookIdentity(id: "1001", .accessToken(Secret("fb-token")))
    static let masked: JSONObject = ["note": "x <redacted>"]

    /// Answers every path with 200 and the body of the first entry that the path ends with.
    private struct Server: HTTPTransport {
        let bodies: [(end: String, body: String)]

        func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
            let body = bodies.first { request.url.hasSuffix($0.end) }?.body ?? "no body for \(request.url)"
            return HTTPResponse(status: 200, body: Array(body.utf8))
        }
    }

    private func transport(_ bodies: [(end: String, body: String)]) -> any HTTPTransport {
        RedactingTransport(Server(bodies: bodies))
    }

    private func user(_ outcome: LogInOutcome) throws -> User {
        guard case .session(let logIn) = outcome else { throw AuthError(.internal, "no session") }
        return logIn.user
    }

    // MARK: - rest-auth

    private func restAuth(_ secret: String, logIn: String = #"{"key":"0a1b"}"#) -> RestAuthBackend {
        let user = #"{"pk":7,"username":"ada","note":"x \#(secret)"}"#
        return RestAuthBackend(
            endpoints: RestAuthEndpoints(base: "https://a.example"),
            transport: transport([
                ("/user/", user), ("/login/", logIn), ("/registration/", #"{"key":"0a1b"}"#),
                ("/facebook/", #"{"key":"0a1b"}"#), ("/verify/", #"{"key":"0a1b"}"#),
            ]), clock: .fixed(.sampleNow))
    }

    @Test func `the user of a rest-auth login does not show the password`() throws {
        let backend = restAuth("pass-w0rd")
        #expect(try user(backend.logIn(Self.credentials).value).fields == Self.masked)
        guard case .session(let new) = try backend.signUp(NewAccount(username: "ada", password: Self.password)).value
        else { throw AuthError(.internal, "no session") }
        #expect(new.user.fields == Self.masked)
    }

    @Test func `the user of a rest-auth login with a second factor does not show the password`() throws {
        let backend = restAuth("pass-w0rd", logIn: #"{"ephemeral_token":"1:x:y","mfa_required":true}"#)
        let outcome = try backend.logIn(Self.credentials, code: Secret("74a4-3c2e")).value
        #expect(try user(outcome).fields == Self.masked)
    }

    @Test func `the user of a rest-auth login with Facebook does not show the Facebook token`() throws {
        #expect(try restAuth("fb-token").logIn(facebook: Self.facebook).value.user.fields == Self.masked)
    }

    // MARK: - allauth

    @Test func `the user of an allauth login with a second factor does not show the password`() throws {
        let user = #"{"id":7,"username":"ada","note":"x pass-w0rd"}"#
        let done = #"{"status":200,"data":{"user":\#(user)},"meta":{"is_authenticated":true,"session_token":"s1"}}"#
        let transport = ScriptedAnswers([(401, AllauthSample.pending("mfa_authenticate")), (200, done)])
        let backend = AllauthBackend(
            endpoints: AllauthEndpoints(base: AllauthSample.base), transport: RedactingTransport(transport),
            clock: .fixed(.sampleNow))
        let outcome = try backend.logIn(Self.credentials, code: Secret("74a4-3c2e")).value
        #expect(try self.user(outcome).fields == Self.masked)
    }

    // MARK: - Kii

    private func kii(_ secret: String) -> KiiBackend {
        KiiBackend(
            endpoints: KiiEndpoints(site: "https://a.example/api", appID: "app1"),
            transport: transport([
                ("/users/me", #"{"userID":"u-1","loginName":"ada","note":"x \#(secret)"}"#),
                ("/token", KiiSample.token), ("/facebook", KiiSample.token), ("/link", "{}"),
            ]), clock: .fixed(.sampleNow))
    }

    @Test func `the user of a Kii login does not show the password`() throws {
        #expect(try user(kii("pass-w0rd").logIn(Self.credentials).value).fields == Self.masked)
    }

    @Test func `the user of a Kii login or link with Facebook does not show the Facebook token`() throws {
        #expect(try kii("fb-token").logIn(facebook: Self.facebook).value.user.fields == Self.masked)
        let change = try kii("fb-token").linkFacebook(Self.facebook, to: .kii).value
        #expect(change.status.user.fields == Self.masked)
    }

    // MARK: - Parse

    private func parse(_ secret: String) -> ParseBackend {
        let user = #"{"objectId":"1","username":"ada","sessionToken":"r:abc-1","note":"x \#(secret)"}"#
        return ParseBackend(
            endpoints: ParseEndpoints(base: "https://a.example", appID: "app"),
            transport: transport([
                ("/users/me", user), ("/users", user), ("/login", user),
                ("/sessions/me", #"{"objectId":"\#(secret)"}"#),
            ]),
            traits: ParseBackend.Traits(asksForSession: true, confirmsKeys: false, takesIDTokens: false),
            clock: .fixed(.sampleNow))
    }

    @Test func `the session id of a Parse signup or login does not show the password`() throws {
        guard case .session(let logIn) = try parse("pass-w0rd").logIn(Self.credentials).value else {
            throw AuthError(.internal, "no session")
        }
        #expect(logIn.session.id == "<redacted>")
        let account = NewAccount(username: "ada", password: Self.password)
        guard case .session(let signUp) = try parse("pass-w0rd").signUp(account).value else {
            throw AuthError(.internal, "no session")
        }
        #expect(signUp.session.id == "<redacted>")
    }

    @Test func `the user of an anonymous Parse login does not show the identity`() throws {
        let new = try parse("anon-0707").logInAnonymously(identity: "anon-0707").value
        #expect(new.user.fields == Self.masked)
        #expect(new.session.id == "<redacted>")
    }

    @Test func `the session id of a Parse login with Facebook does not show the Facebook token`() throws {
        #expect(try parse("fb-token").logIn(facebook: Self.facebook).value.session.id == "<redacted>")
    }

    // MARK: - Names

    @Test func `a login is not another user's because the server changes the case of the address`() throws {
        let backend = ParseBackend(
            endpoints: ParseEndpoints(base: "https://a.example", appID: "app"),
            transport: transport([
                ("/login", #"{"objectId":"1","email":"ada@test.example","username":"ada","sessionToken":"r:abc-1"}"#)
            ]),
            traits: ParseBackend.Traits(asksForSession: false, confirmsKeys: false, takesIDTokens: false),
            clock: .fixed(.sampleNow))
        let credentials = Credentials(login: "Ada@Test.example", password: Secret("ada@test"))
        #expect(try user(backend.logIn(credentials).value).email == "ada@test.example")
    }

    // MARK: - Fields of a signup

    @Test func `the fields that the user typed at a signup do not show the password`() throws {
        let account = NewAccount(
            username: "ada", password: Self.password, fields: ["note": "x PASS-w0rd", "list": [["pass-w0rd", 1]]])
        let shown: JSONObject = ["note": "x <redacted>", "list": [["<redacted>", 1]]]
        #expect(account.shownFields == shown)
        #expect(ParsePayloads.user(["objectId": "1"], from: account).fields == shown)
        #expect(KiiPayloads.user(["userID": "1"], from: account).fields == shown)
        let restAuth = RestAuthBackend(
            endpoints: RestAuthEndpoints(base: "https://a.example"), transport: ScriptedAnswers([(204, "")]),
            clock: .fixed(.sampleNow))
        guard case .created(let user) = try restAuth.signUp(account).value else {
            throw AuthError(.internal, "no account")
        }
        #expect(user.fields == shown)
        let allauth = AllauthBackend(
            endpoints: AllauthEndpoints(base: AllauthSample.base),
            transport: ScriptedAnswers([(401, AllauthSample.pending("verify_email"))]), clock: .fixed(.sampleNow))
        guard case .pending(_, let waiting) = try allauth.signUp(account).value else {
            throw AuthError(.internal, "nothing is pending")
        }
        #expect(waiting.fields == shown)
    }
}

/// Gives its answers one after the other, as JSON; the last one again and again.
private final class ScriptedAnswers: HTTPTransport {
    private let answers: [(status: Int, body: String)]
    private let count = Mutex(0)

    init(_ answers: [(Int, String)]) {
        self.answers = answers
    }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let index = count.withLock { count in
            defer { count += 1 }
            return count
        }
        let answer = answers[min(index, answers.count - 1)]
        var response = HTTPResponse(status: answer.status, body: Array(answer.body.utf8))
        // `try?`: a body need not be JSON. Backends without `RedactingTransport` read it here.
        response.json = try? JSONValue(parsing: response.body)
        return response
    }
}
