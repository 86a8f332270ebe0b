import AuthModel
import CommandTestSupport
import Platform
import Transport

@testable import AuthBackends

extension KiiBackend {
    /// A backend that sends exactly the expected requests.
    static func replaying(_ exchanges: Exchange...) -> KiiBackend {
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        return KiiBackend(
            endpoints: KiiEndpoints(site: "https://a.example/api", appID: "app1"),
            transport: transport,
            clock: .fixed(.sampleNow))
    }
}

extension Exchange {
    /// - Parameters:
    ///   - line: method, and path below the application: `POST users`.
    ///   - type: the content type after `application/`; Kii's own types without prefix and suffix: `LinkFacebook`.
    ///   - token: the session token; `nil`: the request has no session.
    static func kii(
        _ line: String, type: String = "json", sending body: String? = nil, as token: String? = nil,
        _ status: Int, _ answer: String = ""
    ) -> Exchange {
        Exchange(kiiRequest(line, type, body, token), status, answer)
    }

    static func kii(
        _ line: String, type: String = "json", sending body: String? = nil, as token: String? = nil,
        _ error: TransportError
    ) -> Exchange {
        Exchange(kiiRequest(line, type, body, token), error)
    }

    private static func kiiRequest(_ line: String, _ type: String, _ body: String?, _ token: String?) -> String {
        let words = line.split(separator: " ", maxSplits: 1)
        // Made with `printf app1:key | base64`.
        let authorization = token.map { "Bearer \($0)" } ?? "Basic YXBwMTprZXk="
        var lines = [
            "\(words[0]) https://a.example/api/apps/app1/\(words[1])", "Accept: */*", "Authorization: \(authorization)",
        ]
        if let body {
            let type = type == "json" ? type : "vnd.kii.\(type)Request+json"
            lines += ["Content-Type: application/\(type)", "", body]
        }
        return lines.joined(separator: "\n")
    }

    /// The request for the current user.
    static func kiiMe(as token: String = "t1", _ status: Int = 200, _ answer: String = KiiSample.user) -> Exchange {
        .kii("GET users/me", as: token, status, answer)
    }

    static func kiiLogIn(
        _ login: String = "ada", _ password: String = "secret", _ status: Int = 200, _ answer: String = KiiSample.token
    ) -> Exchange {
        .kii("POST oauth2/token", sending: KiiSample.logIn(login, password), status, answer)
    }
}

/// Sample responses, from Kii's documents.
enum KiiSample {
    static let user =
        #"{"userID":"u-1","internalUserID":87442786592227328,"loginName":"ada","displayName":"Ada","#
        + #""emailAddress":"ada@example.org","emailAddressVerified":false,"_hasPassword":true,"_disabled":false}"#
    static let linkedUser =
        #"{"userID":"u-1","loginName":"ada","_hasPassword":true,"#
        + #""_thirdPartyAccounts":{"facebook":{"id":"1001","type":"facebook","createdAt":1418290423360}}}"#
    static let token = #"{"id":"u-1","access_token":"t1","expires_in":3600,"token_type":"bearer"}"#
    static let pair =
        #"{"id":"u-1","access_token":"t2","expires_in":3600,"token_type":"bearer","refresh_token":"r2"}"#

    static func logIn(_ login: String, _ password: String = "secret") -> String {
        #"{"grant_type":"password","username":"\#(login)","password":"\#(password)"}"#
    }

    static func error(_ code: String, _ more: String = "") -> String {
        #"{"errorCode":"\#(code)","message":"words of the server"\#(more),"suppressed":[]}"#
    }

    static func oauth(_ code: String) -> String {
        #"{"errorCode":"\#(code)","error":"\#(code)","error_description":"words of the server"}"#
    }
}

extension Session {
    /// The session of a login.
    static let kii = Session(
        token: Secret("t1"), createdAt: .sampleNow, expiresAt: .sampleNow.adding(.seconds(3600)))
    /// An expired session with a refresh token.
    static let kiiOld = Session(
        token: Secret("t1"), refreshToken: Secret("r1"), createdAt: .sampleStart, expiresAt: .sampleStart)
}

extension User {
    static let kii = User(
        id: "u-1", username: "ada", email: "ada@example.org", emailVerified: false, providers: [],
        fields: ["displayName": "Ada"])
}
