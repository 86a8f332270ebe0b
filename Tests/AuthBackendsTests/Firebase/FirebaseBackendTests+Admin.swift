import CommandTestSupport
import Platform

@testable import AuthBackends

extension FirebaseBackendTests {
    private static let users = "POST v1/projects/demo-shop/accounts"
    private static let updated = Answer("\(users):update", #"{"localId":"u1","idToken":"t0ken-of-ada"}"#)

    /// The account with these claims, as the administrator sees it.
    private static func found(_ claims: String?, _ more: String = "") -> Answer {
        let member = claims.map { #","customAttributes":\#(JSONValue.string($0).text)"# } ?? ""
        return Answer("\(users):lookup", #"{"users":[{"localId":"u1","email":"a@b"\#(member)\#(more)}]}"#)
    }

    /// Source: the exchanges `admin/create`, `admin/create-disabled` and `admin/claims-set`.
    @Test func `the administrator creates an account with its state, then sets its claims`() throws {
        var account = NewAccount(
            username: nil, email: "a@b", phone: "+15555550188", password: Secret("long enough"),
            fields: ["displayName": "Ada", "photoUrl": "http://p"])
        (account.state.emailVerified, account.state.disabled) = (true, true)
        (account.state.claims, account.id) = (["role": "admin", "none": .null], "u1")
        let found = Self.found(#"{"role":"admin"}"#, #","disabled":true"#)
        let bodies = try run(Answer(Self.users, #"{"localId":"u1"}"#), Self.updated, found) { backend throws in
            guard case .created(let user) = try backend.createUser(account, adminKey: nil) else { throw TestFault() }
            #expect(user.claims == ["role": "admin"] && user.disabled == true)
        }
        let fields = #""displayName":"Ada","photoUrl":"http://p","email":"a@b","phoneNumber":"+15555550188""#
        expect(bodies[0], #"{\#(fields),"password":"long enough","emailVerified":true,"disabled":true,"localId":"u1"}"#)
        expect(bodies[1], ##"{"localId":"u1","customAttributes":"{\"role\":\"admin\"}"}"##)
    }

    @Test func `a new account whose claims cannot be set is reported as created`() throws {
        var account = NewAccount(username: nil, phone: "15555550188", password: Secret("long enough"))
        account.state.claims = ["a": 1]
        let refused = Answer("\(Self.users):update", 400, FirebaseSample.error("FORBIDDEN_CLAIM : a"))
        let bodies = try run(Answer(Self.users, #"{"localId":"u1"}"#), refused) { backend throws in
            let error = try failure { _ = try backend.createUser(account, adminKey: nil) }
            #expect(error.isAfterSuccess && error.message.hasPrefix("the account was created"), "\(error)")
        }
        expect(bodies[0], #"{"phoneNumber":"+15555550188","password":"long enough"}"#)
        let key = FirebaseSample.error("Bad.", 401).replacing("}}", with: #","status":"UNAUTHENTICATED"}}"#)
        try run(Answer(Self.users, 401, key)) { backend throws in
            let error = try failure { _ = try backend.createUser(account, adminKey: Secret("t")) }
            #expect(error.reason == .badAppKey && error.message.contains("access token") && !error.isAfterSuccess)
        }
    }

    /// Source: the exchanges `admin/update-email-password-unverify`, `admin/update-delete-attribute`, `admin/disable` and
    /// `admin/end-sessions`.
    @Test func `the administrator changes an account with one request, then reads it`() throws {
        var all = AccountChange { ($0.emailVerified, $0.disabled, $0.endsSessions) = (false, true, true) }
        all.user = UserChange(email: "b@c", fields: ["phoneNumber": "+15555550111"], unset: ["displayName"])
        all.user.password = Secret("long enough")
        let removal = AccountChange { $0.user.unset = ["photoUrl", "phoneNumber"] }
        let found = Self.found(nil)
        let bodies = try run(Self.updated, found, Self.updated, found) { backend throws in
            for change in [all, removal] {
                let user = try backend.update(change, of: User(id: "u1"), adminKey: nil)
                #expect(user.claims == [:] && user.disabled == false)
            }
            // The response to a new password has tokens of the user.
            expect(backend.masker.mask("t0ken-of-ada"), "<redacted>")
        }
        let names = #""phoneNumber":"+15555550111","deleteAttribute":["DISPLAY_NAME"],"email":"b@c""#
        let state = #""emailVerified":false,"disableUser":true,"validSince":"\#(Instant.sampleNow.seconds)""#
        expect(bodies[0], #"{\#(names),"password":"long enough",\#(state),"localId":"u1"}"#)
        expect(bodies[2], #"{"deleteAttribute":["PHOTO_URL"],"deleteProvider":["phone"],"localId":"u1"}"#)
    }

    /// A member whose name suggests a secret is not shown, but stays.
    @Test func `claims are merged with all claims that the account has`() throws {
        let change = AccountChange { $0.claims = ["role": "admin", "team": .null] }
        let (before, after) = (#"{"apiKey":"k1","team":"red"}"#, #"{"apiKey":"k1","role":"admin"}"#)
        let bodies = try run(Self.found(before), Self.updated, Self.found(after)) { backend throws in
            try expect(backend.update(change, of: User(id: "u1"), adminKey: nil).claims, ["role": "admin"])
        }
        expect(bodies[1], #"{"customAttributes":\#(JSONValue.string(after).text),"localId":"u1"}"#)
    }

    @Test func `claims that another administrator overwrote are written again, at most three times`() throws {
        let change = AccountChange { ($0.claims, $0.disabled) = (["a": 1], true) }
        let (other, both) = (Self.found(#"{"b":2}"#), Self.found(#"{"b":2,"a":1}"#))
        let bodies = try run(Self.found(nil), Self.updated, other, Self.updated, both) { backend throws in
            try expect(backend.update(change, of: User(id: "u1"), adminKey: nil).claims, ["b": 2, "a": 1])
        }
        expect(bodies[3], ##"{"customAttributes":"{\"b\":2,\"a\":1}","localId":"u1"}"##)
        try run(other, Self.updated, other, Self.updated, other, Self.updated, other) { backend throws in
            try expect(failure { _ = try backend.update(change, of: User(id: "u1"), adminKey: nil) }.reason, .conflict)
        }
    }

    private static let refusedClaims: [(JSONObject, before: String, AuthError.Reason)] = [
        (["a": .string(String(repeating: "x", count: 993))], "{}", .invalidFields),
        (["a": 1], "not JSON", .invalidResponse),
    ]

    @Test(arguments: refusedClaims)
    func `claims that are too long, or would replace unreadable ones, are not sent`(
        claims: JSONObject, before: String, reason: AuthError.Reason
    ) throws {
        try run(Self.found(before)) { backend throws in
            let change = AccountChange { $0.claims = claims }
            try expect(failure { _ = try backend.update(change, of: User(id: "u1"), adminKey: nil) }.reason, reason)
        }
    }

    @Test func `accounts are found by their address or phone number, and by no other name`() throws {
        let phone = Self.found(nil, #","phoneNumber":"+15555550188""#)
        let bodies = try run(phone, Self.found(nil)) { backend throws in
            try expect(backend.users(named: "+15555550188", adminKey: nil).map(\.id), ["u1"])
            try expect(backend.users(named: "A@b", adminKey: nil).map(\.id), ["u1"])
            try expect(backend.users(named: "ada", adminKey: nil), [])
        }
        expect(bodies, [#"{"phoneNumber":["+15555550188"]}"#, #"{"email":["A@b"]}"#])
    }

    // MARK: - Password hashes

    /// Runs a call of the service, not of the emulator.
    private func runAtService(
        _ answers: [Answer], serviceAccount: String? = nil, call: (FirebaseBackend) throws -> Void
    ) throws -> [String] {
        let script = AnswerScript(answers) { $0.replacing(FirebaseEndpoints.service + "/", with: "") }
        let client = ServerClient.replaying(script, base: FirebaseEndpoints.service)
        var backend = FirebaseBackend(
            endpoints: FirebaseEndpoints(
                server: FirebaseEndpoints.service, apiKey: nil, serviceAccount: serviceAccount,
                project: { "demo-shop" }), server: client, tokens: client)
        backend.randomness = Randomness { [UInt8](repeating: 0xAB, count: $0) }
        try call(backend)
        expect(script.rest, [])
        return script.bodies
    }

    /// Source: Google Cloud, "Method: serviceAccounts.signJwt"; Firebase, "Create custom tokens".
    @Test func `an administrator logs in as a user with a token that a service account signs without its private key`()
        throws
    {
        let account = "ci@demo-shop.iam.gserviceaccount.com"
        let path =
            "POST \(FirebaseEndpoints.signer)/v1/projects/-/serviceAccounts/ci%40demo-shop.iam.gserviceaccount.com:signJwt"
        let denied =
            #"{"error":{"code":403,"message":"Permission 'iam.serviceAccounts.signJwt' denied","status":"PERMISSION_DENIED"}}"#
        let bodies = try runAtService(
            [
                Answer(path, #"{"keyId":"k","signedJwt":"a.b.c"}"#),
                Answer("POST v1/accounts:signInWithCustomToken", FirebaseSample.session(FirebaseSample.user())),
                Answer(path, 403, denied),
            ], serviceAccount: account
        ) { backend throws in
            try expect(backend.logIn(as: User(id: "u1"), adminKey: Self.token).value.user.id, "u1")
            let error = try failure { _ = try backend.logIn(as: User(id: "u1"), adminKey: Self.token) }
            #expect(error.reason == .forbidden && error.message.contains("'iam.serviceAccounts.signJwt' denied"))
            #expect(error.nextSteps[0].sentence.contains("roles/iam.serviceAccountTokenCreator"))
        }
        let claims = try #require(try JSONValue(parsing: Array(bodies[0].utf8))["payload"]?.string)
        #expect(
            claims.contains(#""iss":"\#(account)","sub":"\#(account)","aud":"\#(FirebasePayloads.customAudience)""#))
        #expect(claims.hasSuffix(#""uid":"u1"}"#) && bodies[1].hasPrefix(#"{"token":"a.b.c""#))
        _ = try runAtService([]) { backend throws in
            let error = try failure { _ = try backend.logIn(as: User(id: "u1"), adminKey: Self.token) }
            #expect(error.reason == .usage && error.nextSteps[0].command.contains("serviceAccount"))
            let call = try failure { _ = try backend.request(Pending(.logInCode), of: "+15555550123") }
            #expect(call.reason == .unsupported && call.message.contains("reCAPTCHA"))
        }
    }

    private static let token = Secret("ya29.t")
    private static let free = Answer("\(users):lookup", "{}")
    private static let imported = Answer("\(users):batchCreate", "{}")
    private static let signerKey =
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
    /// The published test vector: the password is `user1password`.
    private static let scrypt =
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=\(signerKey)$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

    /// Columns: the hash; the members of the request before and in the account. Source: the exchanges `import/bcrypt` and
    /// `import/scrypt`.
    @Test(arguments: [
        (
            "$2b$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq", #""hashAlgorithm":"BCRYPT""#,
            #""passwordHash":"JDJiJDEwJFNYRXoySGVUOFBVSUdRWG85eWVVSWVtOEt6TnhnRzBkN28vLmVHajJyajhLYlJnQXVSVmxx""#
        ),
        (
            scrypt,
            #""hashAlgorithm":"SCRYPT","signerKey":"\#(signerKey)","saltSeparator":"Bw==","rounds":8,"memoryCost":14"#,
            #""salt":"42xEC-ixf3L2lw==","passwordHash":"lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==""#
        ),
        (
            "pbkdf2_sha256$120000$c2Fs$+/8CAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            #""hashAlgorithm":"PBKDF2_SHA256","rounds":120000"#,
            #""salt":"YzJGcw==","passwordHash":"-_8CAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=""#
        ),
    ])
    func `an account with a hash is imported by one request, after its address was looked up`(
        hash: String, parameters: String, members: String
    ) throws {
        expect(BackendRegistration.firebase.descriptor().accounts.fault(ofHash: Secret(hash)), nil)
        var account = NewAccount(
            username: nil, email: "a@b", password: nil, passwordHash: HashedPassword(Secret(hash)),
            fields: ["displayName": "Ada"])
        (account.state.emailVerified, account.state.disabled, account.state.claims) = (false, true, ["a": 1])
        let id = String(repeating: "ab", count: 14)
        let found = Answer("\(Self.users):lookup", #"{"users":[{"localId":"\#(id)","email":"a@b"}]}"#)
        let bodies = try runAtService([Self.free, Self.imported, found]) { backend throws in
            guard case .created(let user) = try backend.createUser(account, adminKey: Self.token) else {
                throw TestFault()
            }
            expect(user.id, id)
        }
        let state = #""emailVerified":false,"disabled":true,"localId":"\#(id)","customAttributes":"{\"a\":1}""#
        expect(bodies[1], #"{\#(parameters),"users":[{"displayName":"Ada","email":"a@b",\#(state),\#(members)}]}"#)
    }

    @Test func `a taken address, a row that the server rejects, and the emulator are errors of the row`() throws {
        let account = NewAccount(
            username: nil, email: "a@b", password: nil, passwordHash: HashedPassword(Secret(Self.scrypt)))
        let taken = Answer("\(Self.users):lookup", #"{"users":[{"localId":"u1"}]}"#)
        _ = try runAtService([taken]) { backend throws in
            try expect(failure { _ = try backend.createUser(account, adminKey: Self.token) }.reason, .emailTaken)
        }
        let row = Answer("\(Self.users):batchCreate", #"{"error":[{"index":0,"message":"email is invalid"}]}"#)
        _ = try runAtService([Self.free, row]) { backend throws in
            let error = try failure { _ = try backend.createUser(account, adminKey: Self.token) }
            #expect(error.reason == .invalidFields && error.message.contains(#""email is invalid""#))
        }
        try run { backend throws in
            try expect(failure { _ = try backend.createUser(account, adminKey: nil) }.reason, .unsupported)
            try expect(
                failure { _ = try backend.users(withHashesAfter: nil, limit: 9, adminKey: nil) }.reason, .unsupported)
        }
    }

    private static let config =
        #"{"algorithm":"SCRYPT","signerKey":"\#(signerKey)","saltSeparator":"Bw==","rounds":8,"memoryCost":14}"#
    private static let configuration = Answer(
        "GET v2/projects/demo-shop/config", #"{"signIn":{"hashConfig":\#(config)}}"#)

    /// The hash is in base64url. Sources: Firebase, "Import users"; Identity Platform, "Config".
    @Test func `hashes are listed with the parameters of the project, which are requested once`() throws {
        let hash =
            #""salt":"42xEC-ixf3L2lw==","passwordHash":"lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==""#
        let rows = #"{"localId":"u1",\#(hash)},{"localId":"u2"},{"localId":"u3","passwordHash":"","salt":""}"#
        let list = Answer("GET v1/projects/demo-shop/accounts:batchGet?maxResults=9", #"{"users":[\#(rows)]}"#)
        _ = try runAtService([Self.configuration, list, list]) { backend throws in
            for _ in 1...2 {
                let users = try backend.users(withHashesAfter: nil, limit: 9, adminKey: Self.token).users
                expect(users.map { $0.passwordHash?.reveal() }, [Self.scrypt, nil, nil])
                #expect(users[0].hiddenFields.isEmpty && users[0].fields.isEmpty)
            }
            expect(backend.masker.mask(Self.scrypt), "<redacted>")
            expect(backend.masker.mask(Self.signerKey), "<redacted>")
        }
    }

    @Test func `hashes need a permission that the access token may lack`() throws {
        let redacted = #"{"users":[{"localId":"u1","passwordHash":"UkVEQUNURUQ="}]}"#
        let list = Answer("GET v1/projects/demo-shop/accounts:batchGet?maxResults=9", redacted)
        let denied = FirebaseSample.error("The caller does not have permission", 403)
            .replacing("}}", with: #","status":"PERMISSION_DENIED"}}"#)
        let path = "GET v2/projects/demo-shop/config"
        for answers in [[Answer(path, 403, denied)], [Answer(path, #"{"signIn":{}}"#)], [Self.configuration, list]] {
            _ = try runAtService(answers) { backend throws in
                let error = try failure { _ = try backend.users(withHashesAfter: nil, limit: 9, adminKey: Self.token) }
                #expect(error.reason == .forbidden && error.nextSteps[0].sentence.contains("getHashConfig"))
            }
        }
    }
}
