import CommandTestSupport
import Foundation
import Platform

@testable import AuthBackends

extension AllauthBackend {
    /// A backend that must send exactly the expected requests.
    static func replaying(_ exchanges: Exchange...) -> AllauthBackend { replaying(exchanges) }

    static func replaying(_ exchanges: [Exchange]) -> AllauthBackend {
        let transport = ReplayingTransport()
        for exchange in exchanges { transport.expect(exchange) }
        return AllauthBackend(
            endpoints: AllauthEndpoints(base: AllauthSample.base),
            server: .replaying(transport, base: AllauthSample.base))
    }
}

extension Exchange {
    /// The credentials of a request.
    enum AllauthSender {
        case anonymous
        /// `X-Session-Token`
        case token(String)
        /// `Authorization: Bearer`
        case bearer(String)

        fileprivate var lines: [String] {
            switch self {
            case .anonymous: []
            case .token(let token): ["X-Session-Token: \(token)"]
            case .bearer(let token): ["Authorization: Bearer \(token)"]
            }
        }
    }

    /// A request to a path below the base URL, and its response.
    static func allauth(
        _ request: String, sending body: String? = nil, as sender: AllauthSender = .anonymous, _ status: Int,
        _ answer: String
    ) -> Exchange {
        Exchange(allauthRequest(request, body, sender), status, answer)
    }

    static func allauth(
        _ request: String, sending body: String? = nil, as sender: AllauthSender = .anonymous, _ error: TransportError
    ) -> Exchange {
        Exchange(allauthRequest(request, body, sender), error)
    }

    private static func allauthRequest(_ request: String, _ body: String?, _ sender: AllauthSender) -> String {
        let (method, path) = (request.prefix { $0 != " " }, request.drop { $0 != " " }.dropFirst())
        var lines = ["\(method) \(AllauthSample.base)/\(path)", "Accept: application/json", "Accept-Language: en"]
        lines += sender.lines
        if let body { lines += ["Content-Type: application/json", "", body] }
        return lines.joined(separator: "\n")
    }

    static func allauthLogIn(sending body: String = AllauthSample.logInByName, _ status: Int, _ answer: String)
        -> Exchange
    {
        allauth("POST auth/login", sending: body, status, answer)
    }

    static func allauthUser(as sender: AllauthSender, _ status: Int, _ answer: String) -> Exchange {
        allauth("GET auth/session", as: sender, status, answer)
    }

    static func allauthProviders(_ ids: String..., as sender: AllauthSender = .token("s1")) -> Exchange {
        allauthProviders(ids, as: sender)
    }

    static func allauthProviders(_ ids: [String], as sender: AllauthSender = .token("s1")) -> Exchange {
        let rows = ids.map { #"{"uid":"\#($0)","provider":{"id":"facebook","name":"Facebook"},"display":"x"}"# }
        let other = #"{"uid":"77","provider":{"id":"google","name":"Google"},"display":"x"}"#
        let data = ([other] + rows).joined(separator: ",")
        return allauth("GET account/providers", as: sender, 200, #"{"status":200,"data":[\#(data)]}"#)
    }

    static let allauthSite = allauth("GET config", 200, AllauthSample.site)
}

/// Samples of an allauth site: its base URL, tokens, request bodies and responses.
enum AllauthSample {
    static let base = "https://a.example/_allauth/app/v1"
    static let logInByName = #"{"username":"ada","password":"secret"}"#
    static let logInByEmail = #"{"email":"ada@example.org","password":"secret"}"#

    static let user = #"{"id":7,"display":"ada","email":"ada@example.org","has_usable_password":true,"username":"ada"}"#
    static let site = site(methods: #""email","username""#)
    static let access = RestAuthSample.jwt(#"{"exp":1700000300,"iat":1700000000,"token_use":"access"}"#)
    static let refresh = RestAuthSample.jwt(#"{"exp":1700086400,"iat":1700000000,"token_use":"refresh"}"#)
    static let access2 = RestAuthSample.jwt(#"{"exp":1700000600,"iat":1700000000,"token_use":"access"}"#)
    static let refresh2 = RestAuthSample.jwt(#"{"exp":1700086700,"iat":1700000000,"token_use":"refresh"}"#)

    /// A 200 response with a logged-in user.
    static func done(token: String?) -> String { done(meta: token.map { #","session_token":"\#($0)""# } ?? "") }

    static func done(meta: String) -> String {
        #"{"status":200,"data":{"user":\#(user),"methods":[]},"meta":{"is_authenticated":true\#(meta)}}"#
    }

    /// A 401 response with only the flows `login` and `signup`.
    static let notLoggedIn = flows("")
    static let dead = #"{"status":410,"data":{"flows":[{"id":"login"}]},"meta":{"is_authenticated":null}}"#

    /// A 401 response in which the flow `id` is pending.
    static func pending(_ id: String, types: String = "[]", token: String? = "p1") -> String {
        let flow = #"{"id":"\#(id)","is_pending":true,"types":\#(types)}"#
        return flows(#",{"id":"password_reset_by_code","is_pending":false},\#(flow)"#, token: token)
    }

    private static func flows(_ more: String, token: String? = nil) -> String {
        let meta = token.map { #","session_token":"\#($0)""# } ?? ""
        return #"{"status":401,"data":{"flows":[{"id":"login"},{"id":"signup"}\#(more)]},"#
            + #""meta":{"is_authenticated":false\#(meta)}}"#
    }

    /// A 401 response that requires the logged-in user to reauthenticate.
    static let reauthentication =
        #"{"status":401,"data":{"user":\#(user),"methods":[],"flows":[{"id":"reauthenticate"}]},"#
        + #""meta":{"is_authenticated":true}}"#

    /// A 400 response with one error.
    static func fault(_ code: String, _ field: String? = nil) -> String {
        let member = field.map { #","param":"\#($0)""# } ?? ""
        return #"{"status":400,"errors":[{"message":"No.","code":"\#(code)"\#(member)}]}"#
    }

    static func site(methods: String, isOpen: Bool = true, facebook: String? = "fbapp") -> String {
        let provider = facebook.map { #",{"id":"facebook","name":"Facebook","client_id":"\#($0)"}"# } ?? ""
        return #"{"status":200,"data":{"account":{"login_methods":[\#(methods)],"is_open_for_signup":\#(isOpen)},"#
            + #""socialaccount":{"providers":[{"id":"google"}\#(provider)]}}}"#
    }
}

extension Session {
    /// A session issued at `sampleNow`.
    static let allauth = Session(token: Secret("s1"), createdAt: .sampleNow)
    static let allauthJWT = Session(
        token: Secret(AllauthSample.access), refreshToken: Secret(AllauthSample.refresh), createdAt: .sampleNow,
        expiresAt: .sampleNow.adding(.seconds(300)))

    /// A saved session. Its replacement, `allauthNew`, keeps the id and `createdAt`.
    static let allauthOld = Session(token: Secret("s1"), id: "5", createdAt: .sampleStart)
    static let allauthNew = Session(token: Secret("s2"), id: "5", createdAt: .sampleStart)
}

extension User {
    static let allauthSeven = User(
        id: "7", username: "ada", email: "ada@example.org", fields: ["has_usable_password": true])
}
