import AuthModel
import Platform
import Transport

/// The requests of the Graph API and Facebook Login for Devices that require no app secret.
///
/// Tokens are sent in a header or a body, never in a URL, because servers log URLs. Source: documentation of Facebook
/// Login, "Login for Devices" and "Access tokens"; Facebook's SDKs for iOS and Android of June 2026.
struct GraphEndpoints: Sendable {
    /// The base URL without a trailing slash.
    let base: String
    /// The version of the Graph API, as in `BackendSetting.facebookGraphVersion`.
    let version: String

    /// `POST /device/login`: 200 with `code`, `user_code`, `verification_uri`, `expires_in`, `interval`.
    func beginDeviceLogin(_ app: FacebookApp, permissions: [String]) -> HTTPRequest {
        form("device/login", [("access_token", app.accessToken), ("scope", permissions.joined(separator: ","))])
    }

    /// `POST /device/login_status`: 200 with `access_token`, or an error with a subcode until the user enters the code.
    func deviceLogin(_ code: Secret, _ app: FacebookApp) -> HTTPRequest {
        form("device/login_status", [("access_token", app.accessToken), ("code", code.reveal())])
    }

    /// `GET /app`: 200 with the `id` of the app that the token was issued to.
    func app(_ token: Secret) -> HTTPRequest { request(.get, "app?fields=id", token) }

    /// `GET /me`: 200 with the fields that the user has set and allows the app to read.
    func profile(_ token: Secret) -> HTTPRequest {
        request(.get, "me?fields=id,name,first_name,last_name,email", token)
    }

    /// `DELETE /me/permissions`: 200 with `true`, or `{"success":true}`.
    func revokePermissions(_ token: Secret) -> HTTPRequest { request(.delete, "me/permissions", token) }

    private func form(_ path: String, _ fields: [(name: String, value: String)]) -> HTTPRequest {
        let text = fields.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return HTTPRequest(
            .post, "\(base)/\(version)/\(path)",
            headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
            body: Array(text.utf8))
    }

    private func request(_ method: HTTPRequest.Method, _ path: String, _ token: Secret) -> HTTPRequest {
        HTTPRequest(
            method, "\(base)/\(version)/\(path)",
            headers: ["Accept": "application/json", "Authorization": "Bearer \(token.reveal())"]
        )
    }
}

extension FacebookApp {
    /// The access token that identifies the app in requests without a user token.
    fileprivate var accessToken: String { "\(id)|\(clientToken.reveal())" }
}
