import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// All responses of django-allauth 65.21.1, read by the operations that could get them.
@Suite struct AllauthRecordingTests {
    @Test func `recorded responses of allauth are read as the table says`() throws {
        let found = try ReasonTable.lines(of: .allauth, calls: \.allauthCalls, reading: reading)
        try ReasonTable.expect(found, areThoseOf: .allauth)
    }

    @Test func `errors recorded from allauth have the messages of the snapshot`() throws {
        var messages = MessageTable()
        try messages.addErrors(
            of: .allauth, calls: \.allauthCalls, operation: { $1.operation },
            check: {
                let answer = try Self.check($0, $1)
                if answer.status == 401, [.logIn, .secondFactor, .logInWithIdentity].contains($1) {
                    throw AllauthErrors.error(for: answer, $1, Masker())
                }
            })
        messages.expect(in: "backends/allauth")
    }

    @Test func `every recorded response of allauth belongs to an operation`() throws {
        #expect(try RecordedAnswer.all(of: .allauth).filter(\.allauthCalls.isEmpty).map(\.request) == [])
    }

    @Test func `users and errors read from allauth hold no secret`() throws {
        var secretsSeen: Set<String> = []
        for answer in try RecordedAnswer.all(of: .allauth) {
            // `try?`: an HTML page has no members.
            let meta = (try? JSONValue(parsing: answer.response.body))?["meta"]
            let names = ["session_token", "access_token", "refresh_token", "secret"]
            let secrets = names.compactMap { meta?[$0]?.string }
            let text = answer.allauthCalls.map { Self.everything(in: answer, $0) }.joined()
            for secret in secrets where text.contains(secret) { Issue.record("\(answer.name): \(secret)") }
            secretsSeen.formUnion(secrets)
        }
        // Without secrets, the search below would prove nothing.
        #expect(secretsSeen.count >= 50)
    }
}

// MARK: - Reading

extension AllauthRecordingTests {
    /// The summary of a successful response.
    private func reading(of answer: RecordedAnswer, _ call: Call) throws -> String {
        let read = try Self.check(answer, call.operation)
        let gist = read.status == 401 ? try gist(ofUnfinished: read, call) : gist(of: read, call)
        guard let session = read.session else { return gist }
        return "\(gist), \(read.isAuthenticated ? session.isJWT ? "JWT" : "session" : "token of it")"
    }

    private func gist(of answer: AllauthResponse, _ call: Call) -> String {
        switch call {
        case .configuration:
            let site = SiteTraits(answer.data)
            let names = [site.takesUsername ? "username" : nil, site.takesEmail ? "email" : nil].compactMap(\.self)
            let parts =
                names + [
                    site.isOpenForSignUp ? "open" : "closed",
                    site.providers.first { $0.name == "facebook" }?.clientID ?? "no Facebook",
                ]
            return "site(\(parts.joined(separator: " ")))"
        case .signUp, .logIn, .secondFactor, .session, .token, .facebookLogIn, .facebookLink, .passwordChange:
            return AllauthPayloads.user(answer.data) == nil ? "no user" : "user"
        case .sessions, .endSession: return "sessions(\(AllauthPayloads.sessions(answer.data).count))"
        case .providers, .disconnect: return "identities(\(AllauthPayloads.identities(answer.data).count))"
        case .refresh: return "JWT"
        case .logOut, .reset, .resend: return "ok"
        case .verification: return AllauthPayloads.user(answer.data) == nil ? "ok" : "user"
        }
    }

    /// The reading of a response for a user who is not logged in, or whose login is incomplete.
    private func gist(ofUnfinished answer: AllauthResponse, _ call: Call) throws -> String {
        switch call {
        case .logOut: return "logged out"
        case .endSession: return "ended itself"
        case .signUp where !answer.pending.contains(.verifyEmail): return "created"
        case .verification where answer.pending.isEmpty: return "now log in"
        case .facebookLogIn where answer.pending.contains(.providerSignUp): return "pending provider_signup"
        case .logIn, .secondFactor, .facebookLogIn: throw AllauthErrors.error(for: answer, call.operation, Masker())
        default: return "pending \(answer.pending.map(\.rawValue).joined(separator: " "))"
        }
    }

    private static func check(_ answer: RecordedAnswer, _ operation: AuthModel.Operation) throws -> AllauthResponse {
        try AllauthErrors.check(
            answer.response, to: HTTPRequest(.post, "https://a.example/"), operation, now: .sampleNow, Masker())
    }

    /// Every value that the client reads from a response and may show, as text.
    private static func everything(in answer: RecordedAnswer, _ call: Call) -> String {
        var text = ""
        do {
            let answer = try check(answer, call.operation)
            dump(AllauthPayloads.user(answer.data), to: &text)
            dump(AllauthPayloads.sessions(answer.data), to: &text)
            dump(answer.session, to: &text)
            dump(AllauthErrors.error(for: answer, call.operation, Masker()), to: &text)
        } catch {
            dump(error, to: &text)
        }
        return text
    }
}

extension RecordedAnswer {
    /// The calls of the client that could get this response.
    fileprivate var allauthCalls: [Call] {
        switch request {
        case "GET /config": [.configuration]
        case "GET /nope", "GET ../v2/auth/session": [.configuration, .session]
        case "GET ../../browser/v1/auth/session": [.session]
        case "POST /auth/signup", "GET /auth/signup": [.signUp]
        case "POST /auth/login", "POST /auth/login/", "POST ../../browser/v1/auth/login": [.logIn]
        case "POST /auth/2fa/authenticate": [.secondFactor]
        case "GET /auth/session", "PUT /auth/session": [.session, .token]
        case "DELETE /auth/session": [.logOut]
        case "POST /tokens/refresh": [.refresh]
        case "GET /auth/sessions": [.sessions]
        case "DELETE /auth/sessions": [.endSession]
        case "POST /account/password/change": [.passwordChange]
        case "POST /auth/password/request": [.reset]
        case "PUT /account/email", "POST /auth/email/verify/resend": [.resend]
        case "POST /auth/email/verify": [.verification]
        case "POST /auth/provider/token": [.facebookLogIn, .facebookLink]
        case "POST /auth/provider/token login": [.facebookLogIn]
        case "POST /auth/provider/token connect": [.facebookLink]
        case "GET /account/providers", "GET /auth/provider/signup": [.providers]
        case "DELETE /account/providers": [.disconnect]
        // Any call with a session could get the remaining responses.
        default:
            ["account", "reauthenticate"].contains { request.split(separator: "/").contains($0) } ? [.session] : []
        }
    }
}

/// The calls by their names in the table of reasons.
private enum Call {
    case configuration, signUp, logIn, secondFactor, session, token, logOut, refresh, sessions, endSession,
        passwordChange, reset, resend, verification, facebookLogIn, facebookLink, providers, disconnect

    var operation: AuthModel.Operation {
        switch self {
        case .configuration: .describeSite
        case .signUp: .signUp
        case .logIn: .logIn
        case .secondFactor: .secondFactor
        case .session: .currentUser
        case .token: .logInWithToken
        case .logOut: .logOut
        case .refresh: .refresh
        case .sessions: .listSessions
        case .endSession: .revokeSessions
        case .passwordChange: .changePassword
        case .reset: .requestPasswordReset
        case .resend: .sendVerification
        case .verification: .verifyEmail
        case .facebookLogIn: .logInWithIdentity
        case .facebookLink: .linkIdentity
        case .providers: .listIdentities
        case .disconnect: .unlinkIdentity
        }
    }
}
