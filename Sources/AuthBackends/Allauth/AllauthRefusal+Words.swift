import AuthModel
import Platform

/// What the user is told.
extension AllauthRefusal {
    func message(for reason: AuthError.Reason) -> String {
        switch reason {
        case .wrongPassword where call == .passwordChange: "the current password is wrong"
        case .wrongCode: "the server does not accept the code"
        case .weakPassword: reason.words(status: status) + quoted
        case .reauthenticationRequired: "the server wants a fresh proof of who this is"
        case .sessionRevoked where call == .secondFactor: "the log-in that waits for the code is gone"
        case .tokenRefused: refusedToken
        case .notFound: notFound
        case .unsupported: unsupported
        case .wrongEndpoint: "there is no headless allauth at this address"
        case .rateLimited: tooMany
        case .forbidden: forbidden
        case .invalidFields: refusal
        default: reason.words(status: status)
        }
    }

    private var tooMany: String {
        switch (status, call) {
        case (503, _): "the server is too busy"
        case (400, .secondFactor): "too many wrong codes"
        case (400, _): "too many wrong passwords"
        case (403, .resend): "a mail was sent a short while ago"
        default: "too many requests"
        }
    }

    private var refusedToken: String {
        call == .facebookLogIn || call == .facebookLink
            ? "the Facebook token is not accepted, or Facebook cannot be reached by the site"
            : "the server does not accept this session"
    }

    private var unsupported: String {
        switch call {
        case .sessions, .endSession: "the site does not keep a list of sessions"
        case .logIn, .secondFactor: "the site wants a step at the log-in that is not known here"
        case .facebookLogIn where status == 401: "the site wants a step at the log-in that is not known here"
        default: "the site does not take identities of other services"
        }
    }

    private var notFound: String {
        switch (status, call) {
        case (409, .verification): "nothing waits for a code"
        case (409, .resend): "nothing waits for a mail, or the site does not send it again"
        case (_, .verification): "the key is unknown, used, or has run out"
        case (_, .resend): "the account has no such address"
        case (_, .endSession): "there is no such session"
        default: "the server knows no such thing"
        }
    }

    private var forbidden: String {
        if faults.contains(where: { $0.code == "no_password" }) {
            return "the identity is the last way to log in: the account has no password"
        }
        switch (status, call) {
        case (403, .signUp) where answer != nil: return "the site is closed for sign-up"
        case (409, _) where faults.isEmpty && answer != nil: return "somebody is logged in already"
        case (403, .facebookLogIn) where answer != nil: return "the site is closed for sign-up"
        case (401, _), (403, _): return AuthError.Reason.forbidden.words(status: status)
        default: return refusal
        }
    }

    /// A refusal that has no words of ours.
    private var refusal: String {
        let fields = Set(faults.compactMap { $0.field?.field })
        guard fields.count <= 1 else { return "the server refused \(fields.count) fields" }
        return fields.first.map { "the server refused \(FieldFault.spoken($0))\(quoted)" }
            ?? "the server refused it\(quoted)"
    }

    private var quoted: String {
        let text = faults.map(\.message).joined(separator: " ").start(300)
        return text.isEmpty ? "" : ": \"\(text)\""
    }

    func hint(for reason: AuthError.Reason) -> String? {
        switch reason {
        case .rateLimited:
            waitingTime.map { "try again after \($0) second\($0 == 1 ? "" : "s")" }
                ?? (status == 400 ? "the right password is refused, too, for some minutes" : nil)
        case .outcomeUnknown: call.doubt
        case .forbidden where status == 401 && answer == nil: AuthError.Reason.gatewayHint
        case .tokenRefused where call == .facebookLogIn || call == .facebookLink:
            "is it of the Facebook app that the site knows, and still good?"
        case .forbidden where faults.contains(where: { $0.code == "no_password" }):
            "choose a password first: authctl password reset ADDRESS"
        case .notFound where status == 409:
            "if the address still waits to be verified, a new log-in has a new mail sent"
        default: nil
        }
    }
}
