import AuthModel
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// Reads the recorded responses of Supabase Auth.
struct SupabaseReader: RecordingReader {
    let secretNames: Set = [
        "access_token", "refresh_token", "provider_token", "hashed_token", "email_otp", "action_link",
    ]

    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String {
        let payload = try Self.payload(of: response, operation)
        if payload["access_token"] != nil {
            let session = try #require(SupabasePayloads.session(payload, at: .sampleNow, Masker()))
            let isMissing = SupabasePayloads.secondFactor(payload["user"]?.object ?? [:], session).isMissing
            return "session" + (payload["weak_password"]?.object == nil ? "" : ", weak password")
                + (isMissing ? ", first level" : "")
        }
        let required = Self.required(payload, operation) ?? SupabaseErrors.required(for: operation)
        guard !required.mayBeEmpty else { return "ok" }
        if operation == .signUp, payload["confirmation_sent_at"] != nil {
            return SupabasePayloads.pending(payload).map { "pending\($0.mayHaveExisted ? ", existed" : "")" }
                ?? "made up"
        }
        if let users = payload["users"]?.array { return "users(\(users.count))" }
        if payload["hashed_token"] != nil { return "link" }
        if operation == .secondFactor { return "challenge" }
        if operation == .verifyEmail { return "other address" }
        let user = SupabasePayloads.user(payload)
        return "user" + (user.email == nil ? " without e-mail" : user.emailVerified == false ? ", unverified" : "")
            + (user.fields["is_anonymous"] == nil ? "" : ", anonymous")
            + (user.fields["new_email"] == nil ? "" : ", new e-mail")
    }

    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?] {
        let payload = try Self.payload(of: response, operation)
        let rows = payload["users"]?.array?.compactMap(\.object) ?? [payload["user"]?.object ?? payload]
        return rows.map { SupabasePayloads.listedUser($0, at: .sampleNow) } + [
            SupabasePayloads.session(payload, at: .sampleNow, Masker())
        ]
    }

    private static func payload(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> JSONObject {
        let request = HTTPRequest(.post, "https://a.example/")
        // `try?`: an error has no object.
        let object = (try? JSONValue(parsing: response.body))?.object ?? [:]
        return try SupabaseErrors.check(
            ServerResponse(response, to: request, operation, at: .sampleNow, Masker()), required(object, operation))
    }

    /// The content that the requests of an operation require, by the shape of the response.
    private static func required(_ payload: JSONObject, _ operation: AuthModel.Operation) -> Required? {
        switch operation {
        case .listUsers where payload["users"] == nil: payload["id"] == nil ? .nothing : .account()
        case .secondFactor where payload["access_token"] == nil: .account()
        case .impersonate where payload["hashed_token"] != nil: .object
        default: nil
        }
    }
}
