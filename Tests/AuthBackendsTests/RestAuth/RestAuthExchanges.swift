import CommandTestSupport
import Foundation

@testable import AuthBackends

extension RestAuthBackend {
    /// A backend that must send exactly the expected requests, apart from the probe for the login view.
    static func replaying(paths: [String: String] = [:], _ exchanges: Exchange...) -> RestAuthBackend {
        replaying(paths: paths, atSite: true, exchanges)
    }

    /// - Parameter atSite: whether the login view answers the probe. If so, `exchanges` must not contain the probe.
    static func replaying(paths: [String: String] = [:], atSite: Bool, _ exchanges: [Exchange]) -> RestAuthBackend {
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        return RestAuthBackend(
            endpoints: RestAuthEndpoints(base: "https://a.example/auth", paths: paths),
            server: .replaying(
                atSite ? SiteTransport(inner: transport) : transport, base: "https://a.example/auth"))
    }
}

/// A site whose login view rejects GET with the 405 response of Django REST framework.
private struct SiteTransport: HTTPTransport {
    let inner: ReplayingTransport

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        guard request.method == .get, request.url.hasSuffix("/login/") else { return try inner.send(request) }
        return HTTPResponse(status: 405, body: Array(#"{"detail":"Method \"GET\" not allowed."}"#.utf8))
    }
}

extension Exchange {
    /// A `POST` request below the base URL, and its response.
    ///
    /// - Parameter authorization: the `Authorization` header; `nil` for a request without this header, such as a login.
    static func post(
        _ path: String, _ body: String, as authorization: String? = nil, _ status: Int, _ answer: String,
        headers: HTTPHeaders = [:], cookie: String? = nil
    ) -> Exchange {
        Exchange(restAuthRequest("POST", path, body, authorization, cookie), status, answer, headers: headers)
    }

    static func post(
        _ path: String, _ body: String, as authorization: String? = nil, _ error: TransportError
    ) -> Exchange {
        Exchange(restAuthRequest("POST", path, body, authorization), error)
    }

    static func get(
        _ path: String, as authorization: String? = nil, _ status: Int, _ answer: String, headers: HTTPHeaders = [:]
    ) -> Exchange {
        Exchange(restAuthRequest("GET", path, nil, authorization), status, answer, headers: headers)
    }

    private static func restAuthRequest(
        _ method: String, _ path: String, _ body: String?, _ authorization: String?, _ cookie: String? = nil
    ) -> String {
        var lines = ["\(method) https://a.example/auth/\(path)", "Accept: application/json", "Accept-Language: en"]
        if let authorization { lines.append("Authorization: \(authorization)") }
        if body != nil { lines.append("Content-Type: application/json") }
        if let cookie { lines.append("Cookie: \(cookie)") }
        if let body { lines += ["", body] }
        return lines.joined(separator: "\n")
    }

    static let keyUser = get("user/", as: "Token 0a1b", 200, RestAuthSample.user)
    static let restAuthJWTUser = get("user/", as: "Bearer \(RestAuthSample.access)", 200, RestAuthSample.user)
}

/// Samples of users, tokens and responses from rest-auth sites.
enum RestAuthSample {
    static let user = #"{"pk":7,"username":"ada","email":"ada@example.org","first_name":"","last_name":""}"#
    static let key = #"{"key":"0a1b"}"#
    static let access = jwt(#"{"token_type":"access","exp":1700000300,"iat":1700000000,"user_id":"7"}"#)
    static let refresh = jwt(#"{"token_type":"refresh","exp":1700086400,"iat":1700000000,"user_id":"7"}"#)
    static let pair = #"{"access":"\#(access)","refresh":"\#(refresh)","user":\#(user)}"#

    /// A second user, followed by that user's tokens.
    static let otherUser = #"{"pk":8,"username":"eve","email":"eve@example.org"}"#
    static let otherAccess = jwt(#"{"token_type":"access","exp":1700000300,"iat":1700000000,"user_id":"8"}"#)
    static let otherRefresh = jwt(#"{"token_type":"refresh","exp":1700086400,"iat":1700000000,"user_id":"8"}"#)
    static let otherPair = #"{"access":"\#(otherAccess)","refresh":"\#(otherRefresh)","user":\#(otherUser)}"#

    static func jwt(_ content: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#) -> String {
        "\(base64URL(header)).\(base64URL(content)).c2lnbmF0dXJl"
    }

    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }
}

extension Session {
    static let key = Session(token: Secret("0a1b"))
    /// A session issued at `sampleNow` and valid for five minutes from then, regardless of the site's clock.
    static let restAuthJWT = Session(
        token: Secret(RestAuthSample.access), refreshToken: Secret(RestAuthSample.refresh), createdAt: .sampleNow,
        expiresAt: .sampleNow.adding(.seconds(300)))
    static let jwtWithoutRefreshToken = Session(
        token: Secret(RestAuthSample.access), createdAt: .sampleNow, expiresAt: .sampleNow.adding(.seconds(300)))
}

extension User {
    static let seven = User(
        id: "7", username: "ada", email: "ada@example.org", fields: ["first_name": "", "last_name": ""])
}

extension Credentials {
    static func typed(_ login: String, _ password: String = "secret") -> Credentials {
        Credentials(login: login, password: Secret(password))
    }
}
