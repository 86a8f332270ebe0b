import AuthModel
import JSON
import Platform
import Transport

/// Which answers of rest-auth and dj-rest-auth are good ones, and what the others mean.
///
/// A refusal is `{"<field>": ["text", …], …}` with `non_field_errors` for the request as a whole (400), or
/// `{"detail": "text"}`, with web tokens also `code` (401, 403, 404, 405, 415, 429). Everything uncaught is a page
/// (404, 500). There are no codes for faults of fields: the call and the field decide, and where they do not, the text,
/// which is English because that is asked for. Source: README of the recorded exchanges, section 2; answers recorded
/// from rest-auth 0.9.5 and dj-rest-auth 7.2.0, `Tests/Exchanges/rest-auth/answers.ndjson`.
enum RestAuthErrors {
    /// What was asked for.
    enum Call: CaseIterable {
        case signUp, logIn
        /// The code of the second factor, after the password.
        case secondFactor
        /// Something with a session.
        case session
        /// The same with a token from elsewhere.
        case token
        case logOut, refresh
        case passwordChange
        /// A mail that resets a password.
        case reset
        /// A mail that confirms an address, and its key.
        case resend, verification
        case facebookLogIn, facebookLink
        case socialAccounts, disconnect
    }

    /// What is said of a base URL without any of the views.
    static let noSite = "there is no rest-auth at this address"

    /// What a good answer holds; an empty object for one without a body.
    ///
    /// - Parameter now: what a `Retry-After` that names a time is counted from.
    static func check(
        _ response: HTTPResponse, to request: HTTPRequest, _ call: Call, now: Instant
    ) throws(AuthError) -> JSONValue {
        // `try?`: a body that is no JSON is a normal answer of proxies, and told by its status.
        let body = try? JSONValue(parsing: response.body)
        guard (200..<300).contains(response.status) else {
            throw RestAuthRefusal(response, body, to: request, call, now: now).error
        }
        if let fault = fault(of: response, body, to: request, call) {
            throw AuthError(.brokenAnswer, fault, server: ServerDetail(status: response.status))
        }
        return body ?? [:]
    }

    /// What a good status brings although it promises more.
    private static func fault(
        of response: HTTPResponse, _ body: JSONValue?, to request: HTTPRequest, _ call: Call
    ) -> String? {
        // Where a registration gives nothing else, its status says that there is an account: 201, or 204 without a body.
        if call == .signUp, response.status == 200, response.body.isEmpty || body == [:] {
            return "the server's answer does not say that there is an account"
        }
        guard let body else {
            if response.body.isEmpty { return call.mayBeEmpty ? nil : "the server's answer is empty" }
            let line = PageText.firstLine(of: response, masking: request.masking)
            return line.map { "the server's answer is a page, not JSON: \"\($0)\"" }
                ?? "the server's answer is no JSON"
        }
        guard response.isSaidToBeJSON else { return "the server's answer is not said to be JSON" }
        return call.isKept(by: body) ? nil : "the server's answer holds nothing that was asked for"
    }
}

extension RestAuthErrors.Call {
    /// Whether an answer without a body can be a good one.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        // A session in a cookie.
        case .signUp, .logIn, .secondFactor, .facebookLogIn: true
        case .logOut, .passwordChange, .reset, .resend, .verification, .facebookLink, .disconnect: true
        case .session, .token, .refresh, .socialAccounts: false
        }
    }

    fileprivate func isKept(by body: JSONValue) -> Bool {
        switch self {
        case .session, .token: RestAuthPayloads.namedUser(body) != nil
        case .refresh: Secret(token: body["access"]) != nil
        case .socialAccounts: body.array != nil || body["results"]?.array != nil
        default: body.object != nil
        }
    }

    /// What may be done although its answer was lost, for calls that must not be made twice.
    var doubt: String? {
        switch self {
        case .signUp: "the account may exist: try to log in with the same name and password"
        case .refresh: "if the session is refused from now on, log in again"
        case .passwordChange: "the password may be changed: find out by logging in with the new one"
        case .reset, .resend: "the mail may be on its way"
        case .facebookLogIn, .facebookLink, .disconnect: "it may be done: asking again does no harm"
        case .verification: "the address may be confirmed: try to log in"
        case .logIn, .secondFactor, .session, .token, .logOut, .socialAccounts: nil
        }
    }

    /// The view that is asked, where a site need not have it.
    var optionalView: OptionalView? {
        switch self {
        case .secondFactor: OptionalView(.secondFactor, "takes one-time codes")
        case .facebookLogIn: OptionalView(.facebook, "logs in with Facebook")
        case .facebookLink: OptionalView(.facebookConnect, "links Facebook identities")
        case .socialAccounts, .disconnect: OptionalView(.socialAccounts, "lists linked identities")
        case .signUp: OptionalView(.registration, "makes accounts")
        case .resend: OptionalView(nil, "sends verification mails again")
        case .verification: OptionalView(nil, "takes the keys of verification mails")
        case .refresh: OptionalView(nil, "renews sessions")
        case .logIn, .session, .token, .logOut, .passwordChange, .reset: nil
        }
    }

    struct OptionalView {
        /// `nil`: where it stands is no setting of its own.
        let view: RestAuthView?
        /// What it does: "links Facebook identities".
        let purpose: String

        init(_ view: RestAuthView?, _ purpose: String) {
            self.view = view
            self.purpose = purpose
        }
    }
}
