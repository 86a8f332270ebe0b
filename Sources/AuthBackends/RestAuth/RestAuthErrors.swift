import AuthModel
import JSON
import Platform
import Transport

/// Validates the responses from rest-auth and dj-rest-auth, and maps errors to `BackendError`.
///
/// An error is `{"<field>": ["text", …], …}` with `non_field_errors` for the whole request (400), or `{"detail":
/// "text"}`, for JWT errors also with `code` (400, 401, 403 to 406, 415, 429), or a format of the site's own; see
/// `DjangoFaults`. An unhandled error is an HTML page (404, 500). Field errors have no codes, so the reason depends on the operation, the field, and the message, which is
/// requested in English. Source: responses recorded from rest-auth 0.9.5 and dj-rest-auth 7.2.0,
/// `Tests/Exchanges/rest-auth/answers.ndjson`.
enum RestAuthErrors: ErrorTable {
    static let format: ErrorFormat? = .restFramework
    static let writesErrorPages = true

    /// The message for a base URL without any rest-auth views below it.
    static let noSite = "no rest-auth at this URL"

    /// Returns the body of a successful response. Returns an empty object if there is no body and none is required.
    static func check(_ response: ServerResponse) throws(BackendError) -> JSONValue {
        guard response.isSuccess else { throw error(for: response) }
        let (http, operation) = (response.http, response.operation)
        let body = http.json
        // If the body is empty or `{}`, status 200 does not confirm a signup. Status 201 or 204 does.
        if operation == .signUp, http.status == 200, http.body.isEmpty || body == [:] {
            throw response.invalid("the response does not confirm the account")
        }
        guard let body else {
            if http.body.isEmpty, operation.mayBeEmpty { return [:] }
            throw response.invalid()
        }
        guard http.isSaidToBeJSON else { throw response.invalid("the response is not declared as JSON") }
        guard operation.isSatisfied(by: body) else { throw response.invalid("the response lacks the requested data") }
        return body
    }

    static func read(_ response: inout ErrorResponse) {
        // Django REST framework sends a message with every 401, and names the scheme of the token. Without both, a 401
        // comes from a gateway.
        let mayBeGateway = response.status == 401 && !response.asksForToken
        let faults = DjangoFaults(response.body, response.masker, mayBeGateway: mayBeGateway)
        response.code = JSONValue(faults.code)
        response.texts = faults.texts
        response.fields = response.status == 401 ? [] : faults.fields
        response.fieldCodes = faults.fieldCodes
    }

    // MARK: - Reasons

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        switch response.status {
        case 400 where response.isFromServer: return reasonOfBadRequest(response)
        case 401 where !response.texts.isEmpty: return reasonOfUnauthenticated(response)
        case 401 where response.asksForToken && response.isFromServer && response.operation != .logIn:
            return reasonOfUnauthenticated(response)
        // A site whose first authentication class is cookie-based sends 403 instead of 401.
        case 403 where response.meansInvalidCredentials: return reasonOfUnauthenticated(response)
        case 403 where response.meansLocked, 429 where response.meansLocked: return .accountLocked
        case 404: return reasonOfNotFound(response)
        case 405: return response.operation == .refresh || view(for: response.operation) != nil ? .unsupported : nil
        case 406 where response.operation != .callAPI, 415 where response.operation != .callAPI: return .unsupported
        default: return nil
        }
    }

    /// A 404 in JSON means that the verification key or the identity is unknown. A 404 page means that the view does
    /// not exist. In response to a refresh, both mean that the session cannot be refreshed.
    private static func reasonOfNotFound(_ response: ErrorResponse) -> AuthError.Reason? {
        switch response.operation {
        case .verifyEmail where response.isFromServer, .unlinkIdentity where response.isFromServer: .notFound
        case .refresh: .sessionExpired
        default: view(for: response.operation) == nil ? nil : .unsupported
        }
    }

    private static func reasonOfBadRequest(_ response: ErrorResponse) -> AuthError.Reason {
        switch response.operation {
        case .signUp, .updateUser: return reasonOfSignUp(response)
        case .logIn: return reasonOfLogIn(response)
        case .secondFactor: return response.isOnly("code") ? .wrongCode : .tokenRefused
        case .changePassword where response.fields.contains { $0.field == "currentPassword" }: return .wrongPassword
        case .finishPasswordReset where response.isOnly("token") || response.isOnly("uid"): return .notFound
        case .changePassword, .finishPasswordReset: return response.meansWeakPassword ? .weakPassword : .invalidFields
        case .logInWithIdentity, .linkIdentity: return reasonOfProof(response)
        case .refresh: return .sessionExpired
        // Some sites send this error for a logout without a valid session.
        case .logOut: return response.hasText("You should be logged in") ? .sessionRevoked : .invalidFields
        default: return .invalidFields
        }
    }

    /// Returns `usernameTaken` or `emailTaken` if all errors mean that a value is taken (`usernameTaken` if both are),
    /// `weakPassword` if all errors reject the password; else `invalidFields`.
    private static func reasonOfSignUp(_ response: ErrorResponse) -> AuthError.Reason {
        if !response.fields.isEmpty, response.texts.isEmpty, response.fields.allSatisfy(response.meansTaken) {
            return response.fields[0].field == "username" ? .usernameTaken : .emailTaken
        }
        // A site that sends the first message alone omits its field.
        if response.fields.isEmpty, response.texts.contains(where: { $0.holds("already registered") }) {
            return .emailTaken
        }
        return response.meansWeakPassword ? .weakPassword : .invalidFields
    }

    private static func reasonOfLogIn(_ response: ErrorResponse) -> AuthError.Reason {
        if !response.fields.isEmpty || response.wantsEmail || response.wantsUsername || response.hasText("Must include")
        {
            return .invalidFields
        }
        if response.hasText("E-mail is not verified") || response.hasText("Email is not verified") {
            return .emailUnverified
        }
        if response.hasText("User account is disabled") { return .accountDisabled }
        if response.hasText("Too many failed login attempts") { return .rateLimited }
        return .wrongPassword
    }

    private static func reasonOfProof(_ response: ErrorResponse) -> AuthError.Reason {
        if response.texts.contains(where: { $0.holds("already registered") }) { return .emailTaken }
        return response.viewFault == nil ? .tokenRefused : .unsupported
    }

    private static func reasonOfUnauthenticated(_ response: ErrorResponse) -> AuthError.Reason {
        let operation = response.operation
        if response.code == "user_inactive" || response.hasText("User inactive")
            || response.hasText("No active account found")
        {
            return operation == .logIn ? .wrongPassword : .accountDisabled
        }
        // The account was deleted. `tokenRefused` prevents a refresh, which would make the site fail.
        if response.code == "user_not_found", operation != .logIn { return .tokenRefused }
        switch operation {
        // If the site requires credentials for the login view itself, it has not checked the password.
        case .logIn: return response.lacksCredentials ? .forbidden : .wrongPassword
        case .logInWithToken: return .tokenRefused
        case .refresh: return .sessionExpired
        case .signUp, .requestPasswordReset, .finishPasswordReset, .sendVerification, .verifyEmail, .secondFactor,
            .logInWithIdentity:
            return .forbidden
        default: return response.meansExpired ? .sessionExpired : .sessionRevoked
        }
    }

    static func refusal(_ response: ErrorResponse) -> Refusal? { response.refusalOfDjango }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        switch reason {
        case .wrongPassword where response.operation == .logIn: response.words(for: reason) + unusualText(response)
        case .tokenRefused where response.code == "user_not_found": "the account no longer exists"
        case .tokenRefused where response.operation.sendsProof:
            response.words(for: reason) + unusualText(response)
        case .tokenRefused where response.operation == .secondFactor:
            "the server rejects this login step\(unusualText(response))"
        case .unsupported: unsupported(response)
        case .wrongEndpoint: noSite
        case .serverFault: response.words(for: reason) + response.quoted(response.texts)
        case .rateLimited where response.status == 503: response.words(for: reason) + response.quoted(response.texts)
        case .invalidFields where response.wantsEmail: "the site identifies users by e-mail"
        case .invalidFields where response.wantsUsername: "the site identifies users by username"
        default: nil
        }
    }

    private static func unsupported(_ response: ErrorResponse) -> String {
        if response.status == 406 { return "the server does not respond in JSON" }
        if response.status == 415 { return "the server does not accept JSON" }
        if let fault = response.viewFault { return "the site's view for the provider fails: \"\(fault)\"" }
        return "the site has no view that \(view(for: response.operation)?.purpose ?? "refreshes sessions")"
    }

    /// Quotes the server's messages, except common ones that would only repeat authctl's message.
    private static func unusualText(_ response: ErrorResponse) -> String {
        response.quoted(response.texts.filter { !usualRefusals.contains($0) })
    }

    static let usualRefusals = [
        "Unable to log in with provided credentials.", "Incorrect value", "Invalid username/password.",
    ]

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch reason {
        case .rateLimited where response.status == 400: return [.waitAfterWrongPasswords]
        case .accountLocked: return [.waitAfterWrongPasswords]
        case .unsupported where meansMissingView(reason, status: response.status):
            if let view = view(for: response.operation) { return [.setPath(view.setting.placeholder)] }
        case .tokenRefused where response.code == "user_not_found":
            return [NextStep("create another account", run: ["signup"])]
        case .tokenRefused where response.operation.sendsProof:
            return response.steps(for: reason) + ["check that the site can reach the provider"]
        case .invalidFields where response.wantsEmail: return ["use the e-mail instead of the username"]
        case .invalidFields where response.wantsUsername: return ["use the username instead of the e-mail"]
        // dj-rest-auth 7.2 does not catch the `OAuth2Error` that allauth's views for Google and Apple raise. Source:
        // `registration/serializers.py`; allauth 65.21, `providers/google/views.py`.
        case .serverFault where response.operation.sendsProof && response.status == 500:
            return [
                "some sites fail when the proof is invalid or used, or the provider is unreachable: get a new token"
            ]
        case .serverFault where response.operation == .unlinkIdentity:
            var step = NextStep.resetPassword
            step.sentence =
                "some sites fail when the identity is the account's last authentication method: \(step.sentence)"
            return [step]
        default: break
        }
        return response.steps(for: reason)
    }

    /// Whether the error means that the site has no view at the path.
    static func meansMissingView(_ reason: AuthError.Reason, status: Int?) -> Bool {
        reason == .unsupported && (status == 404 || status == 405)
    }

    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? {
        switch reason {
        case .invalidFields where response.wantsEmail: .wantsEmail
        // A message in another language does not tell a taken name from an invalid one.
        case .invalidFields where response.operation == .signUp && response.isAboutNames: .nameMayBeTaken
        case .wrongPassword where response.operation == .logIn && !unusualText(response).isEmpty: .emailMayBeUnverified
        default: nil
        }
    }

    // MARK: - Views

    /// The view that an operation requires, and that a site may lack or have moved.
    static func view(for operation: Operation) -> RestAuthView? {
        switch operation {
        case .logIn: .logIn
        case .secondFactor: .secondFactor
        case .logInWithIdentity: .socialLogin
        case .linkIdentity: .socialConnect
        case .listIdentities, .unlinkIdentity: .socialAccounts
        case .signUp: .registration
        case .logOut: .logOut
        case .currentUser, .logInWithToken, .updateUser: .user
        case .changePassword: .passwordChange
        case .requestPasswordReset: .passwordReset
        case .finishPasswordReset: .passwordResetConfirm
        case .sendVerification: .resendEmail
        case .verifyEmail: .verifyEmail
        default: nil
        }
    }
}

extension ErrorResponse {
    fileprivate var lacksCredentials: Bool { hasText("Authentication credentials were not provided") }

    /// The message about a misconfigured provider view: the site's REST framework is too new for django-rest-auth, or
    /// the view lacks the settings for authorization codes. Source: dj-rest-auth 7.2, `registration/serializers.py`.
    fileprivate var viewFault: String? {
        ["View is not defined", "Define client_class", "Define callback_url"].first(where: hasText)
    }

    /// Whether an account is locked: the message of django-axes or of a site's signal handler. Source: django-axes 8.3,
    /// `helpers.py`, `get_lockout_response`.
    fileprivate var meansLocked: Bool {
        operation == .logIn
            && (body?["failure_limit"] != nil
                || ["Too many failed login attempts", "Account locked"].contains(where: hasText)
                || status == 429 && !isPage && plainText.holds("locked"))
    }

    /// Whether all errors reject the username or e-mail, and none means that it is missing.
    fileprivate var isAboutNames: Bool {
        !fields.isEmpty && texts.isEmpty
            && fields.allSatisfy { ["username", "email"].contains($0.field) && !meansMissing($0) }
    }

    /// `Must include "email" and "password".`, in any language. Source: dj-rest-auth 7.2, `LoginSerializer`.
    fileprivate var wantsEmail: Bool { operation == .logIn && quotes("\"email\"", not: "\"username\"") }
    fileprivate var wantsUsername: Bool { operation == .logIn && quotes("\"username\"", not: "\"email\"") }

    private func quotes(_ name: String, not other: String) -> Bool {
        texts.contains { $0.holds(name) && !$0.holds(other) }
    }

    /// Whether only the password has errors, and no error means that it is missing or not a string.
    fileprivate var meansWeakPassword: Bool { isOnly("password") && !fields.contains(where: meansMissing) }

    /// Whether only this field has errors.
    fileprivate func isOnly(_ name: String) -> Bool {
        !fields.isEmpty && texts.isEmpty && fields.allSatisfy { $0.field == name }
    }
}

extension ErrorResponse {
    /// Whether another account has the value, as in `A user with that username already exists.`
    fileprivate func meansTaken(_ fault: FieldFault) -> Bool {
        ["username", "email"].contains(fault.field)
            && (["unique", "username_taken", "email_taken"].contains(fieldCodes[fault.field])
                || ["already", "must be unique"].contains { fault.message.holds($0) })
    }

    /// Whether the value is missing or not a string, as in `This field is required.`
    fileprivate func meansMissing(_ fault: FieldFault) -> Bool {
        ["This field ", "Not a valid"].contains { fault.message.hasPrefix($0) }
    }
}

extension Operation {
    /// Whether a successful response may lack a body. A login response without a body sets the session in a cookie.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .currentUser, .logInWithToken, .refresh, .listIdentities, .updateUser: false
        default: true
        }
    }

    fileprivate func isSatisfied(by body: JSONValue) -> Bool {
        switch self {
        case .logInWithToken: body.object.map(RestAuthPayloads.user)?.displayName != nil
        // Some sites show no names, or nest them.
        case .currentUser, .updateUser: body.object?.isEmpty == false
        case .refresh: body.object.flatMap { RestAuthPayloads.Tokens($0) }?.token.isToken ?? false
        case .listIdentities: body.array != nil || body["results"]?.array != nil
        default: body.object != nil
        }
    }
}
