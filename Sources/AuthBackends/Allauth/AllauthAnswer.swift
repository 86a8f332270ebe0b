import AuthModel
import JSON
import Platform
import Transport

/// The envelope of every JSON answer: `{"status", "data", "meta", "errors"}`, of which only `status` is always there.
struct AllauthAnswer {
    let status: Int
    let data: JSONValue
    let errors: [Fault]
    /// The session that takes the place of the one the call was made with, or begins here. Any answer may bring one.
    let session: Session?
    /// Whether somebody is logged in, as the server sees it.
    let isAuthenticated: Bool
    /// What must be done before somebody is.
    let pending: [Flow]

    /// `{"message", "code", "param"?}`.
    struct Fault: Equatable {
        let code: String
        let message: String
        let parameter: String?
    }

    /// A step of an unfinished log-in, by `id`.
    enum Flow: String {
        case verifyEmail = "verify_email"
        case secondFactor = "mfa_authenticate"
        case providerSignUp = "provider_signup"
        case logInByCode = "login_by_code"
        case resetByCode = "password_reset_by_code"
        case reauthenticate
        case reauthenticateSecondFactor = "mfa_reauthenticate"
    }

    /// `nil` if the body is no such envelope.
    ///
    /// - Parameter now: when it came.
    init?(_ response: HTTPResponse, at now: Instant) {
        // `try?`: pages and empty bodies are normal answers of other places.
        guard let body = (try? JSONValue(parsing: response.body))?.object, body["status"]?.integer != nil else {
            return nil
        }
        status = response.status
        data = body["data"] ?? .null
        errors = (body["errors"]?.array ?? []).compactMap { Fault($0) }
        let meta = body["meta"]?.object ?? [:]
        isAuthenticated = meta["is_authenticated"]?.bool ?? false
        session = Self.session(meta, at: now)
        let flows = data["flows"]?.array ?? []
        pending = flows.filter { $0["is_pending"]?.bool ?? false }.compactMap { $0["id"]?.string.flatMap(Flow.init) }
    }

    /// The web token, where a site gives one beside the plain one: it is what the site's other views take.
    private static func session(_ meta: JSONObject, at now: Instant) -> Session? {
        if let token = Secret(token: meta["access_token"]) {
            return Session(given: token, refreshToken: meta["refresh_token"], at: now)
        }
        return Secret(token: meta["session_token"]).map { Session(token: $0, createdAt: now) }
    }
}

extension AllauthAnswer.Fault {
    fileprivate init?(_ value: JSONValue) {
        guard let code = value["code"]?.string else { return nil }
        self.init(code: code, message: value["message"]?.string ?? code, parameter: value["param"]?.string)
    }
}
