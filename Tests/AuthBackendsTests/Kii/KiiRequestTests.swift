import AuthModel
import Expectations
import JSON
import Transport

@testable import AuthBackends

/// Compares the requests in Kii's documentation and SDKs with the client's requests for the same purpose.
@Suite struct KiiRequestTests {
    /// The intended differences from the requests in Kii's documentation, each with its reason.
    private static let reasons = [
        "header Accept added": "optional in the documentation; the SDK for JavaScript sends it",
        "header X-Kii-AppID missing": "the older way to name the application; Basic authentication replaces it",
        "header X-Kii-AppKey missing": "as above",
        "header Authorization added": "as above",
        "header Content-Type application/vnd.kii.ChangePasswordRequest+json+json -> "
            + "application/vnd.kii.ChangePasswordRequest+json": "the tests of an SDK repeat the suffix",
        "header Content-Type application/vnd.kii.UserUpdateRequest+json+json -> "
            + "application/vnd.kii.UserUpdateRequest+json": "as above",
        "header Content-Type application/vnd.kii.EmailAddressModificationRequest+json+json -> "
            + "application/vnd.kii.EmailAddressModificationRequest+json": "as above",
        "path /api/apps/APP_ID/users/USER_ID -> /api/apps/APP_ID/users/me":
            "requests with a session name the user `me`",
        "header Content-Type application/vnd.kii.OauthTokenRequest+json -> application/json":
            "the guides send this type to the token resource of an application",
        "header Content-Type added": "the body of a reset names the notification method",
        "path /api/oauth2/token -> /api/apps/APP_ID/oauth2/token": "the newer token resource, which all guides show",
        "path /api/apps/APP_ID/users/USER_ID/facebook/link -> /api/apps/APP_ID/users/me/facebook/link":
            "requests with a session name the user `me`",
        "header Content-Type application/vnd.kii.RegistrationRequest+json -> "
            + "application/vnd.kii.RegistrationAndAuthorizationRequest+json":
            "documented for pseudo users; an SDK for Java sends it for all users",
        "header Content-Type application/json -> application/vnd.kii.RegistrationAndAuthorizationRequest+json":
            "as above",
        "path /api/apps/APP_ID/users/me/email-address/resend-verification -> "
            + "/api/apps/APP_ID/users/EMAIL:EMAIL_ADDRESS/email-address/resend-verification":
            "the reference names both paths; this one requires no login",
        "header Authorization Bearer ACCESS_TOKEN -> Basic BASE64_ENCODED_APPID_AND_APPKEY": "as above",
        "path /api/apps/APP_ID/users/me/twitter/unlink -> /api/apps/APP_ID/users/me/facebook/unlink":
            "only the page of Twitter shows an unlink; the SDKs do the same with Facebook",
        "body grant_type added": "required by the newer token resource",
        "body grant_type password -> refresh_token": "the schema names one value; a refresh has another",
        "body notificationMethod added": "documented; without a body the server sends the same e-mail",
        "body expiresAt missing": "optional; without it the application sets the lifetime",
        "body client_id missing": "for administrators", "body client_secret missing": "for administrators",
        "body refresh_token missing": "logins and refreshes have different fields",
        "body username missing": "logins and refreshes have different fields",
        "body password missing": "logins and refreshes have different fields",
        "body phoneNumberVerified missing": "only administrators set it",
    ]

    @Test func `the client's requests match Kii's documentation, except for known differences`() throws {
        var found: Set<String> = []
        for exchange in try DocumentedExchange.all() {
            let ours = try Self.ours(for: exchange).map(\.request)
            #expect(!ours.isEmpty, "\(exchange.name)")
            for request in ours {
                let differences = exchange.differences(to: request)
                found.formUnion(differences)
                for difference in differences where Self.reasons[difference] == nil {
                    Issue.record("\(exchange.name): \(difference)")
                }
            }
        }
        expect(Set(Self.reasons.keys).subtracting(found), [], "not different any more")
    }

    // MARK: - Requests of the client

    private static let endpoints = KiiEndpoints(
        site: "https://a.example/api", appID: "APP_ID", appKey: Secret("APP_KEY"))
    private static let session = Session(token: Secret("ACCESS_TOKEN"))

    /// The client's requests for the same purpose as a documented request, with the documented values.
    private static func ours(for exchange: DocumentedExchange) throws -> [Call] {
        let (body, word) = (exchange.body, exchange.path.split(separator: "/").last.map(String.init))
        let secret = { (name: String) in Secret(body[name]?.string ?? "") }
        switch word {
        case "users" where exchange.type.contains("RegistrationAndAuthorization"):
            return [endpoints.signUp(body)]
        case "users": return try [endpoints.signUp(account(of: body).kiiFields())]
        case "token" where body["refresh_token"] != nil:
            return [
                endpoints.logIn(body["username"]?.string ?? "", secret("password")),
                endpoints.refresh(secret("refresh_token")),
            ]
        case "token": return [endpoints.logIn(body["username"]?.string ?? "", secret("password"))]
        case "me" where exchange.method == "DELETE": return [endpoints.deleteUser(session)]
        case "me" where exchange.method == "POST", "USER_ID": return [endpoints.updateUser(body, session)]
        case "me": return [endpoints.currentUser(session, .currentUser)]
        case "email-address": return [endpoints.changeEmail(to: body["emailAddress"]?.string ?? "", session)]
        case "password":
            return [endpoints.changePassword(from: secret("oldPassword"), to: secret("newPassword"), session)]
        case "request-reset": return [endpoints.resetPassword(.email("EMAIL_ADDRESS"))]
        case "complete-reset":
            return [
                endpoints.resetPassword(
                    .other("USER_ID"), pin: body["pinCode"]?.string ?? "", to: secret("newPassword"))
            ]
        case "resend-verification":
            return [endpoints.resendVerification(session), endpoints.resendVerification(to: "EMAIL_ADDRESS")]
        case "verify": return [endpoints.verify(body["verificationCode"]?.string ?? "", session)]
        case "facebook": return [endpoints.logIn(KiiProvider.all[0], secret("accessToken"))]
        case "link": return [endpoints.link(KiiProvider.all[0], secret("accessToken"), session)]
        case "unlink": return [endpoints.unlink(KiiProvider.all[0], session)]
        default: return []
        }
    }

    /// The account whose signup request has the documented body `body`.
    private static func account(of body: JSONObject) -> NewAccount {
        let own = ["loginName", "emailAddress", "phoneNumber", "password", "phoneNumberVerified"]
        return NewAccount(
            username: body["loginName"]?.string, email: body["emailAddress"]?.string,
            phone: body["phoneNumber"]?.string, password: Secret(body["password"]?.string ?? ""),
            fields: JSONObject(body.members.filter { !own.contains($0.name) }))
    }
}

/// One line of `Tests/Exchanges/kii/exchanges.ndjson`; `Tests/Exchanges/README.md` describes the format.
private struct DocumentedExchange {
    let name: String
    let method: String
    /// In `path`, `headers` and `body`, a placeholder `{NAME}` of the file is `NAME`.
    let path: String
    let headers: [String: String]
    let body: JSONObject

    static func all() throws -> [DocumentedExchange] {
        try RecordedServer.kii.lines(of: "exchanges.ndjson").map {
            let line = try JSONValue(parsing: Array($0.utf8))
            return DocumentedExchange(line["name"]?.string ?? "", line["request"] ?? .null)
        }
    }

    private init(_ name: String, _ request: JSONValue) {
        self.name = name
        method = request["method"]?.string ?? ""
        path = (request["path"]?.string ?? "").withoutBraces
        headers = Dictionary(
            uniqueKeysWithValues: (request["headers"]?.object?.members ?? []).map {
                ($0.name, ($0.value.string ?? "").withoutBraces)
            })
        body = JSONObject(
            (request["body"]?.object?.members ?? []).map { member in
                JSONObject.Member(
                    name: member.name, value: member.value.string.map { .string($0.withoutBraces) } ?? member.value)
            })
    }

    var type: String { headers["Content-Type"] ?? "" }

    /// The differences, each in a form such as `path A -> B`, `header N missing` or `body N added`.
    func differences(to ours: HTTPRequest) -> Set<String> {
        var found: Set<String> = []
        if ours.method.rawValue != method { found.insert("method \(method) -> \(ours.method.rawValue)") }
        let ourPath = ours.url.replacing("https://a.example", with: "")
        if ourPath != path { found.insert("path \(path) -> \(ourPath)") }
        // `QVBQ…` is the output of `printf APP_ID:APP_KEY | base64`.
        let ourHeaders = ours.headers.fields.map {
            ($0.name, $0.value.replacing("QVBQX0lEOkFQUF9LRVk=", with: "BASE64_ENCODED_APPID_AND_APPKEY"))
        }
        found.formUnion(Self.differences("header", headers, Dictionary(uniqueKeysWithValues: ourHeaders)))
        // `try?`: parsing cannot fail, because every body that the client sends is JSON.
        let ourBody = ours.body.flatMap { try? JSONValue(parsing: $0) }?.object?.members ?? []
        found.formUnion(Self.differences("body", Self.texts(body.members), Self.texts(ourBody)))
        return found
    }

    private static func texts(_ members: [JSONObject.Member]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.string ?? $0.value.text) })
    }

    private static func differences(_ what: String, _ theirs: [String: String], _ ours: [String: String]) -> [String] {
        Set(theirs.keys).union(ours.keys).compactMap { name in
            switch (theirs[name], ours[name]) {
            case (let theirs?, let ours?): theirs == ours ? nil : "\(what) \(name) \(theirs) -> \(ours)"
            case (_?, nil): "\(what) \(name) missing"
            case (nil, _): "\(what) \(name) added"
            }
        }
    }
}

extension String {
    fileprivate var withoutBraces: String { replacing("{", with: "").replacing("}", with: "") }
}
