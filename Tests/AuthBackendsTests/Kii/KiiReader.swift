import AuthModel
import JSON
import Platform
import Transport

@testable import AuthBackends

/// Reads the responses in `Exchanges/kii`, which are based on Kii's documentation and SDKs.
struct KiiReader: RecordingReader {
    let secretNames: Set = ["access_token", "refresh_token"]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let payload = try Self.payload(of: response, operation)
        switch operation {
        case .signUp: return "created, \(name(of: KiiPayloads.firstSession(payload, at: .sampleNow, Masker())))"
        case .logIn, .refresh, .logInWithIdentity:
            let isNew = payload["new_user_created"]?.bool ?? false
            return name(of: KiiPayloads.session(payload, at: .sampleNow, Masker())) + (isNew ? ", new account" : "")
        case .currentUser, .logInWithToken:
            let link = KiiPayloads.me(payload).identities?.first?.id.map { ", linked with \($0)" } ?? ""
            return (KiiPayloads.user(payload).id == nil ? "no user" : "user") + link
        default: return "ok"
        }
    }

    private func name(of session: Session?) -> String {
        guard let session else { return "no session" }
        return session.refreshToken == nil ? "session" : "session with refresh"
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let payload = try Self.payload(of: response, operation)
        return [KiiPayloads.me(payload), KiiPayloads.session(payload, at: .sampleNow, Masker())]
    }

    private static func payload(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> JSONObject {
        let request = HTTPRequest(.post, "https://a.example/")
        return try KiiErrors.check(ServerResponse(response, to: request, operation, at: .sampleNow, Masker()))
    }
}

/// Errors in the formats that Kii documents.
enum KiiSample {
    static func error(_ code: String) -> String {
        #"{"errorCode":"\#(code)","message":"words of the server","suppressed":[]}"#
    }

    static func oauth(_ code: String) -> String {
        #"{"errorCode":"\#(code)","error":"\#(code)","error_description":"words of the server"}"#
    }
}
