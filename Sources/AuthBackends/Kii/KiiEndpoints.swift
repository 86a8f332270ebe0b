import AuthModel
import JSON
import Platform
import Transport

/// The requests of Kii Cloud's REST API for users.
///
/// Source: REST guide and REST reference of Kii Cloud, and Kii's SDKs. Never tested with a real server.
struct KiiEndpoints: Endpoints {
    /// The URL of the site with `/api`, without a trailing slash.
    let site: String
    let appID: String
    /// The application key. Kii accepts any key, but requires one in the header `Authorization`.
    var appKey: Secret?

    /// `POST users`: 201 with `userID`, and with `_accessToken` if Kii creates a session. The content type asks for a
    /// session, as in Kii's SDK.
    ///
    /// - Parameter fields: empty for an anonymous user, who cannot log in again.
    func signUp(_ fields: JSONObject, _ operation: Operation = .signUp) -> Call {
        call(operation, .post, "users", fields, type: "vnd.kii.RegistrationAndAuthorizationRequest+json")
    }

    /// `POST oauth2/token`: 200 with `id`, `access_token`, `expires_in`, `refresh_token`?.
    func logIn(_ login: String, _ password: Secret) -> Call {
        call(
            .logIn, .post, "oauth2/token",
            [
                "grant_type": "password", "username": .string(KiiAddress(login: login).prefixed),
                "password": .string(password.reveal()),
            ]
        )
    }

    /// `POST oauth2/token` with a refresh token: 200 as for a login. Invalidates the old access and refresh tokens.
    func refresh(_ token: Secret) -> Call {
        call(
            .refresh, .post, "oauth2/token",
            ["grant_type": "refresh_token", "refresh_token": .string(token.reveal())]
        )
    }

    /// `POST integration/<provider>`: 200 as for a login, with `new_user_created`.
    func logIn(_ provider: KiiProvider, _ accessToken: Secret) -> Call {
        call(
            .logInWithIdentity, .post, "integration/\(provider.provider.name)",
            ["accessToken": .string(accessToken.reveal())],
            type: "vnd.kii.AuthToken\(provider.provider.title)Request+json"
        )
    }

    /// `GET users/me`: 200 with the user.
    func currentUser(_ session: Session, _ operation: Operation) -> Call {
        call(operation, .get, "users/me", as: session)
    }

    /// `POST users/me`: 200 with `modifiedAt`. The server removes application fields that the request omits.
    func updateUser(_ fields: JSONObject, _ session: Session) -> Call {
        call(.updateUser, .post, "users/me", as: session, fields, type: "vnd.kii.UserUpdateRequest+json")
    }

    /// `PUT users/me/email-address`: 204. A new address that must be verified replaces the old one only after
    /// verification.
    func changeEmail(to email: String, _ session: Session) -> Call {
        call(
            .updateUser, .put, "users/me/email-address", as: session, ["emailAddress": .string(email)],
            type: "vnd.kii.EmailAddressModificationRequest+json")
    }

    /// `DELETE users/me`: 204.
    func deleteUser(_ session: Session) -> Call { call(.deleteAccount, .delete, "users/me", as: session) }

    /// `PUT users/me/password`: 204. All sessions of the user are invalid afterwards.
    func changePassword(from current: Secret, to new: Secret, _ session: Session) -> Call {
        call(
            .changePassword, .put, "users/me/password", as: session,
            ["newPassword": .string(new.reveal()), "oldPassword": .string(current.reveal())],
            type: "vnd.kii.ChangePasswordRequest+json"
        )
    }

    /// `POST users/<segment>/password/request-reset`: 204. The segment is `KiiAddress.segment`.
    func resetPassword(_ address: KiiAddress) -> Call {
        call(
            .requestPasswordReset, .post, "users/\(address.segment)/password/request-reset",
            ["notificationMethod": .string(address.isPhone ? "SMS" : "EMAIL")],
            type: "vnd.kii.ResetPasswordRequest+json")
    }

    /// `POST users/<segment>/password/complete-reset`: 204. The segment is `KiiAddress.segment`.
    func resetPassword(_ address: KiiAddress, pin: String, to new: Secret) -> Call {
        call(
            .finishPasswordReset, .post, "users/\(address.segment)/password/complete-reset",
            ["pinCode": .string(pin), "newPassword": .string(new.reveal())],
            type: "vnd.kii.CompletePasswordResetRequest+json")
    }

    /// `POST users/me/email-address/resend-verification`: 204.
    func resendVerification(_ session: Session) -> Call {
        call(.sendVerification, .post, "users/me/email-address/resend-verification", as: session)
    }

    /// `POST users/EMAIL:<address>/email-address/resend-verification`: 204.
    func resendVerification(to email: String) -> Call {
        call(
            .sendVerification, .post, "users/\(KiiAddress.email(email).segment)/email-address/resend-verification")
    }

    /// `POST users/me/email-address/verify`: 200.
    func verify(_ code: String, _ session: Session) -> Call {
        call(
            .verifyEmail, .post, "users/me/email-address/verify", as: session, ["verificationCode": .string(code)],
            type: "vnd.kii.AddressVerificationRequest+json"
        )
    }

    /// `POST users/me/<provider>/link`: 204.
    func link(_ provider: KiiProvider, _ accessToken: Secret, _ session: Session) -> Call {
        call(
            .linkIdentity, .post, "users/me/\(provider.provider.name)/link", as: session,
            ["accessToken": .string(accessToken.reveal())],
            type: "vnd.kii.Link\(provider.provider.title)Request+json"
        )
    }

    /// `POST users/me/<provider>/unlink`: 204.
    func unlink(_ provider: KiiProvider, _ session: Session) -> Call {
        call(.unlinkIdentity, .post, "users/me/\(provider.provider.name)/unlink", as: session)
    }

    func headers(of session: Session) -> SessionHeaders { SessionHeaders(scheme: "Bearer", session) }

    /// Sent if no application key is set, because Kii accepts any key.
    private static let anyKey = "key"

    /// - Parameter session: `nil` for a request of the application.
    private func call(
        _ operation: Operation, _ method: HTTPRequest.Method, _ path: String, as session: Session? = nil,
        _ fields: JSONObject? = nil, type: String = "json"
    ) -> Call {
        let pair = Array("\(appID):\(appKey?.reveal() ?? Self.anyKey)".utf8).base64Encoded
        let authorization = session.map { headers(of: $0).session.value } ?? "Basic \(pair)"
        return Call(
            operation, method, "\(site)/apps/\(appID.percentEncoded)/\(path)",
            ["Accept": "*/*", "Authorization": authorization], fields, type: type)
    }
}

extension NewAccount {
    /// The fields of a signup request, with Kii's field names.
    func kiiFields() throws(BackendError) -> JSONObject {
        var kiiFields = fields
        // If `phone` is `nil`, `fields` may contain a local phone number and its `country`.
        for (name, value) in [("loginName", username), ("emailAddress", email), ("phoneNumber", phone)] {
            if let value { kiiFields[name] = .string(value) }
        }
        kiiFields["password"] = .string(try requiredPassword().reveal())
        return kiiFields
    }

    /// Uses a username such as `ada@example.org` as the e-mail address, because Kii's login names cannot contain `@`.
    var namedAsKiiRequires: NewAccount {
        guard let username, username.utf8.contains(UInt8(ascii: "@")), email == nil || email == username else {
            return self
        }
        return NewAccount(
            username: nil, email: username, phone: phone, password: password, fields: fields)
    }
}

/// An identifier of an account. Kii marks e-mail addresses and phone numbers with a prefix.
///
/// A login name contains neither `@` nor `+`. Source: REST reference, "OAuth2".
enum KiiAddress: Equatable {
    case email(String)
    /// A number in international format, such as `+819012345678`, or a local number, such as `JP-0312345678`.
    case phone(String)
    /// A login name, or a user's id.
    case other(String)

    /// - Parameter login: a login name, e-mail address or phone number, with or without `EMAIL:` or `PHONE:`.
    init(login: String) {
        if login.hasPrefix("EMAIL:") || login.hasPrefix("PHONE:") {
            let address = String(login.dropFirst(6))
            self = login.hasPrefix("EMAIL:") ? .email(address) : .phone(address)
        } else if login.hasPrefix("+"), login.dropFirst().isASCIIDigits {
            self = .phone(login)
        } else if login.utf8.contains(UInt8(ascii: "@")) {
            self = .email(login)
        } else {
            self = .other(login)
        }
    }

    var isPhone: Bool { if case .phone = self { true } else { false } }

    /// The identifier with its prefix, such as `EMAIL:ada@example.org`.
    var prefixed: String {
        switch self {
        case .email(let address): "EMAIL:\(address)"
        case .phone(let number): "PHONE:\(number)"
        case .other(let login): login
        }
    }

    /// The identifier as one path segment. The colon of the prefix is not percent-encoded.
    var segment: String {
        switch self {
        case .email(let address): "EMAIL:\(address.percentEncoded)"
        case .phone(let number): "PHONE:\(number.percentEncoded)"
        case .other(let login): login.percentEncoded
        }
    }
}

/// A provider for which Kii requires only an access token. Twitter, QQ and RenRen require a second value as well.
///
/// Source: `Tests/Exchanges/kii/exchanges.ndjson`.
struct KiiProvider {
    let provider: IdentityProvider
    /// The name of the provider's member in `_thirdPartyAccounts`.
    let member: String

    static let all = [
        KiiProvider(provider: .facebook, member: "facebook"), KiiProvider(provider: .google, member: "googleplus"),
    ]
}

extension KiiProvider {
    /// - Throws: `BackendError` `unsupported` for any other provider.
    init(_ provider: IdentityProvider) throws(BackendError) {
        guard let known = Self.all.first(where: { $0.provider == provider }) else {
            throw BackendError(.unsupported, "Kii Cloud accepts only Facebook and Google identities")
        }
        self = known
    }
}
