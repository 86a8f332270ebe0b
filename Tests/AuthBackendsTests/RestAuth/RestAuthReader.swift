import AuthModel
import JSON
import Platform
import Transport

@testable import AuthBackends

/// Reads the recorded responses of rest-auth 0.9.5 and dj-rest-auth 7.2.0.
struct RestAuthReader: RecordingReader {
    let secretNames: Set = ["key", "access", "refresh", "ephemeral_token"]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let payload = try Self.payload(of: response, operation)
        return switch operation {
        case .signUp, .logIn, .secondFactor, .logInWithIdentity, .linkIdentity:
            name(of: try RestAuthPayloads.grant(payload.object ?? [:], at: .sampleNow, Masker()), operation)
        case .currentUser, .logInWithToken: RestAuthPayloads.namedUser(payload) == nil ? "nothing" : "user"
        case .refresh: payload["refresh"] == nil ? "refreshed" : "refreshed with refresh"
        case .listIdentities: "accounts(\(RestAuthPayloads.socialAccounts(payload).count))"
        default: "ok"
        }
    }

    private func name(of grant: RestAuthPayloads.Grant, _ operation: AuthModel.Operation) -> String {
        switch grant {
        case .session(let session, _) where !session.isJWT: "session key"
        case .session(let session, _) where session.refreshToken == nil: "session web-token without refresh"
        case .session: "session web-token"
        case .secondFactor: "second-factor"
        case .notice: operation == .signUp ? "pending" : "no session"
        case .nothing: operation == .signUp ? "created" : "no session"
        }
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let payload = try Self.payload(of: response, operation)
        let object = payload.object ?? [:]
        return [
            RestAuthPayloads.user(object), RestAuthPayloads.socialAccounts(payload),
            try RestAuthPayloads.grant(object, at: .sampleNow, Masker()),
        ]
    }

    private static func payload(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> JSONValue {
        try RestAuthErrors.check(
            ServerResponse(response, to: HTTPRequest(.post, "https://a.example/"), operation, at: .sampleNow, Masker()))
    }
}
