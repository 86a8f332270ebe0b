import AuthModel
import JSON
import Platform
import Testing
import Transport

@testable import AuthBackends

/// All responses of six Parse Servers, read by the operations that could get them.
@Suite struct ParseRecordingTests {
    @Test func `recorded responses of Parse Server are read as the table says`() throws {
        let found = try ReasonTable.lines(of: .parse, calls: \.parseCalls, reading: reading)
        try ReasonTable.expect(found, areThoseOf: .parse)
    }

    @Test func `errors recorded from Parse Server have the messages of the snapshot`() throws {
        var messages = MessageTable()
        try messages.addErrors(
            of: .parse, calls: \.parseCalls, operation: { $1.operation($0.method) },
            check: {
                _ = try ParseErrors.check($0.response, $1)
            })
        messages.expect(in: "backends/parse")
    }

    @Test func `every recorded response of Parse Server belongs to an operation`() throws {
        #expect(try RecordedAnswer.all(of: .parse).filter(\.parseCalls.isEmpty).map(\.request) == [])
    }

    @Test func `users and sessions read from Parse Server hold no secret`() throws {
        var secretsSeen: Set<String> = []
        for answer in try RecordedAnswer.all(of: .parse) where answer.response.status < 300 {
            let body = try JSONValue(parsing: answer.response.body)
            let secrets = Self.secrets(in: body)
            let read = Self.everything(in: body)
            for secret in secrets where read.contains(secret) { Issue.record("\(answer.name): \(secret)") }
            secretsSeen.formUnion(secrets)
        }
        // Without secrets, the search below would prove nothing.
        #expect(secretsSeen.contains("tok-carol"), "an access token of Facebook")
        #expect(secretsSeen.filter { $0.hasPrefix("r:") }.count > 50)
        #expect(secretsSeen.contains { $0.count == 26 || $0.count == 32 }, "a secret of a second factor")
    }
}

// MARK: - Reading

extension ParseRecordingTests {
    /// The summary of a successful response.
    private func reading(of answer: RecordedAnswer, _ call: Call) throws -> String {
        let payload = try ParseErrors.check(answer.response, call.operation(answer.method))
        let hasToken = ParsePayloads.token(payload, Masker()) != nil
        return switch (call, answer.method) {
        case (.signUp, _), (.identity, .post): hasToken ? "session" : "pending"
        case (.logIn, _), (.secondFactor, _): hasToken ? "session" : "none"
        case (.update, _): hasToken ? "session" : "ok"
        case (.session, .get), (.token, _), (.password, _): object(payload)
        default: "ok"
        }
    }

    private func object(_ payload: JSONObject) -> String {
        if let rows = payload["results"]?.array {
            return
                "sessions(\(rows.compactMap { $0.object.flatMap { ParsePayloads.session($0, currentID: nil) } }.count))"
        }
        if payload["createdWith"] != nil, ParsePayloads.session(payload, currentID: nil) != nil { return "row" }
        let user = ParsePayloads.user(payload)
        return user.id != nil && user.username != nil ? "user" : "nothing"
    }

    /// Every value that the client reads from a response, as text.
    private static func everything(in body: JSONValue) -> String {
        var text = ""
        for row in body["results"]?.array?.compactMap(\.object) ?? [] {
            dump(ParsePayloads.session(row, currentID: nil), to: &text)
        }
        if body["results"] == nil, let object = body.object {
            dump(ParsePayloads.token(object, Masker()), to: &text)
            dump(ParsePayloads.session(object, currentID: nil), to: &text)
            if object["createdWith"] == nil { dump(ParsePayloads.user(object), to: &text) }
        }
        return text
    }

    /// Tokens, and the values in `authData`: access tokens, one-time secrets, recovery codes, login names.
    private static func secrets(in value: JSONValue, isAuthData: Bool = false) -> [String] {
        switch value {
        case .object(let object): object.members.flatMap { secrets(in: $0, isAuthData: isAuthData) }
        case .array(let elements): elements.flatMap { secrets(in: $0, isAuthData: isAuthData) }
        case .string(let text): isAuthData && text.utf8.count >= 4 ? [text] : []
        default: []
        }
    }

    private static func secrets(in member: JSONObject.Member, isAuthData: Bool) -> [String] {
        switch (member.name, member.value) {
        case ("sessionToken", .string(let token)): [token]
        // A short id is a number that other texts contain too.
        case ("id", .string(let id)) where isAuthData: id.utf8.count < 16 ? [] : [id]
        case ("expiration_date", _): []
        default: secrets(in: member.value, isAuthData: isAuthData || member.name.hasPrefix("authData"))
        }
    }
}

extension RecordedAnswer {
    /// The calls of the client that could get this response.
    fileprivate var parseCalls: [Call] {
        switch request {
        // The same call creates an account without a name.
        case "POST /users", "POST /users anonymous", "POST /users odd": [.signUp]
        case "POST /users facebook", "POST /users nosuch", "PUT /users/:id facebook": [.identity]
        case "POST /login", "PUT /login": [.logIn]
        case "POST /login mfa", "POST /challenge": [.secondFactor]
        case "POST /verifyPassword": [.password]
        case "GET /users/me", "GET ../users/me": [.session, .token]
        // The request of Parse's JavaScript SDK.
        case "POST /users/me": [.session]
        case "POST /logout", "GET /logout", "DELETE /logout": [.session]
        case "GET /sessions", "GET /sessions/me", "GET /sessions/:id", "DELETE /sessions/:id": [.session]
        case "GET /nosuchendpoint", "GET /": [.session]
        case "PUT /users/:id", "PUT /users/me", "PUT /users/:id mfa", "PUT /users/:id anonymous": [.update]
        case "POST /requestPasswordReset", "GET /requestPasswordReset", "POST /verificationEmailRequest": [.mail]
        default: []
        }
    }
}

/// The calls by their names in the table of reasons.
private enum Call {
    case signUp, logIn, session, token, password, mail, secondFactor, identity, update

    func operation(_ method: HTTPRequest.Method) -> AuthModel.Operation {
        switch self {
        case .signUp: .signUp
        case .logIn: .logIn
        case .session: method == .get ? .currentUser : .logOut
        case .token: .logInWithToken
        case .password: .verifyPassword
        case .mail: .requestPasswordReset
        case .secondFactor: .secondFactor
        case .identity: method == .post ? .logInWithIdentity : .linkIdentity
        case .update: .updateUser
        }
    }
}
