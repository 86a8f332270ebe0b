import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// All responses of rest-auth 0.9.5 and dj-rest-auth 7.2.0, read by the operations that could get them.
@Suite struct RestAuthRecordingTests {
    @Test func `recorded responses of rest-auth are read as the table says`() throws {
        let found = try ReasonTable.lines(of: .restAuth, calls: \.restAuthCalls, reading: reading)
        try ReasonTable.expect(found, areThoseOf: .restAuth)
    }

    @Test func `errors recorded from rest-auth have the messages of the snapshot`() throws {
        var messages = MessageTable()
        try messages.addErrors(
            of: .restAuth, calls: \.restAuthCalls, operation: { $1.operation },
            check: {
                _ = try Self.payload(of: $0, $1)
            })
        messages.expect(in: "backends/rest-auth")
    }

    @Test func `every recorded response of rest-auth belongs to an operation`() throws {
        #expect(try RecordedAnswer.all(of: .restAuth).filter(\.restAuthCalls.isEmpty).map(\.request) == [])
    }

    @Test func `users, sessions and errors read from rest-auth hold no secret`() throws {
        var secretsSeen: Set<String> = []
        for answer in try RecordedAnswer.all(of: .restAuth) {
            // `try?`: an HTML page has no members.
            let body = try? JSONValue(parsing: answer.response.body)
            let secrets = Self.secrets(in: body)
            let text = answer.restAuthCalls.map { Self.everything(in: answer, $0) }.joined()
            for secret in secrets where text.contains(secret) { Issue.record("\(answer.name): \(secret)") }
            secretsSeen.formUnion(secrets)
        }
        // Without secrets, the search below would prove nothing.
        #expect(secretsSeen.filter { $0.count == 40 }.count > 10, "keys")
        #expect(secretsSeen.filter { $0.hasPrefix("eyJ") }.count > 50, "JWTs")
        #expect(secretsSeen.filter { $0.hasPrefix("1:") }.count == 2, "tokens of a second factor")
    }
}

// MARK: - Reading

extension RestAuthRecordingTests {
    /// The summary of a successful response.
    private func reading(of answer: RecordedAnswer, _ call: Call) throws -> String {
        let payload = try Self.payload(of: answer, call.operation)
        switch call {
        case .signUp, .logIn, .secondFactor, .facebookLogIn, .facebookLink:
            return name(of: try RestAuthPayloads.grant(payload.object ?? [:], at: .sampleNow, Masker()), call)
        case .session, .token: return RestAuthPayloads.namedUser(payload) == nil ? "nothing" : "user"
        case .refresh: return payload["refresh"] == nil ? "refreshed" : "refreshed with refresh"
        case .socialAccounts: return "accounts(\(RestAuthPayloads.socialAccounts(payload).count))"
        case .logOut, .passwordChange, .reset, .resend, .verification, .disconnect: return "ok"
        }
    }

    private func name(of grant: RestAuthPayloads.Grant, _ call: Call) -> String {
        switch grant {
        case .session(let session, _) where !session.isJWT: "session key"
        case .session(let session, _) where session.refreshToken == nil: "session web-token without refresh"
        case .session: "session web-token"
        case .secondFactor: "second-factor"
        case .notice: call == .signUp ? "pending" : "no session"
        case .nothing: call == .signUp ? "created" : "no session"
        }
    }

    private static func payload(of answer: RecordedAnswer, _ operation: AuthModel.Operation) throws -> JSONValue {
        try RestAuthErrors.check(
            answer.response, to: HTTPRequest(.post, "https://a.example/"), operation, now: .sampleNow, Masker())
    }

    /// Every value that the client reads from a response, as text.
    private static func everything(in answer: RecordedAnswer, _ call: Call) -> String {
        var text = ""
        do {
            let payload = try payload(of: answer, call.operation)
            let object = payload.object ?? [:]
            dump(RestAuthPayloads.user(object), to: &text)
            dump(try RestAuthPayloads.grant(object, at: .sampleNow, Masker()), to: &text)
            dump(RestAuthPayloads.socialAccounts(payload), to: &text)
        } catch {
            dump(error, to: &text)
        }
        return text
    }

    private static func secrets(in body: JSONValue?) -> [String] {
        ["key", "access", "refresh", "ephemeral_token"].compactMap { body?[$0]?.string }.filter { !$0.isEmpty }
    }
}

extension RecordedAnswer {
    /// The calls of the client that could get this response.
    fileprivate var restAuthCalls: [Call] {
        switch request.split(separator: " ").last.map(String.init) {
        case "/registration/": [.signUp]
        case "/login/", "/login", "/xyz/login/", "../rest-auth/login/", "../dj-rest-auth/login/": [.logIn]
        case "/mfa/verify/": [.secondFactor]
        case "/user/" where method == .get: [.session, .token]
        case "/user/", "/user", "/nope/", "../": [.session]
        case "/logout/": [.logOut]
        case "/token/refresh/": [.refresh]
        case "/password/change/": [.passwordChange]
        case "/password/reset/": [.reset]
        case "/registration/resend-email/": [.resend]
        case "/registration/verify-email/": [.verification]
        case "/facebook/": [.facebookLogIn]
        case "/facebook/connect/": [.facebookLink]
        case "/socialaccounts/": [.socialAccounts]
        case "/socialaccounts/:id/disconnect/": [.disconnect]
        default: []
        }
    }
}

/// The calls by their names in the table of reasons.
private enum Call {
    case signUp, logIn, secondFactor, session, token, logOut, refresh, passwordChange, reset, resend, verification,
        facebookLogIn, facebookLink, socialAccounts, disconnect

    var operation: AuthModel.Operation {
        switch self {
        case .signUp: .signUp
        case .logIn: .logIn
        case .secondFactor: .secondFactor
        case .session: .currentUser
        case .token: .logInWithToken
        case .logOut: .logOut
        case .refresh: .refresh
        case .passwordChange: .changePassword
        case .reset: .requestPasswordReset
        case .resend: .sendVerification
        case .verification: .verifyEmail
        case .facebookLogIn: .logInWithIdentity
        case .facebookLink: .linkIdentity
        case .socialAccounts: .listIdentities
        case .disconnect: .unlinkIdentity
        }
    }
}
