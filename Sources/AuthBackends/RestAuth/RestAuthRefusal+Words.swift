import AuthModel
import Platform

/// What the user is told, and what to do next.
extension RestAuthRefusal {
    func message(for reason: AuthError.Reason) -> String {
        switch reason {
        case .wrongPassword:
            call == .passwordChange ? "the current password is wrong" : reason.words(status: status) + unusualText
        case .weakPassword: reason.words(status: status) + onlyFault
        case .tokenRefused: refusedToken
        case .notFound: call == .verification ? "the key is unknown, used, or has run out" : "there is no such identity"
        case .unsupported: unsupported
        case .wrongEndpoint: RestAuthErrors.noSite
        case .forbidden where isOfGateway: reason.words(status: status)
        case .forbidden, .invalidFields: refusal
        default: reason.words(status: status)
        }
    }

    private var refusedToken: String {
        if code == "user_not_found" { return "the account does not exist any more" }
        switch call {
        case .facebookLogIn, .facebookLink: return "the server does not accept the Facebook token\(unusualText)"
        case .secondFactor: return "the server does not go on with this log-in\(unusualText)"
        default: return "the server does not accept this session"
        }
    }

    private var unsupported: String {
        if status == 406 { return "the server does not answer in JSON" }
        if status == 415 { return "the server does not read JSON" }
        if faults.hasText("View is not defined") { return "the server's Facebook views fail: \"View is not defined\"" }
        return "the site has no view that \(call.optionalView?.purpose ?? "does that")"
    }

    /// `Must include "email" and "password".`
    private var wantsEmail: Bool { call == .logIn && faults.hasText("Must include \"email\"") }
    private var wantsUsername: Bool { call == .logIn && faults.hasText("Must include \"username\"") }

    /// A refusal that has no words of ours.
    private var refusal: String {
        if wantsEmail { return "the site knows people by their e-mail" }
        if wantsUsername { return "the site knows people by their user name" }
        let fields = Set(faults.fields.map(\.field)).count
        switch (faults.texts.isEmpty, fields) {
        case (true, 0): return AuthError.Reason.forbidden.words(status: status)
        case (true, 1):
            return "the server refused \(FieldFault.spoken(faults.fields[0].field))\(onlyFault)"
        case (true, _): return "the server refused \(fields) fields"
        case (false, _): return "the server refused it\(quoted(faults.texts))"
        }
    }

    /// What a server says that knows the person; English words that everybody hears are left out.
    private var unusualText: String {
        let usual = ["Unable to log in with provided credentials.", "Incorrect value", "Invalid username/password."]
        return quoted(faults.texts.filter { !usual.contains($0) })
    }

    /// In the server's words. Several are listed below the message.
    private var onlyFault: String { faults.fields.count == 1 ? quoted(faults.fields.map(\.message)) : "" }

    private func quoted(_ texts: [String]) -> String {
        let text = texts.joined(separator: " ").start(300)
        return text.isEmpty ? "" : ": \"\(text)\""
    }

    func hint(for reason: AuthError.Reason) -> String? {
        switch reason {
        case .rateLimited: waitingTime.map { "try again after \($0) second\($0 == 1 ? "" : "s")" }
        case .outcomeUnknown: call.doubt
        case .unsupported: missingViewHint
        case .forbidden where isOfGateway: AuthError.Reason.gatewayHint
        case .tokenRefused where call == .facebookLogIn || call == .facebookLink:
            "is it of the Facebook app that the site knows, and still good? can the site reach Facebook?"
        case .invalidFields where wantsEmail: "give the address in the place of the user name"
        case .invalidFields where wantsUsername: "give it in the place of the address"
        case .tokenRefused where code == "user_not_found": "make another: authctl signup"
        default: nil
        }
    }

    private var missingViewHint: String? {
        guard [404, 405].contains(status), let view = call.optionalView?.view else { return nil }
        return "if it stands elsewhere, name its path: authctl profile set NAME \(view.rawValue) PATH"
    }
}
