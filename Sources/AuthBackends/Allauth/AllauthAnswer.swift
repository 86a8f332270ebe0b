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
        /// One that is not known here.
        case other
    }

    /// `nil` if the body is no such envelope.
    ///
    /// - Parameters:
    ///   - masking: takes out of texts what was sent in secret.
    ///   - now: when it came.
    init?(_ response: HTTPResponse, masking: (String) -> String, at now: Instant) {
        // `try?`: pages and empty bodies are normal answers of other places.
        guard let body = (try? JSONValue(parsing: response.body))?.object, body["status"]?.integer != nil else {
            return nil
        }
        let meta = body["meta"]?.object ?? [:]
        // What ends a session, or has ended one, always says this; a gateway's JSON does not.
        if [401, 410].contains(response.status), meta["is_authenticated"] == nil { return nil }
        status = response.status
        data = body["data"] ?? .null
        // Nobody reads more, and a server that sends thousands means harm.
        errors = (body["errors"]?.array ?? []).prefix(100).compactMap { Fault($0, masking: masking) }
        isAuthenticated = meta["is_authenticated"]?.bool ?? false
        session = Self.session(meta, at: now)
        let flows = data["flows"]?.array ?? []
        pending = flows.filter { $0["is_pending"]?.bool ?? false }
            .map { $0["id"]?.string.flatMap(Flow.init) ?? .other }
    }

    /// The web token, where a site gives one beside the plain one: it is what the site's other views take. One that
    /// cannot be renewed dies soon, or is for other views alone.
    private static func session(_ meta: JSONObject, at now: Instant) -> Session? {
        let plain = Secret(token: meta["session_token"]).map { Session(token: $0, createdAt: now) }
        guard let token = Secret(token: meta["access_token"]) else { return plain }
        let session = Session(given: token, refreshToken: meta["refresh_token"], at: now)
        return session.refreshToken == nil ? plain ?? session : session
    }
}

extension AllauthAnswer.Fault {
    fileprivate init?(_ value: JSONValue, masking: (String) -> String) {
        guard let code = value["code"]?.string.map(masking) else { return nil }
        self.init(
            code: code, message: value["message"]?.string.map(masking) ?? code,
            parameter: value["param"]?.string.map(masking))
    }
}
