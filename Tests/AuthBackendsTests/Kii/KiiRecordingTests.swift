import AuthModel
import CommandTestSupport
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// The responses in Kii's documents and one for each documented error code, read by the operations that could get
/// them.
@Suite struct KiiRecordingTests {
    @Test func `documented responses of Kii are read as the table says`() throws {
        let found = try ReasonTable.lines(of: .kii, calls: \.kiiCalls, reading: reading)
        try ReasonTable.expect(found, areThoseOf: .kii)
    }

    @Test func `errors documented by Kii have the messages of the snapshot`() throws {
        var messages = MessageTable()
        try messages.addErrors(
            of: .kii, calls: \.kiiCalls, operation: { $1.operation },
            check: {
                _ = try Self.payload(of: $0, $1)
            })
        messages.expect(in: "backends/kii")
    }

    @Test func `every documented response of Kii belongs to an operation`() throws {
        #expect(try RecordedAnswer.all(of: .kii).filter(\.kiiCalls.isEmpty).map(\.request) == [])
    }

    /// The summary of a successful response.
    private func reading(of answer: RecordedAnswer, _ call: Call) throws -> String {
        let payload = try Self.payload(of: answer, call.operation)
        switch call {
        case .signUp: return "created, \(name(of: KiiPayloads.firstSession(payload, at: .sampleNow, Masker())))"
        case .logIn, .refresh, .facebookLogIn:
            let isNew = payload["new_user_created"]?.bool ?? false
            return name(of: KiiPayloads.session(payload, at: .sampleNow, Masker())) + (isNew ? ", new account" : "")
        case .session, .token:
            let link = KiiPayloads.me(payload).identities?.first?.id.map { ", linked with \($0)" } ?? ""
            return (KiiPayloads.user(payload).id == nil ? "no user" : "user") + link
        case .passwordChange, .reset, .resend, .verification, .facebookLink, .facebookUnlink: return "ok"
        }
    }

    private static func payload(of answer: RecordedAnswer, _ operation: AuthModel.Operation) throws -> JSONObject {
        let request = HTTPRequest(.post, "https://a.example/")
        return try KiiErrors.check(answer.response, to: request, operation, now: .sampleNow, Masker())
    }

    private func name(of session: Session?) -> String {
        guard let session else { return "no session" }
        return session.refreshToken == nil ? "session" : "session with refresh"
    }
}

extension RecordedAnswer {
    /// The calls of the client that could get this response.
    fileprivate var kiiCalls: [Call] {
        let path = request.split(separator: " ").last ?? ""
        switch path.split(separator: "/").last.map(String.init) {
        case "users": return [.signUp]
        case "token": return [.logIn, .refresh]
        case "me" where path == "/users/me": return [.session, .token]
        case "password": return [.passwordChange]
        case "request-reset", "complete-reset": return [.reset]
        case "verify": return [.verification]
        case "resend-verification": return [.resend]
        case "facebook": return [.facebookLogIn]
        case "link": return [.facebookLink]
        case "unlink": return [.facebookUnlink]
        // Another user, and an address that belongs to another user.
        case _ where method == .get: return [.session]
        case "email-address", "phone-number": return [.signUp]
        default: return []
        }
    }
}

/// The calls by their names in the table of reasons.
private enum Call {
    case signUp, logIn, refresh, session, token, passwordChange, reset, resend, verification, facebookLogIn,
        facebookLink, facebookUnlink

    var operation: AuthModel.Operation {
        switch self {
        case .signUp: .signUp
        case .logIn: .logIn
        case .refresh: .refresh
        case .session: .currentUser
        case .token: .logInWithToken
        case .passwordChange: .changePassword
        case .reset: .requestPasswordReset
        case .resend: .sendVerification
        case .verification: .verifyEmail
        case .facebookLogIn: .logInWithIdentity
        case .facebookLink: .linkIdentity
        case .facebookUnlink: .unlinkIdentity
        }
    }
}
