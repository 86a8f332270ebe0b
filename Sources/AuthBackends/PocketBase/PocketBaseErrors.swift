import AuthModel
import JSON
import Platform
import Transport

/// Validates the responses from PocketBase, and maps errors to `BackendError`.
///
/// An error is `{"data": {FIELD: {"code", "message", "params"?}}, "message", "status"}`; if a second factor is required,
/// `{"mfaId"}`. PocketBase before 0.23 sends `code` instead of `status`. The codes in `data` and the status determine
/// the reason. Source: `Tests/Exchanges/pocketbase/answers.ndjson`.
enum PocketBaseErrors: ErrorTable {
    static let format: ErrorFormat? = ErrorFormat("PocketBase") { object, response in
        object["data"]?.object != nil && object["message"]?.string != nil
            && object.holds(response.status, in: object["status"] == nil ? "code" : "status")
    }

    static func required(for operation: Operation) -> Required {
        switch operation {
        case .logIn, .secondFactor, .impersonate, .logInWithIdentity, .linkIdentity, .refresh, .currentUser,
            .logInWithToken:
            .session("token", of: "record")
        case .signUp, .updateUser, .changePassword, .readUser, .changeUser: .account()
        case .listUsers, .listIdentities, .checkAdminKey: .list("items")
        case .describeSite: .data { $0["password"]?.object != nil }
        default: .nothing
        }
    }

    static func read(_ response: inout ErrorResponse) {
        let object = response.body?.object
        let isError = object?["data"]?.object != nil && object?["message"]?.string != nil
        response.isFromServer = isError || object?["mfaId"] != nil
        guard isError, let object else { return }
        response.texts = [object["message"]?.string].compactMap(\.self)
        // Limit the work that a malicious server can cause.
        let data = (object["data"]?.object?.members ?? []).prefix(100)
        response.code = data.first?.value["code"].flatMap(\.filledText).map(JSONValue.string) ?? .null
        response.fields = data.compactMap { field in
            guard let message = field.value["message"]?.string ?? field.value["code"]?.string else { return nil }
            return FieldFault(
                FieldFault.name(Self.names[field.name] ?? field.name, response.masker), message, isServerText: true)
        }
    }

    /// authctl's names of request members.
    private static let names = ["oldPassword": "currentPassword", "newEmail": "email", "identity": "username"]

    // MARK: - Reasons

    static func reason(for response: ErrorResponse) -> AuthError.Reason? {
        guard response.isFromServer else { return nil }
        if response.isOfOldPocketBase { return .unsupported }
        let operation = response.operation
        return switch response.status {
        case 400: reasonOfBadRequest(response)
        case 401 where response.body?["mfaId"] != nil: .secondFactorRequired
        case 401: operation.usesAdminKey ? .badAppKey : operation == .logInWithToken ? .tokenRefused : .sessionRevoked
        case 403: reasonOfForbidden(response)
        case 404: reasonOfNotFound(response)
        default: nil
        }
    }

    /// Uniqueness is checked last, so a conflict has no other faults. Source: the exchange `fields/signup-both-taken`.
    private static func reasonOfBadRequest(_ response: ErrorResponse) -> AuthError.Reason? {
        let (operation, faults) = (response.operation, response.faults)
        guard let first = faults.first else { return reasonOfMessage(response) }
        switch (first.field, first.code) {
        case (_, "validation_not_unique") where operation == .callAPI: return .conflict
        case _ where operation == .callAPI: return nil
        case ("token", _): return .wrongCode
        case ("provider", "validation_invalid_provider"): return .unsupported
        case (_, "validation_not_unique") where operation.sendsProof: return .identityTaken
        case ("email", "validation_not_unique"), ("newEmail", "validation_invalid_new_email"): return .emailTaken
        case ("username", "validation_not_unique"): return .usernameTaken
        case ("oldPassword", _): return .wrongPassword
        // The password that confirms a change of the e-mail; if the token is invalid, too, both are reported.
        case ("password", _) where operation == .verifyEmail:
            return faults.contains { $0.field == "token" } ? .wrongCode : .wrongPassword
        default:
            let isPassword = first.field == "password" && faults.allSatisfy { $0.field.hasPrefix("password") }
            return isPassword && [.signUp, .changePassword, .finishPasswordReset, .changeUser].contains(operation)
                ? .weakPassword : .invalidFields
        }
    }

    /// The reason for status 400 without faults in fields.
    private static func reasonOfMessage(_ response: ErrorResponse) -> AuthError.Reason? {
        switch response.operation {
        case .callAPI: response.meansDeniedCreation ? .forbidden : nil
        // A hook of the site can reject a login for its own reasons, with another text.
        case .logIn: response.hasText("Failed to authenticate") ? .wrongPassword : nil
        case .secondFactor: response.hasText("Invalid or expired MFA session") ? .sessionExpired : .wrongCode
        case .signUp: response.meansDeniedCreation ? .forbidden : nil
        // The server could not send the e-mail.
        case .updateUser: response.hasText("Failed to request email change") ? .serverFault : .forbidden
        case .requestPasswordReset: .unsupported
        case .logInWithIdentity, .linkIdentity: .tokenRefused
        default: nil
        }
    }

    private static func reasonOfForbidden(_ response: ErrorResponse) -> AuthError.Reason {
        if response.operation.usesAdminKey { return .badAppKey }
        let isOfOther = response.hasText("The request requires auth record from")
        return isOfOther && response.operation != .callAPI ? .tokenRefused : .forbidden
    }

    private static func reasonOfNotFound(_ response: ErrorResponse) -> AuthError.Reason {
        switch response.operation {
        case .callAPI, .unlinkIdentity: .notFound
        case let operation where operation.usesAdminKey && !response.meansUnknownCollection: .notFound
        // The backend has checked the session, so a rule of the collection denies the request.
        case .updateUser, .changePassword: .forbidden
        case .deleteAccount: .forbidden
        default: .wrongEndpoint
        }
    }

    /// A rule that is null denies with status 403. A rule whose condition is not met denies the view, change and
    /// deletion of a record with 404, its creation with 400 without faults, and a list with an empty one.
    static func refusal(_ response: ErrorResponse) -> Refusal? {
        guard response.isFromServer, response.body?["status"]?.integer == Int64(response.status) else { return nil }
        return [401, 403, 404].contains(response.status) || response.meansDeniedCreation ? .denial : .other
    }

    // MARK: - Messages

    static func message(for reason: AuthError.Reason, _ response: ErrorResponse) -> String? {
        switch (reason, response.operation) {
        case (.unsupported, _) where response.isOfOldPocketBase: BackendError.oldPocketBase.message
        case (.unsupported, .logInWithIdentity), (.unsupported, .linkIdentity):
            "the collection does not accept identities of this provider"
        case (.unsupported, _): "the collection does not allow logins with a password"
        case (.forbidden, .signUp) where response.status == 403: "the collection does not allow signups"
        case (.forbidden, .signUp), (.forbidden, .updateUser), (.forbidden, .changePassword),
            (.forbidden, .deleteAccount), (.forbidden, .callAPI):
            response.isReasonOfStatus ? nil : "the rules of the collection deny this"
        case (.forbidden, .logIn), (.forbidden, .secondFactor), (.forbidden, .logInWithIdentity):
            response.isReasonOfStatus
                ? nil
                : "the rules of the collection deny the login: the e-mail may be unverified, or the account disabled"
        case (.forbidden, .currentUser), (.forbidden, .refresh):
            response.isReasonOfStatus ? nil : "the session is valid, but the rules of the collection deny new ones"
        case (.tokenRefused, _) where response.status == 403: "the session belongs to another collection"
        case (.badAppKey, _): "the server does not accept the superuser token"
        case (.identityTaken, _): "the account is linked to another identity of the provider"
        case (.wrongEndpoint, _) where response.meansUnknownCollection:
            "the server has no such collection of accounts"
        case (.wrongEndpoint, _): "no PocketBase at this URL"
        case (.sessionExpired, .secondFactor): "the login has expired before its code arrived"
        case (.serverFault, .updateUser): "the server could not send the e-mail"
        default: nil
        }
    }

    static func fact(for reason: AuthError.Reason, _ response: ErrorResponse) -> AuthError.Fact? {
        reason == .forbidden && response.operation == .logIn && !response.isReasonOfStatus ? .passwordIsRight : nil
    }

    static func fields(for reason: AuthError.Reason, _ response: ErrorResponse) -> [FieldFault] {
        switch reason {
        case .usernameTaken: [FieldFault("username", "is already taken")]
        case .emailTaken: [FieldFault("email", "is already taken")]
        case .wrongCode, .wrongPassword, .identityTaken, .unsupported: []
        default: response.fields
        }
    }

    static func steps(for reason: AuthError.Reason, _ response: ErrorResponse) -> [NextStep] {
        switch (reason, response.operation) {
        case (.unsupported, _) where response.isOfOldPocketBase: BackendError.oldPocketBase.nextSteps
        case (.forbidden, .logIn) where !response.isReasonOfStatus:
            [NextStep("if the e-mail is not verified", run: ["verify-email", "--email", "ADDRESS"])]
        case (.wrongEndpoint, _) where response.meansUnknownCollection:
            [
                NextStep(
                    "set the collection of the accounts",
                    run: ["profile", "set", NextStep.profile, "collection", "NAME"])
            ]
        case (.badAppKey, _): [.superuserToken]
        default: response.steps(for: reason)
        }
    }
}

extension NextStep {
    fileprivate static let superuserToken: NextStep = """
        a superuser's token is printed by 'authctl token' of a profile with the setting collection=_superusers
        """
}

extension ErrorResponse {
    /// Whether the server has no such collection, or one without accounts. A superuser's request for its description has
    /// a text that does not say so.
    fileprivate var meansUnknownCollection: Bool {
        hasText("Missing or invalid") || operation == .checkAdminKey && status == 404 && isFromServer
    }

    /// The members of `data`: the field as in the request, and the code.
    fileprivate var faults: [(field: String, code: String)] {
        (body?["data"]?.object?.members ?? []).map { ($0.name, $0.value["code"]?.string ?? "") }
    }

    fileprivate var isOfOldPocketBase: Bool {
        body?["status"] == nil && body?["code"]?.integer == Int64(status) && body?["data"]?.object != nil
    }

    /// Whether a rule denies the creation of a record: the server finds no fault in the fields, and could read them.
    fileprivate var meansDeniedCreation: Bool {
        status == 400 && method == .post && isFromServer && faults.isEmpty
            && !hasText("Something went wrong") && !hasText("Unsupported Content-Type")
    }
}

extension PocketBaseErrors {
    /// Whether the response to a request for the login methods of the collection `users` comes from PocketBase; also if
    /// the server has no such collection.
    ///
    /// - Throws: `BackendError` `unsupported` for PocketBase before 0.23.
    static func isServer(_ response: ErrorResponse) throws(BackendError) -> Bool {
        if response.isOfOldPocketBase || response.body?["usernamePassword"] != nil && response.body?["password"] == nil
        {
            throw .oldPocketBase
        }
        return response.body?["password"]?["identityFields"] != nil
            || response.status == 404 && wrote(response)
    }
}

extension BackendError {
    static let oldPocketBase = BackendError(
        .unsupported, "this is a PocketBase older than 0.23", next: "update the server to PocketBase 0.23 or later")
}
