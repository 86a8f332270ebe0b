import AuthModel
import JSON
import Platform
import Transport

@testable import AuthBackends

/// Reads the recorded responses of PocketBase.
struct PocketBaseReader: RecordingReader {
    let secretNames: Set = ["token", "accessToken", "refreshToken", "mfaId"]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let payload = try Self.payload(of: response, operation)
        guard !payload.isEmpty, !PocketBaseErrors.required(for: operation).mayBeEmpty else { return "ok" }
        if payload["token"] != nil {
            let session = PocketBasePayloads.session(payload, at: .sampleNow, Masker())
            let isNew = payload["meta"].map { $0["isNew"]?.bool.map { $0 ? ", new" : ", not new" } ?? ", new or not" }
            return "session" + (session?.createdAt == nil ? ", not renewable" : "") + (isNew ?? "")
        }
        if let items = payload["items"]?.array { return "items(\(items.count))" }
        if payload["password"] != nil {
            let site = PocketBasePayloads.site(payload)
            return "by \(PocketBasePayloads.identityFields(payload).joined(separator: ", "))"
                + site.providers.map { ", \($0.name)" }.joined()
        }
        let user = PocketBasePayloads.user(payload)
        return "user" + (user.email == nil ? " without e-mail" : "") + (user.createdAt == nil ? ", no date" : "")
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let payload = try Self.payload(of: response, operation)
        let rows = payload["items"]?.array?.compactMap(\.object) ?? [payload["record"]?.object ?? payload]
        return rows.map(PocketBasePayloads.user) + [PocketBasePayloads.session(payload, at: .sampleNow, Masker())]
    }

    private static func payload(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> JSONObject {
        let request = HTTPRequest(.post, "https://a.example/")
        // The request for a change of the e-mail is answered without a body.
        return try PocketBaseErrors.check(
            ServerResponse(response, to: request, operation, at: .sampleNow, Masker()),
            response.status == 204 ? .nothing : nil)
    }
}
