import AuthModel
import JSON
import Platform
import Transport

/// The requests of Firebase Authentication, and of its emulator, which has the same paths below the names of Google's
/// hosts.
///
/// The token of a session is in the body, not in a header. Source: the exchanges in `Tests/Exchanges/firebase`.
struct FirebaseEndpoints: Endpoints {
    static let service = "https://identitytoolkit.googleapis.com"
    /// The service that signs in the name of service accounts.
    static let signer = "https://iamcredentials.googleapis.com"

    /// The root of `v1` and `v2`, without a trailing slash.
    let accounts: String
    /// The root of the service that exchanges refresh tokens.
    let tokens: String
    /// The URL of the emulator; `nil` for the service.
    let emulator: String?
    /// The Web API key, which names the project; `nil` only for the emulator, which accepts every text.
    let apiKey: Secret?
    /// The project, for the requests of an administrator; `nil` if neither a setting nor a session names it.
    let project: @Sendable () -> String?
    /// The project that a setting names.
    let namedProject: String?
    /// The setting `linkOrigin`.
    let linkOrigin: String?
    /// The e-mail of the service account that signs custom tokens.
    let serviceAccount: String?

    init(
        server: String, apiKey: Secret?, namedProject: String? = nil, linkOrigin: String? = nil,
        serviceAccount: String? = nil, project: @escaping @Sendable () -> String?
    ) {
        (self.linkOrigin, self.serviceAccount) = (linkOrigin, serviceAccount)
        emulator = server == Self.service ? nil : server
        accounts = emulator.map { "\($0)/identitytoolkit.googleapis.com" } ?? Self.service
        tokens = "\(emulator.map { "\($0)/" } ?? "https://")securetoken.googleapis.com"
        self.apiKey = apiKey
        self.project = project
        self.namedProject = namedProject
    }

    // MARK: - Logins

    /// `accounts:signUp`: 200 with `idToken`, `refreshToken`, `localId`. Without an e-mail, the user is anonymous. With
    /// `idToken`, its user gets the e-mail and password. Source: `live/anonymous-upgrade-email-password`; the SDK.
    func signUp(_ fields: JSONObject = [:], _ operation: Operation) -> Call {
        post(operation, "v1/accounts:signUp", fields.askingForTokens, .session("idToken"))
    }

    /// `accounts:signInWithPassword`: the same response; with `mfaPendingCredential` instead of tokens if a second
    /// factor is required.
    func logIn(email: String, password: Secret, _ operation: Operation = .logIn) -> Call {
        let fields: JSONObject = ["email": .string(email), "password": .string(password.reveal())]
        return post(operation, "v1/accounts:signInWithPassword", fields.askingForTokens)
    }

    /// `accounts:signInWithIdp`: the same response; `isNewUser` if it created the account. With `needConfirmation`
    /// instead of tokens if the e-mail belongs to an account with another provider.
    ///
    /// - Parameter session: links the identity to its user.
    func logIn(_ proof: FirebaseProof, _ session: Session? = nil) -> Call {
        var fields: JSONObject = ["postBody": .string(proof.form), "requestUri": "http://localhost"]
        fields["idToken"] = session.map { .string($0.token.reveal()) }
        return post(
            session == nil ? .logInWithIdentity : .linkIdentity, "v1/accounts:signInWithIdp", fields.askingForTokens)
    }

    /// `accounts:signInWithCustomToken`: the same response, without `localId`. The emulator accepts an unsigned token, and a
    /// JSON object with the `uid`.
    func logIn(customToken: String, _ operation: Operation) -> Call {
        post(
            operation, "v1/accounts:signInWithCustomToken",
            (["token": .string(customToken)] as JSONObject).askingForTokens)
    }

    /// `signJwt` of IAM: 200 with `signedJwt`. Source: Google Cloud, "Method: serviceAccounts.signJwt".
    func sign(_ claims: JSONObject, by account: String, _ key: Secret) -> Call {
        Call(
            .impersonate, .post, "\(Self.signer)/v1/projects/-/serviceAccounts/\(account.percentEncoded):signJwt",
            ["Accept": "application/json", "Authorization": "Bearer \(key.reveal())"],
            ["payload": .string(JSONValue.object(claims).text)], .data { $0["signedJwt"]?.isToken == true },
            isIdempotent: true)
    }

    /// `accounts:signInWithEmailLink`: the same response, with `isNewUser` if it created the account. Source: the exchange
    /// `link/sign-in`.
    func logIn(email: String, code: String) -> Call {
        post(.secondFactor, "v1/accounts:signInWithEmailLink", ["email": .string(email), "oobCode": .string(code)])
    }

    /// `accounts:sendVerificationCode`: 200 with `sessionInfo`. The service requires reCAPTCHA.
    func sendCode(phone: String) -> Call {
        post(
            .sendLogInCode, "v1/accounts:sendVerificationCode", ["phoneNumber": .string(phone)],
            .data { $0["sessionInfo"]?.isToken == true })
    }

    /// `accounts:signInWithPhoneNumber`: the same response as for a link.
    func logIn(sessionInfo: String, code: Secret) -> Call {
        post(
            .secondFactor, "v1/accounts:signInWithPhoneNumber",
            ["sessionInfo": .string(sessionInfo), "code": .string(code.reveal())])
    }

    /// The page that a link to log in leads to at last, which the project must know; `nil` without a known project.
    var continueURL: String? {
        linkOrigin ?? (emulator != nil ? "http://localhost" : project().map { "https://\($0).firebaseapp.com/" })
    }

    /// `mfaSignIn:start`: 200 with `phoneResponseInfo.sessionInfo`; sends the code. The service requires reCAPTCHA.
    func sendCode(_ pending: FirebasePending) -> Call {
        let fields: JSONObject = [
            "mfaPendingCredential": .string(pending.credential), "mfaEnrollmentId": .string(pending.factor),
            "phoneSignInInfo": [:],
        ]
        return post(.secondFactor, "v2/accounts/mfaSignIn:start", fields)
    }

    /// `mfaSignIn:finalize`: 200 with `idToken`, `refreshToken`.
    func finish(_ pending: FirebasePending, code: Secret) -> Call {
        var fields: JSONObject = ["mfaPendingCredential": .string(pending.credential)]
        if pending.kind == .code {
            fields["phoneVerificationInfo"] = [
                "sessionInfo": .string(pending.factor), "code": .string(code.reveal()),
            ]
        } else {
            fields["mfaEnrollmentId"] = .string(pending.factor)
            fields["totpVerificationInfo"] = ["verificationCode": .string(code.reveal())]
        }
        return post(.secondFactor, "v2/accounts/mfaSignIn:finalize", fields, .session("idToken"))
    }

    /// `token`: 200 with `id_token`, `refresh_token`. Old refresh tokens stay valid, so a lost response is harmless.
    func refresh(_ token: Secret) -> Call {
        var request = HTTPRequest(
            .post, "\(tokens)/v1/token", headers: headers,
            body: Array("grant_type=refresh_token&refresh_token=\(token.reveal().percentEncoded)".utf8),
            isIdempotent: true)
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        request.mostTries = 1
        return Call(.refresh, request)
    }

    // MARK: - The account

    /// `accounts:lookup`: 200 with `users`, which has one user.
    func user(_ token: Secret, _ operation: Operation) -> Call {
        post(operation, "v1/accounts:lookup", ["idToken": .string(token.reveal())], isIdempotent: true)
    }

    /// `accounts:update`: 200 with the user; with new tokens if the password changes.
    func update(_ fields: JSONObject, _ token: Secret, _ operation: Operation = .updateUser) -> Call {
        var fields = fields
        fields["idToken"] = .string(token.reveal())
        return post(operation, "v1/accounts:update", fields.askingForTokens)
    }

    /// `accounts:delete`: 200.
    func delete(_ session: Session) -> Call {
        post(.deleteAccount, "v1/accounts:delete", ["idToken": .string(session.token.reveal())])
    }

    // MARK: - E-mails

    /// `accounts:sendOobCode`: 200 with `email`.
    func sendEmail(
        _ type: String, _ operation: Operation, _ fields: JSONObject, _ session: Session? = nil
    ) -> Call {
        var fields = fields
        fields["requestType"] = .string(type)
        fields["idToken"] = session.map { .string($0.token.reveal()) }
        return post(operation, "v1/accounts:sendOobCode", fields)
    }

    /// `accounts:resetPassword` without a password: 200 with `requestType`, `email`. The code stays usable.
    func inspect(code: String, _ operation: Operation) -> Call {
        post(operation, "v1/accounts:resetPassword", ["oobCode": .string(code)], isIdempotent: true)
    }

    /// `accounts:resetPassword`: 200. The code stays usable if the password is too weak.
    func resetPassword(code: String, to new: Secret) -> Call {
        post(
            .finishPasswordReset, "v1/accounts:resetPassword",
            ["oobCode": .string(code), "newPassword": .string(new.reveal())])
    }

    /// `accounts:update` with a code: 200. Verifies the e-mail, or changes it.
    func apply(code: String) -> Call { post(.verifyEmail, "v1/accounts:update", ["oobCode": .string(code)]) }

    // MARK: - Administration

    /// `accounts:batchGet`: 200 with `users`, which may be missing, and with `nextPageToken` unless this is the last page.
    func users(after token: String?, limit: Int, _ key: Secret, _ project: String) -> Call {
        let next = token.map { "&nextPageToken=\($0.percentEncoded)" } ?? ""
        return admin(.listUsers, .get, ":batchGet?maxResults=\(limit)\(next)", nil, key, project)
    }

    /// `accounts:lookup`: 200, without `users` if there is none.
    func user(_ name: String, _ value: String, _ key: Secret, _ project: String) -> Call {
        admin(.readUser, .post, ":lookup", [name: [.string(value)]], key, project, isIdempotent: true)
    }

    /// `POST accounts`: 200 with `localId`, without tokens. No e-mail is sent. Source: the exchanges `admin/create…`; for
    /// `phoneNumber`, `signUp` of the emulator.
    func createUser(_ fields: JSONObject, _ key: Secret, _ project: String) -> Call {
        admin(.signUp, .post, "", fields, key, project, .account("localId"))
    }

    /// `accounts:batchCreate`: 200, with `error`, a list of `index` and `message`, if the account was not created. Source:
    /// the exchanges `import/…`.
    func importUser(_ fields: JSONObject, _ key: Secret, _ project: String) -> Call {
        admin(.signUp, .post, ":batchCreate", fields, key, project, .object)
    }

    /// `GET v2/projects/PROJECT/config`: 200; with `signIn.hashConfig` only at the service. Source: the exchange
    /// `admin/project-config`; Identity Platform, "Config".
    func configuration(_ key: Secret, _ project: String) -> Call {
        var call = admin(.listUsers, .get, "", nil, key, project)
        call.request.url = "\(accounts)/v2/projects/\(project.percentEncoded)/config"
        return call
    }

    /// `accounts:update` with `localId`: 200; with tokens of the user if the password changes. `customAttributes` replaces
    /// all claims.
    func update(_ fields: JSONObject, _ key: Secret, _ project: String) -> Call {
        admin(.changeUser, .post, ":update", fields, key, project, .account("localId"))
    }

    /// `accounts:delete`: 200.
    func delete(id: String, _ key: Secret, _ project: String) -> Call {
        admin(.deleteUser, .post, ":delete", ["localId": .string(id)], key, project)
    }

    /// - Parameter key: an access token of Google; sent without the API key.
    private func admin(
        _ operation: Operation, _ method: HTTPRequest.Method, _ verb: String, _ fields: JSONObject?, _ key: Secret,
        _ project: String, _ required: Required? = nil, isIdempotent: Bool? = nil
    ) -> Call {
        Call(
            operation, method, "\(accounts)/v1/projects/\(project.percentEncoded)/accounts\(verb)",
            ["Accept": "application/json", "Authorization": "Bearer \(key.reveal())"], fields,
            required, isIdempotent: isIdempotent)
    }

    // MARK: - Requests

    func headers(of session: Session) -> SessionHeaders { SessionHeaders(scheme: "Bearer", session) }

    /// - Parameter path: the path below the root, such as `v1/accounts:signUp`.
    private func post(
        _ operation: Operation, _ path: String, _ fields: JSONObject, _ required: Required? = nil,
        isIdempotent: Bool? = nil
    ) -> Call {
        Call(operation, .post, "\(accounts)/\(path)", headers, fields, required, isIdempotent: isIdempotent)
    }

    private var headers: HTTPHeaders {
        ["Accept": "application/json", "X-Goog-Api-Key": apiKey?.reveal() ?? "emulator"]
    }
}

extension JSONObject {
    /// Without this member, the service returns no refresh token. Source: documentation of the service.
    fileprivate var askingForTokens: JSONObject {
        var fields = self
        fields["returnSecureToken"] = true
        return fields
    }
}
