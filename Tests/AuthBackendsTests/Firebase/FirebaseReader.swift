import AuthModel
import JSON
import Platform
import Transport

@testable import AuthBackends

/// Reads the recorded responses of the Firebase emulator.
struct FirebaseReader: RecordingReader {
    let secretNames: Set = [
        "idToken", "refreshToken", "id_token", "access_token", "refresh_token", "salt", "oauthAccessToken",
        "oauthIdToken", "mfaPendingCredential", "sessionInfo",
    ]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let payload = try Self.payload(of: response, operation)
        switch operation {
        case .currentUser, .logInWithToken:
            let object = FirebasePayloads.lookedUp(payload) ?? [:]
            let user = FirebasePayloads.whole(object)
            let providers = (FirebasePayloads.hasPassword(object) ? ["password"] : []) + (user.providers ?? [])
            return "user" + (user.lacksEmail ? " without e-mail" : "") + providers.map { ", \($0)" }.joined()
        case .listUsers:
            return "users(\(Self.users(payload).count))" + (payload["nextPageToken"] == nil ? "" : ", more")
        default:
            guard FirebasePayloads.session(payload, at: .sampleNow, Masker()) != nil else { return "ok" }
            return "session" + (payload["isNewUser"]?.bool == true ? ", new" : "")
        }
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let payload = try Self.payload(of: response, operation)
        let rows = Self.users(payload)
        return (rows.isEmpty ? [payload] : rows).map { FirebasePayloads.listedUser($0) }
            + [FirebasePayloads.session(payload, at: .sampleNow, Masker())]
    }

    private static func users(_ payload: JSONObject) -> [JSONObject] {
        payload["users"]?.array?.compactMap(\.object) ?? []
    }

    private static func payload(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> JSONObject {
        try FirebaseErrors.check(
            ServerResponse(
                response, to: HTTPRequest(.post, "https://a.example/"), operation, at: .sampleNow, Masker()))
    }
}
