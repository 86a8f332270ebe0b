import AuthModel
import JSON
import Platform

/// Reads the responses from Firebase Authentication. They may contain `passwordHash`, `salt` and the tokens of a
/// provider, which must not be shown or saved: only known members are read.
enum FirebasePayloads {
    /// The fields that a user can set.
    static let ownFields = ["displayName", "photoUrl"]
    /// The fields that the administrator can set.
    static let settableFields = ownFields + ["phoneNumber"]
    static let systemFields = ["phoneNumber", "lastLoginAt", "tenantId"]

    /// Reads a user: `localId`, and usually `email`, `emailVerified`, `displayName`, `photoUrl`, `providerUserInfo`,
    /// `createdAt` (milliseconds as text). An anonymous user has only `localId` and times.
    static func user(_ object: JSONObject) -> User {
        var fields: JSONObject = [:]
        for name in ownFields + systemFields { fields[name] = object[name] }
        var user = User(
            id: object["localId"]?.filledText, email: object["email"]?.filledText,
            emailVerified: object["emailVerified"]?.bool,
            createdAt: object["createdAt"]?.string.flatMap { Int64($0) }.map { Instant(milliseconds: $0) },
            identities: identities(object), fields: fields)
        user.phone = object["phoneNumber"]?.filledText
        user.disabled = object["disabled"]?.bool
        user.claims = claims(object)
        return user
    }

    /// The new values and the removed fields, in the form of `accounts:update`. Source: the exchange
    /// `admin/update-delete-attribute`.
    static func fields(_ change: UserChange) -> JSONObject {
        var fields = change.fields
        let removed = change.unset.compactMap { ["displayName": "DISPLAY_NAME", "photoUrl": "PHOTO_URL"][$0] }
        if !removed.isEmpty { fields["deleteAttribute"] = .array(removed.map { .string($0) }) }
        if change.unset.contains("phoneNumber") { fields["deleteProvider"] = ["phone"] }
        return fields
    }

    /// Reads `customAttributes`, a JSON text.
    static func claims(_ object: JSONObject) -> JSONObject? {
        // `try?`: a text that is no JSON object says nothing of the claims.
        object["customAttributes"]?.string.flatMap { try? JSONValue(parsing: $0.utf8) }?.object
    }

    /// The text of `customAttributes` after a change of the account's claims; `null` removes one.
    ///
    /// - Throws: `BackendError` `invalidFields` for more than 1,000 characters. Source: Firebase,
    ///   "Control Access with Custom Claims"; `validateSerializedCustomClaims` of the emulator.
    static func customAttributes(
        of account: JSONObject, changing claims: JSONObject
    ) throws(BackendError) -> JSONValue {
        let known = account["customAttributes"]?.filledText == nil ? [:] : self.claims(account)
        guard var all = known else {
            throw BackendError(.invalidResponse, "the account's claims are not a JSON object")
        }
        for claim in claims.members { all[claim.name] = claim.value }
        all.members.removeAll { claims[$0.name] == .null }
        let text = JSONValue.object(all).text
        guard text.utf16.count <= 1000 else {
            throw BackendError(
                .invalidFields,
                "the claims of the account have \(text.utf16.count) characters, and at most 1000 are allowed",
                fields: [FieldFault("claims", "are too long")])
        }
        return .string(text)
    }

    /// The body of `accounts:batchCreate` for one account. Source: the exchanges `import/bcrypt` and `import/scrypt`;
    /// `UserImportBuilder` of firebase-admin.
    static func upload(_ account: JSONObject, _ hash: HashedPassword) throws(BackendError) -> JSONObject {
        var (body, user, parts) = (JSONObject(), account, hash.parts.map { $0.reveal() })
        switch hash.kind {
        case .bcrypt:
            body["hashAlgorithm"] = "BCRYPT"
            parts = [Array(hash.text.reveal().utf8).base64Encoded]
        case .fbscrypt:
            body["hashAlgorithm"] = "SCRYPT"
            (body["signerKey"], body["saltSeparator"]) = (forURL(parts[3]), forURL(parts[2]))
            (body["rounds"], body["memoryCost"]) = (.integer(Int64(hash.costs[1])), .integer(Int64(hash.costs[0])))
            user["salt"] = forURL(parts[4])
        case .pbkdf2:
            (body["hashAlgorithm"], body["rounds"]) = ("PBKDF2_SHA256", .integer(Int64(hash.costs[0])))
            user["salt"] = forURL(Array(parts[1].utf8).base64Encoded)
        case .argon2id, .argon2i:
            throw BackendError(.invalidFields, "Firebase does not accept password hashes of \(hash.kind.rawValue)")
        }
        user["passwordHash"] = parts.last.map(forURL)
        body["users"] = [.object(user)]
        return body
    }

    private static func forURL(_ base64: String) -> JSONValue {
        .string(base64.replacing("+", with: "-").replacing("/", with: "_"))
    }

    /// The beginning of the project's hashes as `HashedPassword` reads them; `nil` for another algorithm than `SCRYPT`.
    static func hashParameters(_ config: JSONObject) -> String? {
        guard config["algorithm"] == "SCRYPT", let memory = config["memoryCost"]?.integer,
            let rounds = config["rounds"]?.integer, let separator = base64(config["saltSeparator"]),
            let key = base64(config["signerKey"])
        else { return nil }
        return "$fbscrypt$v=1,n=\(memory),r=\(rounds),p=1,ss=\(separator),sk=\(key)"
    }

    /// Reads `passwordHash` and `salt`. They are empty until the first login if the account was imported with a hash of
    /// another algorithm. Source: Firebase CLI, "auth:export".
    static func hash(_ user: JSONObject, _ parameters: String) -> Secret? {
        guard let salt = base64(user["salt"]), let key = base64(user["passwordHash"]) else { return nil }
        return HashedPassword(Secret("\(parameters)$\(salt)$\(key)"))?.text
    }

    /// Base64 with padding, of a text in Base64 or base64url.
    private static func base64(_ value: JSONValue?) -> String? {
        let text = value?.filledText?.replacing("-", with: "+").replacing("_", with: "/")
        return text.flatMap { [UInt8](base64: $0) }?.base64Encoded
    }

    static let reservedClaims = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss", "jti",
        "nbf", "nonce", "sub",
    ]

    /// Reads the user of a response to `lookup`. A response without `email` shows that there is none.
    static func lookedUp(_ response: JSONObject) -> JSONObject? { response["users"]?.array?.first?.object }

    static func whole(_ object: JSONObject) -> User {
        var user = user(object)
        user.identities = user.identities ?? []
        return user.reading(email: object["email"] ?? .null)
    }

    /// - Parameter hashParameters: see `hash`; `nil` to read no hash.
    static func listedUser(_ object: JSONObject, _ hashParameters: String? = nil) -> User {
        var user = whole(object)
        user.disabled = user.disabled ?? false
        user.claims = user.claims ?? [:]
        user.passwordHash = hashParameters.flatMap { hash(object, $0) }
        let hashes = ["passwordHash", "salt"].filter { user.passwordHash == nil && object[$0] != nil }
        user.hiddenFields = hashes + (claims(object)?.secretNames ?? [])
        return user
    }

    /// A user as Firebase's JavaScript SDK saves it, without the tokens. A member without a value is missing.
    static func browserUser(_ user: JSONObject, _ session: Session) -> JSONObject {
        let providers = providers(user)
        let method = JWT.payload(of: session.token)?["firebase"]?["sign_in_provider"]
        var entry: JSONObject = ["uid": user["localId"] ?? .null]
        entry["email"] = user["email"]
        entry["emailVerified"] = .bool(user["emailVerified"]?.bool ?? false)
        (entry["displayName"], entry["photoURL"]) = (user["displayName"], user["photoUrl"])
        (entry["phoneNumber"], entry["tenantId"]) = (user["phoneNumber"], user["tenantId"])
        // An account that was anonymous has an identity.
        entry["isAnonymous"] = .bool(method == "anonymous" && providers.isEmpty)
        entry["providerData"] = .array(
            providers.map { provider in
                [
                    "providerId": provider["providerId"] ?? .null, "uid": provider["rawId"] ?? "",
                    "displayName": provider["displayName"] ?? .null, "email": provider["email"] ?? .null,
                    "phoneNumber": provider["phoneNumber"] ?? .null, "photoURL": provider["photoUrl"] ?? .null,
                ]
            })
        (entry["createdAt"], entry["lastLoginAt"]) = (user["createdAt"], user["lastLoginAt"])
        return entry
    }

    /// Whether the user has a password.
    static func hasPassword(_ object: JSONObject) -> Bool {
        providers(object).contains { $0["providerId"]?.string == "password" }
    }

    /// Reads `providerUserInfo`: `providerId`, `rawId`. `nil` if it is missing.
    private static func identities(_ object: JSONObject) -> [Identity]? {
        guard object["providerUserInfo"] != nil else { return nil }
        return providers(object).compactMap { row in
            guard let id = row["providerId"]?.string, !["password", "phone"].contains(id) else { return nil }
            return Identity(provider: FirebaseProof.name(ofProvider: id), id: row["rawId"]?.identifier)
        }
    }

    private static func providers(_ object: JSONObject) -> [JSONObject] {
        object["providerUserInfo"]?.array?.compactMap(\.object) ?? []
    }

    /// Whether this is a token that an app's server has signed, for `signInWithCustomToken`.
    static func isCustom(_ token: Secret) -> Bool { project(of: token)?.hasSuffix(".IdentityToolkit") == true }

    static let customAudience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    /// The project that issued an ID token: its audience.
    static func project(of token: Secret?) -> String? {
        token.flatMap { JWT.payload(of: $0)?["aud"]?.filledText }
    }

    /// Reads an e-mail that the emulator lists: `{"email", "requestType", "oobLink", "newEmail"?}`. Source: the exchange
    /// `open/oob-codes` in `Tests/Exchanges/firebase`.
    @Sendable static func mail(_ row: JSONValue) -> ListedMail? {
        guard let type = row["requestType"]?.string, let email = row["email"]?.string,
            let link = row["oobLink"]?.string, link.isVisibleASCII
        else { return nil }
        let purpose = FirebaseMailCode.purposes[type]
        return ListedMail(
            recipient: purpose == .changeEmail ? row["newEmail"]?.string ?? email : email, subject: type, link: link,
            purpose: purpose)
    }

    /// Reads a text message that the emulator lists: `{"phoneNumber", "code"}`. Source: the exchange `phone/codes`.
    @Sendable static func message(_ row: JSONValue) -> ListedMail? {
        guard let number = row["phoneNumber"]?.string, let code = row["code"]?.string, code.isVisibleASCII else {
            return nil
        }
        return ListedMail(recipient: number, subject: "code", link: nil, code: code, purpose: .logIn)
    }

    /// Reads the tokens of a login or, in snake case, of a refresh; `nil` if there are none.
    static func session(_ object: JSONObject, at now: Instant, _ masker: Masker) -> Session? {
        Secret(token: object["idToken"] ?? object["id_token"], masker).map {
            Session(
                given: $0, refreshToken: object["refreshToken"] ?? object["refresh_token"], at: now, masker)
        }
    }

    /// Reads `mfaPendingCredential` and `mfaInfo` of a login that requires a second factor.
    static func pending(_ object: JSONObject, _ masker: Masker) -> FirebasePending? {
        guard let credential = Secret(token: object["mfaPendingCredential"], masker) else { return nil }
        let factors = object["mfaInfo"]?.array?.compactMap(\.object) ?? []
        let factor = factors.first { $0["totpInfo"] != nil } ?? factors.first { $0["phoneInfo"] != nil }
        guard let factor, let id = factor["mfaEnrollmentId"]?.filledText, id.isToken else { return nil }
        return FirebasePending(
            kind: factor["totpInfo"] != nil ? .totp : .phone, factor: id, credential: credential.reveal())
    }
}

/// A login that waits for its second factor. Saved as one token: `KIND:FACTOR:CREDENTIAL`.
struct FirebasePending {
    enum Kind: String {
        case totp
        /// The code was not sent yet.
        case phone
        /// A code was sent; `factor` is its `sessionInfo`.
        case code
        /// A code was sent in place of a password; `factor` is its `sessionInfo`, `credential` the phone number.
        case number
    }

    let kind: Kind
    let factor: String
    let credential: String

    init(kind: Kind, factor: String, credential: String) {
        (self.kind, self.factor, self.credential) = (kind, factor, credential)
    }

    init?(_ token: Secret) {
        let parts = token.reveal().split(separator: ":" as Character, maxSplits: 2).map { String($0) }
        guard parts.count == 3, let kind = Kind(rawValue: parts[0]) else { return nil }
        self.init(kind: kind, factor: parts[1], credential: parts[2])
    }

    var token: Secret { Secret("\(kind.rawValue):\(factor):\(credential)") }
}

/// The proof of an identity in the form that `signInWithIdp` expects.
struct FirebaseProof {
    /// A form, such as `id_token=…&providerId=google.com`.
    let form: String

    /// - Throws: `BackendError` `unsupported` for a code, and for an access token of Apple.
    init(_ credential: IdentityCredential) throws(BackendError) {
        let isApple = credential.provider == .apple
        try credential.require(isApple ? [.idToken] : [.idToken, .accessToken], at: "Firebase")
        var parts = [
            ("id_token", credential.proof.idToken?.reveal()), ("access_token", credential.proof.accessToken?.reveal()),
        ]
        parts += [("providerId", Self.id(of: credential.provider)), ("nonce", credential.nonce)]
        form = parts.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }.joined(separator: "&")
    }

    /// Firebase names a provider by its domain: `google.com`.
    static func id(of provider: IdentityProvider) -> String { "\(provider.name).com" }

    static func name(ofProvider id: String) -> String { id.hasSuffix(".com") ? String(id.dropLast(4)) : id }
}

/// The code in a link from an e-mail: `…?mode=MODE&oobCode=CODE&apiKey=KEY`; it may be the parameter `link` of another
/// link. Source: the exchange `oob/codes`; documentation of the service, "Email action handlers".
struct FirebaseMailCode {
    /// The purposes by their names in requests and e-mails, and by those in links.
    static let purposes: [String: MailPurpose] = [
        "VERIFY_EMAIL": .verifyEmail, "VERIFY_AND_CHANGE_EMAIL": .changeEmail, "RECOVER_EMAIL": .recoverEmail,
        "PASSWORD_RESET": .resetPassword, "EMAIL_SIGNIN": .logIn,
        "verifyEmail": .verifyEmail, "verifyAndChangeEmail": .changeEmail, "recoverEmail": .recoverEmail,
        "resetPassword": .resetPassword, "signIn": .logIn,
    ]

    let text: String
    /// `nil` if only the server knows it.
    let purpose: MailPurpose?
    /// The API key in the link.
    let apiKey: String?

    /// Registers the code as a secret.
    ///
    /// - Throws: `BackendError` `usage` if the link contains no code.
    init(_ key: MailKey, _ masker: Masker) throws(BackendError) {
        var link = key.link
        if let inner = link?.query["link"].flatMap({ MailLink($0) }) { link = inner }
        let text = link.map { $0.query["oobCode"] ?? "" } ?? key.text
        guard !text.isEmpty else {
            throw BackendError(.usage, "the link contains no code", next: .wholeLink)
        }
        masker.register(text)
        self.text = text
        purpose = link?.query["mode"].flatMap { Self.purposes[$0] }
        apiKey = link?.query["apiKey"]
    }
}
