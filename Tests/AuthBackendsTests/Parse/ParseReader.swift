import AuthModel
import JSON
import Platform
import Transport

@testable import AuthBackends

/// Reads the recorded responses of Parse Server.
struct ParseReader: RecordingReader {
    let secretNames: Set = ["sessionToken", "access_token", "token", "secret", "recovery", "id"]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let payload = try ParseErrors.check(response, operation)
        let hasToken = ParsePayloads.token(payload, Masker()) != nil
        return switch operation {
        case .signUp, .logInWithIdentity: hasToken ? "session" : "pending"
        case .logIn, .secondFactor: hasToken ? "session" : "none"
        case .updateUser: hasToken ? "session" : "ok"
        case .listUsers: "users(\(payload["results"]?.array?.count ?? 0))"
        case .readUser: payload["results"]?.array.map { "rows(\($0.count))" } ?? summary(of: payload)
        case .currentUser, .logInWithToken, .verifyPassword: summary(of: payload)
        default: "ok"
        }
    }

    private func summary(of payload: JSONObject) -> String {
        if let rows = payload["results"]?.array {
            return
                "sessions(\(rows.compactMap { $0.object.flatMap { ParsePayloads.session($0, currentID: nil) } }.count))"
        }
        if payload["createdWith"] != nil, ParsePayloads.session(payload, currentID: nil) != nil { return "row" }
        let user = ParsePayloads.user(payload)
        return user.id != nil && user.username != nil ? "user" : "nothing"
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let payload = try ParseErrors.check(response, operation)
        let rows = payload["results"]?.array?.compactMap(\.object) ?? [payload]
        return rows.map { ParsePayloads.session($0, currentID: nil) }
            + [
                ParsePayloads.token(payload, Masker()),
                payload["createdWith"] == nil ? ParsePayloads.user(payload) : nil,
            ]
    }
}
