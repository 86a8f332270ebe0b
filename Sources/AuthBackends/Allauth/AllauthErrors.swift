import AuthModel
import JSON
import Platform
import Transport

/// Which answers of allauth's headless API are good ones, and what the others mean.
///
/// Faults stand in `errors`, each with a code that is never translated. 401 is an ordinary answer with several meanings,
/// and 410 says that the token is dead, on every call. Whatever is no JSON comes from elsewhere, or from Django itself.
/// Source: README of the recorded exchanges, section 3; answers recorded from django-allauth 65.21.1,
/// `Tests/Exchanges/allauth/answers.ndjson`.
enum AllauthErrors {
    /// What was asked for.
    enum Call: CaseIterable {
        case configuration
        case signUp, logIn, secondFactor
        /// Something with a session.
        case session
        /// The same with a token from elsewhere.
        case token
        case logOut, refresh
        case sessions, endSession
        case passwordChange
        /// A mail that resets a password.
        case reset
        /// A mail that confirms an address, and its key or code.
        case resend, verification
        case facebookLogIn, facebookLink
        case providers, disconnect
    }

    /// A good answer, or one that says what is pending where the call can read that.
    ///
    /// - Parameter now: what times are counted from.
    static func check(
        _ response: HTTPResponse, to request: HTTPRequest, _ call: Call, now: Instant
    ) throws(AuthError) -> AllauthAnswer {
        let answer = AllauthAnswer(response, masking: request.masking, at: now)
        if let answer, answer.status == 200 || answer.meansFlows && call.readsFlows {
            if let fault = answer.fault(call) {
                throw AuthError(.brokenAnswer, fault, server: ServerDetail(status: response.status))
            }
            return answer
        }
        guard response.status == 200 else { throw AllauthRefusal(response, answer, call, now: now).error }
        let line = PageText.firstLine(of: response, masking: request.masking)
        throw AuthError(
            .brokenAnswer,
            line.map { "the server's answer is a page, not JSON: \"\($0)\"" }
                ?? "the server's answer is none of allauth's headless API",
            server: ServerDetail(status: response.status))
    }
}

extension AllauthAnswer {
    /// Whether it says that nobody is logged in. Somebody who is gets the same status, where a fresh proof is wanted.
    fileprivate var meansFlows: Bool { status == 401 && !isAuthenticated }

    /// What is missing in an answer that says that all is well.
    fileprivate func fault(_ call: AllauthErrors.Call) -> String? {
        switch call {
        case .sessions where data.array == nil, .providers where status == 200 && data == .null:
            "the server's answer holds nothing that was asked for"
        case .verification where pending.contains(.verifyEmail): "the server goes on to wait for the address"
        default: nil
        }
    }
}

extension AllauthErrors.Call {
    /// Whether 401 is an answer that the call itself reads: it ends a session, or begins one in more than one step.
    var readsFlows: Bool {
        switch self {
        case .signUp, .logIn, .secondFactor, .facebookLogIn, .logOut, .endSession, .reset, .verification: true
        case .configuration, .session, .token, .refresh, .sessions, .passwordChange, .resend, .facebookLink,
            .providers, .disconnect:
            false
        }
    }

    /// Whether it is of a part of allauth that a site can do without.
    var isOfExtra: Bool {
        switch self {
        case .sessions, .endSession, .facebookLogIn, .facebookLink, .providers, .disconnect: true
        case .configuration, .signUp, .logIn, .secondFactor, .session, .token, .logOut, .refresh, .passwordChange,
            .reset, .resend, .verification:
            false
        }
    }

    /// What may be done although its answer was lost, for calls that must not be made twice.
    var doubt: String? {
        switch self {
        case .signUp: "the account may exist: try to log in with the same name and password"
        case .refresh: "if the session is refused from now on, log in again"
        case .passwordChange: "the password may be changed, and the session dead: log in with the new one to find out"
        case .reset, .resend: "the mail may be on its way"
        case .facebookLogIn, .facebookLink, .disconnect, .endSession: "it may be done: asking again does no harm"
        case .verification: "the address may be confirmed: try to log in"
        case .configuration, .logIn, .secondFactor, .session, .token, .logOut, .sessions, .providers: nil
        }
    }
}
