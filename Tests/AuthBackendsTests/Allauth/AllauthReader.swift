import AuthModel
import JSON
import Platform
import Transport

@testable import AuthBackends

/// Reads the responses of django-allauth 65.21.1.
struct AllauthReader: RecordingReader {
    let secretNames: Set = ["session_token", "access_token", "refresh_token", "secret"]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let read = try Self.check(response, operation)
        let gist = read.status == 401 ? try gist(ofUnfinished: read, operation) : gist(of: read, operation)
        guard let session = read.session else { return gist }
        return
            "\(gist), \(read.isAuthenticated ? JWT(session.presentedToken) != nil ? "JWT" : "session" : "token of it")"
    }

    private func gist(of answer: AllauthResponse, _ operation: AuthModel.Operation) -> String {
        switch operation {
        case .describeSite:
            let site = SiteTraits(answer.data)
            let names = [site.takesUsername ? "username" : nil, site.takesEmail ? "email" : nil].compactMap(\.self)
            let facebook = site.providers.first { $0.name == "facebook" }?.clientID ?? "no Facebook"
            return "site(\((names + [site.isOpenForSignUp ? "open" : "closed", facebook]).joined(separator: " ")))"
        case .listSessions, .revokeSessions: return "sessions(\(AllauthPayloads.sessions(answer.data).count))"
        case .listIdentities, .unlinkIdentity: return "identities(\(AllauthPayloads.identities(answer.data).count))"
        case .refresh: return "JWT"
        case .logOut, .requestPasswordReset, .sendVerification: return "ok"
        case .verifyEmail: return AllauthPayloads.user(answer.data) == nil ? "ok" : "user"
        default: return AllauthPayloads.user(answer.data) == nil ? "no user" : "user"
        }
    }

    /// Summarizes a response for a user who is not logged in, or whose login is incomplete.
    private func gist(ofUnfinished answer: AllauthResponse, _ operation: AuthModel.Operation) throws -> String {
        switch operation {
        case .logOut: return "logged out"
        case .revokeSessions: return "ended itself"
        case .signUp where !answer.pending.contains(.verifyEmail): return "created"
        case .verifyEmail where answer.pending.isEmpty: return "now log in"
        case .logIn, .secondFactor, .logInWithIdentity:
            throw AllauthErrors.error(for: answer, operation, Masker())
        default: return "pending \(answer.pending.map(\.rawValue).joined(separator: " "))"
        }
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let answer = try Self.check(response, operation)
        return [
            AllauthPayloads.user(answer.data), AllauthPayloads.sessions(answer.data), answer.session,
            AllauthErrors.error(for: answer, operation, Masker()),
        ]
    }

    private static func check(_ response: HTTPResponse, _ operation: AuthModel.Operation) throws -> AllauthResponse {
        try AllauthErrors.check(
            ServerResponse(response, to: HTTPRequest(.post, "https://a.example/"), operation, at: .sampleNow, Masker()))
    }
}
