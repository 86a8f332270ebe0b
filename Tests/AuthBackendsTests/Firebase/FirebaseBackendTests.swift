import CommandTestSupport
import Platform

@testable import AuthBackends

/// What `BackendContract` and the recorded responses cannot show.
@Suite struct FirebaseBackendTests {
    typealias Answer = AnswerScript.Answer

    private static let live = Session(
        token: Secret("l1ve"), refreshToken: Secret("r1"), expiresAt: .sampleNow.adding(.seconds(60)))
    private static let over = Session(token: Secret("0ver"), expiresAt: .sampleNow)
    private static let me = answer("lookup", FirebaseSample.found())
    private static let account = NewAccount(username: nil, email: "ada@example.org", password: Secret("long enough"))
    private static let credentials = Credentials(login: "ada@example.org", password: Secret("a"))

    private static func answer(_ verb: String, _ body: String) -> AnswerScript.Answer {
        Answer("POST v1/accounts:\(verb)", body.contains(#""error""#) ? 400 : 200, body)
    }

    /// Runs a call that must send exactly these requests. Returns the bodies of the requests.
    @discardableResult
    func run(
        _ answers: Answer..., server: String = "https://a.example", project: String = "demo-shop",
        call: (FirebaseBackend) throws -> Void
    ) throws -> [String] {
        let script = AnswerScript(answers) {
            $0.replacing("\(server)/", with: "").replacing("https://", with: "").replacing(
                "identitytoolkit.googleapis.com/", with: "")
        }
        let client = ServerClient.replaying(script, base: server)
        try call(
            FirebaseBackend(
                endpoints: FirebaseEndpoints(
                    server: server, apiKey: Secret("AIzaKey1"), namedProject: project, project: { project }),
                server: client, tokens: client))
        expect(script.rest, [])
        return script.bodies
    }

    // MARK: - Endpoints

    @Test func `the service has two hosts, and the emulator has the names of both in its paths`() {
        func urls(_ server: String) -> [String] {
            let endpoints = FirebaseEndpoints(server: server, apiKey: nil, project: { nil })
            return [endpoints.signUp([:], .signUp), endpoints.refresh(Secret("r"))].map(\.request.url)
        }
        #expect(
            urls(FirebaseEndpoints.service) == [
                "https://identitytoolkit.googleapis.com/v1/accounts:signUp",
                "https://securetoken.googleapis.com/v1/token",
            ])
        #expect(
            urls("http://127.0.0.1:9099") == [
                "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signUp",
                "http://127.0.0.1:9099/securetoken.googleapis.com/v1/token",
            ])
    }

    /// An access token replaces the API key. Source: documentation of the service.
    @Test func `the API key is in a header, and not sent with the key of an administrator`() {
        let endpoints = FirebaseEndpoints(server: "https://a.example", apiKey: Secret("k1"), project: { nil })
        let signUp = endpoints.signUp([:], .signUp).request
        #expect(signUp.headers["X-Goog-Api-Key"] == "k1" && !signUp.url.contains("k1"))
        let list = endpoints.users(after: "a b", limit: 9, Secret("t1"), "demo-shop").request
        #expect(list.headers["X-Goog-Api-Key"] == nil && list.headers["Authorization"] == "Bearer t1")
        #expect(list.url.hasSuffix("/v1/projects/demo-shop/accounts:batchGet?maxResults=9&nextPageToken=a%20b"))
    }

    // MARK: - Browsers

    private static let page = BrowserPage(origin: URLParts("https://shop.example")!, command: [])

    /// Source: SDK 9.22, `UserImpl._fromJSON`, which rejects other types.
    @Test func `the browser gets a user as Firebase's SDK saves it, under the API key and the name of the app`() throws
    {
        let user = #"""
            {"users":[{"localId":"u1","email":"a@b.c","emailVerified":true,"photoUrl":"https://p.example/a",
            "createdAt":"1795727960805","lastLoginAt":"1795727960845","passwordHash":"x","providerUserInfo":[
            {"providerId":"password","email":"a@b.c","federatedId":"a@b.c","rawId":"a@b.c"}]}]}
            """#
        var page = Self.page
        page.appName = "shop"
        try run(Self.answer("lookup", user)) { backend throws in
            let state = try #require(try backend.browserState(of: Self.live, User(), for: page))
            expect(state.localStorage.map(\.name), ["firebase:authUser:AIzaKey1:shop"])
            let entry =
                #"{"uid":"u1","email":"a@b.c","emailVerified":true,"photoURL":"https://p.example/a","#
                + #""isAnonymous":false,"providerData":[{"providerId":"password","uid":"a@b.c","displayName":null,"#
                + #""email":"a@b.c","phoneNumber":null,"photoURL":null}],"createdAt":"1795727960805","#
                + #""lastLoginAt":"1795727960845","stsTokenManager":{"refreshToken":"r1","accessToken":"l1ve","#
                + #""expirationTime":\#(Instant.sampleNow.milliseconds + 60000)},"apiKey":"AIzaKey1","appName":"shop"}"#
            expect(state.localStorage.first?.value.reveal(), entry)
            expect(
                state.indexedDB.map(\.text),
                [
                    #"{"name":"firebaseLocalStorageDb","version":1,"stores":[{"name":"firebaseLocalStorage","#
                        + #""keyPath":"fbase_key","autoIncrement":false,"indexes":[],"records":[{"value":"#
                        + #"{"fbase_key":"firebase:authUser:AIzaKey1:shop","value":\#(entry)}}]}]}"#
                ])
        }
    }

    @Test func `the browser gets an anonymous user without an e-mail`() throws {
        let token = RestAuthSample.jwt(#"{"aud":"demo-shop","firebase":{"sign_in_provider":"anonymous"}}"#)
        let session = Session(token: Secret(token), refreshToken: Secret("r1"))
        try run(Self.answer("lookup", #"{"users":[{"localId":"u1"}]}"#)) { backend throws in
            let state = try #require(try backend.browserState(of: session, User(), for: Self.page))
            let entry = try JSONValue(parsing: Array(try #require(state.localStorage.first).value.reveal().utf8))
            #expect(entry["isAnonymous"] == true && entry["email"] == nil && entry["providerData"] == [])
            expect(entry["emailVerified"], false)
        }
    }

    @Test func `a browser needs the Web API key and a refresh token`() throws {
        try run { backend throws in
            let failure = try #require(throws: BackendError.self) {
                try backend.browserState(of: Self.over, User(), for: Self.page)
            }
            expect(failure.reason, .unsupported)
        }
        let server = "http://127.0.0.1:9099"
        let client = ServerClient.replaying(AnswerScript([]) { $0 }, base: server)
        let backend = FirebaseBackend(
            endpoints: FirebaseEndpoints(server: server, apiKey: nil, project: { nil }), server: client, tokens: client)
        let failure = try #require(throws: BackendError.self) {
            try backend.browserState(of: Self.live, User(), for: Self.page)
        }
        expect(failure.reason, .usage)
    }

    // MARK: - Accounts

    @Test func `a signup sends the name, then the photo, and reports a photo that was not set`() throws {
        var account = Self.account
        account.fields = ["displayName": "Ada", "photoUrl": "https://p.example/a"]
        let bodies = try run(
            Self.answer("signUp", FirebaseSample.session()),
            Self.answer("update", FirebaseSample.error("TOO_MANY_ATTEMPTS_TRY_LATER"))
        ) { backend throws in
            guard case .session(let new) = try backend.signUp(account).value else { throw TestFault() }
            #expect(new.createdAccount == true && new.user.fields == ["displayName": "Ada"])
            expect(new.warnings, ["'photoUrl' was not set: too many attempts"])
        }
        #expect(bodies[0].contains(#""displayName":"Ada""#) && bodies[1].contains("https://p.example/a"))
    }

    @Test(arguments: [
        (NewAccount(username: "ada", password: Secret("a")), AuthError.Reason.invalidFields),
        (NewAccount(username: "ada", email: "a@b", password: Secret("a")), .invalidFields),
        (NewAccount(username: nil, password: Secret("a")), .invalidFields),
        (NewAccount(username: nil, email: "a@b", password: Secret("a"), fields: ["age": 1]), .unsupported),
        (NewAccount(username: nil, email: "a@b", password: Secret("a"), fields: ["displayName": 1]), .invalidFields),
    ])
    func `a signup with a username or an unknown field sends no request`(
        account: NewAccount, reason: AuthError.Reason
    ) throws {
        try run { backend throws in
            try expect(failure { _ = try backend.signUp(account) }.reason, reason)
        }
    }

    /// The server reports both as expired. Source: the exchange `open/me-old-token-after-password-change`.
    @Test(arguments: [(live, AuthError.Reason.sessionRevoked), (over, .sessionExpired)])
    func `a token that the server calls expired was revoked if its life is not over`(
        session: Session, reason: AuthError.Reason
    ) throws {
        try run(Self.answer("lookup", FirebaseSample.error("TOKEN_EXPIRED"))) { backend throws in
            try expect(failure { _ = try backend.currentUser(session) }.reason, reason)
        }
    }

    // MARK: - Passwords

    @Test func `a password change proves the current password with a login, and uses the token of that login`() throws {
        let bodies = try run(
            Self.me, Self.answer("signInWithPassword", FirebaseSample.session()),
            Self.answer("update", FirebaseSample.session())
        ) { backend throws in
            let reply = try backend.changePassword(PasswordChange(from: Secret("a"), to: Secret("b")), of: Self.live)
            expect(reply.replacement?.token.reveal(), FirebaseSample.token)
        }
        #expect(bodies[1].contains(#""password":"a""#))
        #expect(bodies[2].contains(#""password":"b""#) && bodies[2].contains(FirebaseSample.token))
    }

    private static let google =
        #""localId":"u1","email":"a@b","providerUserInfo":[{"providerId":"google.com","rawId":"7"}]"#

    /// Source: the exchange `live/google-set-password`.
    @Test func `an account without a password gets its first one with the token of the session`() throws {
        let bodies = try run(
            Self.answer("lookup", FirebaseSample.found(Self.google)), Self.answer("update", FirebaseSample.session())
        ) { backend throws in
            let reply = try backend.changePassword(PasswordChange(from: nil, to: Secret("b")), of: Self.live)
            expect(reply.replacement?.token.reveal(), FirebaseSample.token)
        }
        expect(bodies[1], #"{"password":"b","idToken":"l1ve","returnSecureToken":true}"#)
    }

    @Test(
        arguments: [
            (google, "a", .unsupported), (FirebaseSample.user(), nil, .reauthenticationRequired),
            (#""localId":"u1""#, nil, .unsupported), (#""localId":"u1""#, "a", .unsupported),
        ] as [(String, String?, AuthError.Reason)])
    func `a password that the account lacks, or that is missing, is reported before a change`(
        user: String, current: String?, reason: AuthError.Reason
    ) throws {
        try run(Self.answer("lookup", FirebaseSample.found(user))) { backend throws in
            let error = try failure {
                _ = try backend.changePassword(
                    PasswordChange(from: current.map { Secret($0) }, to: Secret("b")), of: Self.live)
            }
            #expect(error.reason == reason && error.nextSteps.count == 1)
        }
    }

    /// Source: the exchange `live/anonymous-upgrade-email-password`.
    @Test func `an anonymous account keeps its id when it gets an e-mail and a password`() throws {
        let anonymous = User(id: "u1").reading(email: .null)
        var change = UserChange(email: "ada@example.org")
        try run { backend throws in
            let error = try failure { _ = try backend.update(change, of: anonymous, Self.live) }
            #expect(error.reason == .reauthenticationRequired && error.fact == .wantsPassword)
        }
        change.password = Secret("long enough")
        let bodies = try run(Self.answer("signUp", FirebaseSample.session())) { backend throws in
            let reply = try backend.update(change, of: anonymous, Self.live)
            expect(reply.value.email, "ada@example.org")
            expect(reply.replacement?.token.reveal(), FirebaseSample.token)
        }
        let sent = #"{"idToken":"l1ve","email":"ada@example.org","password":"long enough","returnSecureToken":true}"#
        expect(bodies, [sent])
        let other = FirebaseSample.session(FirebaseSample.user("ada", id: "u2"))
        try run(Self.answer("signUp", other)) { backend throws in
            try expect(
                failure { _ = try backend.update(change, of: anonymous, Self.live) }.reason, .invalidResponse)
        }
    }

    /// Source: the exchange `custom/id-token-lookup-with-custom`.
    @Test func `a custom token is exchanged at a login, and refused as a session without a request`() throws {
        let audience = "https://a.example/google.identity.identitytoolkit.v1.IdentityToolkit"
        let token = RestAuthSample.jwt(#"{"aud":"\#(audience)","uid":"u1"}"#)
        let new = #"{"isNewUser":true,"idToken":"\#(FirebaseSample.token)","refreshToken":"r","expiresIn":"3600"}"#
        let bodies = try run(
            Self.answer("signInWithCustomToken", new),
            Self.answer("lookup", #"{"users":[{\#(FirebaseSample.user())}]}"#)
        ) { backend throws in
            let new = try backend.logIn(token: Secret(token)).value
            #expect(new.user.id == "u1" && new.createdAccount == true)
            try expect(failure { _ = try backend.currentUser(Session(token: Secret(token))) }.reason, .usage)
        }
        expect(bodies[0], #"{"token":"\#(token)","returnSecureToken":true}"#)
    }

    /// Source: the exchanges `link/…`; Firebase, "Email Link Authentication".
    @Test(arguments: [
        ("https://a.example", nil, "http://localhost"),
        ("https://a.example", "https://shop.example", "https://shop.example"),
        (FirebaseEndpoints.service, nil, "https://demo-shop.firebaseapp.com/"),
    ])
    func `a link that logs in leads to the app, and is valid only for its address`(
        server: String, origin: String?, url: String
    ) throws {
        let endpoints = FirebaseEndpoints(
            server: server, apiKey: Secret("k"), linkOrigin: origin, project: { "demo-shop" })
        expect(endpoints.continueURL, url)
        let link = "https://x.example/?mode=signIn&oobCode=c1&apiKey=k"
        let session = FirebaseSample.session(FirebaseSample.user() + #","isNewUser":false"#)
        let bodies = try run(
            Self.answer("sendOobCode", #"{"email":"ada@example.org"}"#), Self.answer("signInWithEmailLink", session),
            Answer(
                "POST v1/accounts:signInWithEmailLink", 400,
                FirebaseSample.error("INVALID_EMAIL : The email provided does not match."))
        ) { backend throws in
            let pending = try backend.request(Pending(.logInCode), of: "ada@example.org")
            let token = try #require(pending.token)
            try expect(backend.resume(token, code: Secret(link)).value.session().user.id, "u1")
            let error = try failure { _ = try backend.resume(Secret("bob@example.org"), code: Secret(link)) }
            expect(error.reason, .wrongCode)
            let reset = Secret(link.replacing("signIn", with: "resetPassword"))
            try expect(failure { _ = try backend.resume(token, code: reset) }.reason, .usage)
        }
        expect(bodies[1], #"{"email":"ada@example.org","oobCode":"c1"}"#)
    }

    /// Source: Firebase, "Blocking functions"; the emulator's `fetchBlockingFunction`.
    @Test func `the refusal of a blocking function has the words of the function`() throws {
        let function = #"{\"error\":{\"details\":{},\"message\":\"Use your company address\"}}"#
        let text = "BLOCKING_FUNCTION_ERROR_RESPONSE : ((HTTP request to https://f.example failed: \(function)))"
        let refusal = FirebaseSample.error(text)
        try run(Self.answer("signUp", refusal), Self.answer("signInWithPassword", refusal)) { backend throws in
            for error in [
                try failure { _ = try backend.signUp(Self.account) },
                try failure { _ = try backend.logIn(Self.credentials) },
            ] {
                expect(error.message, #"the request was rejected: "Use your company address""#)
            }
        }
    }

    @Test func `a password reset for an unknown address is answered like one for a known address`() throws {
        try run(Self.answer("sendOobCode", FirebaseSample.error("EMAIL_NOT_FOUND"))) { backend throws in
            try expect(backend.resetPassword(email: "no@b"), nil)
        }
    }

    // MARK: - Links

    private static func link(_ mode: String, key: String = "AIzaKey1") -> MailKey {
        MailKey("https://demo-shop.firebaseapp.com/__/auth/action?mode=\(mode)&oobCode=c0de&apiKey=\(key)&lang=en")
    }

    @Test func `a link is used by its code, also inside another link, and only by the command of its purpose`() throws {
        let inner = "https://x.example/?mode=verifyEmail&oobCode=c0de"
        for key in [Self.link("verifyEmail"), MailKey("https://w.example/?link=\(inner.percentEncoded)")] {
            let bodies = try run(Self.answer("update", "{}")) { backend throws in
                _ = try backend.verify(key, VerificationProof())
            }
            expect(bodies, [#"{"oobCode":"c0de"}"#])
        }
        try run { backend throws in
            for mode in ["resetPassword", "signIn"] {
                let error = try failure { _ = try backend.verify(Self.link(mode), VerificationProof()) }
                expect(error.reason, .usage, "\(mode)")
            }
            let reset = try failure {
                _ = try backend.resetPassword(key: Self.link("verifyEmail"), to: Secret("b"), of: nil, pending: nil)
            }
            expect(reset.reason, .usage)
            let empty = MailKey("https://demo-shop.firebaseapp.com/__/auth/action?mode=verifyEmail")
            try expect(failure { _ = try backend.verify(empty, VerificationProof()) }.reason, .usage)
        }
    }

    @Test func `a link with the API key of another project is refused without a request`() throws {
        try run(server: FirebaseEndpoints.service) { backend throws in
            let other = Self.link("verifyEmail", key: "AIzaOther")
            try expect(failure { _ = try backend.verify(other, VerificationProof()) }.reason, .usage)
        }
        // The links of the emulator have a made-up key.
        try run(Self.answer("update", "{}")) { backend throws in
            _ = try backend.verify(Self.link("verifyEmail", key: "fake-api-key"), VerificationProof())
        }
    }

    @Test func `a verification e-mail needs the session of its user`() throws {
        try run { backend throws in
            let error = try failure { _ = try backend.sendVerification(email: "ada@example.org", as: .anonymous) }
            expect(error.reason, .noSession)
        }
        try run(Self.me) { backend throws in
            let error = try failure {
                _ = try backend.sendVerification(email: "bob@example.org", as: .session(Self.live))
            }
            expect(error.reason, .noSession)
        }
        let verified = FirebaseSample.user("ada", #","emailVerified":true"#)
        try run(Self.answer("lookup", FirebaseSample.found(verified))) { backend throws in
            #expect(try !backend.sendVerification(email: "Ada@example.org", as: .session(Self.live)).value)
        }
    }

    // MARK: - Updates

    @Test func `an update sends removed fields by their names, and a new e-mail as a request for a link`() throws {
        let bodies = try run(
            Self.answer("update", "{\(FirebaseSample.user())}"), Self.answer("sendOobCode", "{}")
        ) { backend throws in
            let change = UserChange(email: "new@example.org", fields: ["displayName": "A"], unset: ["photoUrl"])
            let user = try backend.update(change, of: User(id: "u1"), Self.live).value
            expect(user.email, "ada@example.org")
        }
        #expect(bodies[0].contains(#""displayName":"A","deleteAttribute":["PHOTO_URL"]"#))
        #expect(bodies[1].contains(#""newEmail":"new@example.org","requestType":"VERIFY_AND_CHANGE_EMAIL""#))
    }

    @Test(arguments: [
        UserChange(username: "ada"), UserChange(unset: ["email"]), UserChange(fields: ["age": 1]),
        UserChange(unset: ["age"]),
    ])
    func `an update of what an account does not have is unsupported without a request`(change: UserChange) throws {
        try run { backend throws in
            try expect(failure { try backend.check(change) }.reason, .unsupported)
        }
    }

    // MARK: - Identities

    @Test func `a link of an identity that the account has is no change`() throws {
        let proof = IdentityCredential(.facebook, id: "1001", .accessToken(Secret("f")))
        try run(Self.me) { backend throws in
            let change = try backend.link(proof, to: Self.live).value
            #expect(change.before == change.after && change.after == .linked(id: "1001"))
        }
    }

    /// Source: the exchanges `open/link-second` and `open/link-me`.
    @Test func `a link reports the identity that it replaced, and saves the new session`() throws {
        let after = FirebaseSample.user().replacing("1001", with: "1002")
        let bodies = try run(
            Self.me, Self.answer("signInWithIdp", FirebaseSample.session()),
            Self.answer("lookup", FirebaseSample.found(after))
        ) { backend throws in
            let proof = IdentityCredential(.facebook, id: "1002", nonce: "n 1", .idToken(Secret("i")))
            let reply = try backend.link(proof, to: Self.live)
            #expect(reply.value.before == .linked(id: "1001") && reply.value.after == .linked(id: "1002"))
            expect(reply.replacement?.token.reveal(), FirebaseSample.token)
        }
        #expect(bodies[1].contains(#""postBody":"id_token=i&providerId=facebook.com&nonce=n%201""#))
    }

    @Test func `a link that answers with another account is refused`() throws {
        let other = FirebaseSample.session(FirebaseSample.user("bob", id: "u2"))
        try run(Self.me, Self.answer("signInWithIdp", other)) { backend throws in
            let proof = IdentityCredential(.google, .idToken(Secret("i")))
            try expect(failure { _ = try backend.link(proof, to: Self.live) }.reason, .identityTaken)
        }
    }

    // MARK: - Second factor

    private static func pending(_ factor: String) -> String {
        #"{"mfaPendingCredential":"cr3d","mfaInfo":[{"mfaEnrollmentId":"f1",\#(factor)}]}"#
    }

    /// Sources: the exchanges `mfa/login`, `mfa/start` and `mfa/finalize`; for TOTP, documentation of the service.
    @Test(arguments: [
        (#""totpInfo":{}"#, [], #""totpVerificationInfo":{"verificationCode":"123456"}"#),
        (
            #""phoneInfo":"+*******0101""#,
            [Answer("POST v2/accounts/mfaSignIn:start", 200, #"{"phoneResponseInfo":{"sessionInfo":"s1"}}"#)],
            #""phoneVerificationInfo":{"sessionInfo":"s1","code":"123456"}"#
        ),
    ])
    func `a code finishes a login with a second factor`(factor: String, start: [AnswerScript.Answer], sent: String)
        throws
    {
        let tokens = #"{"idToken":"\#(FirebaseSample.token)","refreshToken":"r2"}"#
        var pending: Pending?
        try run(Self.answer("signInWithPassword", Self.pending(factor))) { backend throws in
            pending = try backend.logIn(Self.credentials).value.pending
        }
        var waiting = try #require(pending)
        expect(waiting.step, .secondFactor)
        if let start = start.first {
            try run(start) { backend throws in waiting = try backend.request(waiting, of: "ada@example.org") }
        }
        let bodies = try run(Answer("POST v2/accounts/mfaSignIn:finalize", 200, tokens), Self.me) { backend throws in
            let new = try backend.resume(try #require(waiting.token), code: Secret("123456")).value.session()
            #expect(new.user.id == "u1" && new.session.refreshToken?.reveal() == "r2")
        }
        #expect(bodies[0].contains(sent) && bodies[0].contains("cr3d"))
    }

    @Test func `a second factor of an unknown kind is unsupported`() throws {
        try run(Self.answer("signInWithPassword", Self.pending(#""otherInfo":{}"#))) { backend throws in
            try expect(failure { _ = try backend.logIn(Self.credentials) }.reason, .unsupported)
        }
    }

    // MARK: - Administration

    @Test func `the emulator needs no key of an administrator, and creates no account for an unknown name`() throws {
        try run(Answer("POST v1/projects/demo-shop/accounts:lookup", 200, "{}")) { backend throws in
            let error = try failure { _ = try backend.logIn(as: "no@example.org", adminKey: nil) }
            expect(error.reason, .notFound)
        }
        try run(server: FirebaseEndpoints.service) { backend throws in
            let error = try failure { _ = try backend.logIn(as: User(id: "u1"), adminKey: Secret("t")) }
            expect(error.reason, .usage)
        }
    }

    /// Only a signup has created an account.
    @Test func `a token of another project than the named one is an error with both names, and no session`() throws {
        let session = Session(token: Secret("t"), refreshToken: Secret("r"))
        let calls: [(Answer?, String?, (FirebaseBackend) throws -> Void)] = [
            (Self.answer("signUp", FirebaseSample.session()), "created", { _ = try $0.signUp(Self.account) }),
            (Self.answer("signInWithPassword", FirebaseSample.session()), nil, { _ = try $0.logIn(Self.credentials) }),
            (
                Answer("POST securetoken.googleapis.com/v1/token", 200, FirebaseSample.refreshed), nil,
                { _ = try $0.refresh(session) }
            ),
            (nil, nil, { _ = try $0.logIn(token: Secret(FirebaseSample.token)) }),
        ]
        for (answer, word, call) in calls {
            func check(_ backend: FirebaseBackend) throws {
                let error = try failure { try call(backend) }
                #expect(error.reason == .usage && error.message.contains("'demo-shop', not 'other'"))
                expect(error.message.contains("created"), (word != nil))
            }
            if let answer {
                try run(answer, project: "other", call: check)
            } else {
                try run(project: "other", call: check)
            }
        }
    }

    @Test(arguments: [
        ("INVALID_PASSWORD", AuthError.Fact?.some(.accountExists(named: nil))), ("EMAIL_NOT_FOUND", .accountMissing),
        ("INVALID_LOGIN_CREDENTIALS", nil),
    ])
    func `a refused login says whether the account exists, unless the project hides it`(
        code: String, fact: AuthError.Fact?
    ) throws {
        try run(Self.answer("signInWithPassword", FirebaseSample.error(code))) { backend throws in
            try expect(failure { _ = try backend.logIn(Self.credentials) }.fact, fact)
        }
    }

    @Test func `the project is the setting or the audience of the saved token`() {
        expect(FirebasePayloads.project(of: Secret(FirebaseSample.token)), "demo-shop")
        #expect(FirebasePayloads.project(of: Secret("opaque")) == nil && FirebasePayloads.project(of: nil) == nil)
    }

    @Test func `a quota of an hour or a day is not waited for, and is told with the server's sentence`() throws {
        func error(_ verb: String, _ code: String, _ call: (FirebaseBackend) throws -> Void) throws -> AuthError {
            var found: AuthError?
            try run(Self.answer(verb, FirebaseSample.error(code))) { backend throws in
                found = try failure { try call(backend) }
            }
            return try #require(found)
        }
        let text = "QUOTA_EXCEEDED : Exceeded daily quota for email sign-in."
        let account = NewAccount(username: nil, email: "a@b.c", password: Secret("p"))
        let signUp = try error("signUp", text) { _ = try $0.signUp(account) }
        #expect(signUp.fact == .limitIsLong && signUp.nextSteps == ["try again in an hour"])
        let mail = try error("sendOobCode", text) { _ = try $0.resetPassword(email: "a@b.c") }
        #expect(mail.reason == .rateLimited && mail.fact == .limitIsLong && mail.nextSteps == ["try again tomorrow"])
        expect(mail.message, "a quota of Firebase is used up: \"Exceeded daily quota for email sign-in.\"")
        let logIn = try error("signInWithPassword", "QUOTA_EXCEEDED : Exceeded quota for verifying passwords.") {
            _ = try $0.logIn(Self.credentials)
        }
        #expect(logIn.reason == .rateLimited && logIn.fact == nil)
        let short = try error("signUp", "TOO_MANY_ATTEMPTS_TRY_LATER") { _ = try $0.signUp(account) }
        #expect(short.reason == .rateLimited && short.fact == nil)
    }

    /// Codes that only the service sends. Source: its documentation and its JavaScript SDK.
    @Test(arguments: [
        ("TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account is disabled.", 400, AuthError.Reason.rateLimited),
        ("QUOTA_EXCEEDED : Exceeded daily quota.", 400, .rateLimited), ("RESOURCE_EXHAUSTED", 429, .rateLimited),
        ("PHONE_NUMBER_EXISTS", 400, .phoneTaken),
        ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", 400, .reauthenticationRequired), ("EXPIRED_OOB_CODE", 400, .wrongCode),
        ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements", 400, .weakPassword),
        ("OPERATION_NOT_ALLOWED", 400, .unsupported),
        ("OPERATION_NOT_ALLOWED : Please verify the new email before changing email.", 400, .emailUnverified),
        ("ADMIN_ONLY_OPERATION", 400, .forbidden), ("BLOCKING_FUNCTION_ERROR_RESPONSE : No.", 400, .forbidden),
        ("MISSING_RECAPTCHA_TOKEN", 400, .unsupported), ("CONFIGURATION_NOT_FOUND", 400, .unsupported),
        ("INVALID_TENANT_ID", 400, .unsupported), ("Firebase App Check token is invalid.", 401, .unsupported),
        ("API key not valid. Please pass a valid API key.", 400, .badAppKey),
        ("API key expired. Please renew the API key.", 400, .badAppKey),
        ("Requests from referer <empty> are blocked.", 403, .badAppKey), ("SOMETHING_NEW", 400, .invalidFields),
        ("Something new.", 503, .serverFault),
    ])
    func `a code of the service has its reason`(message: String, status: Int, reason: AuthError.Reason) throws {
        try run(
            AnswerScript.Answer("POST v1/accounts:signInWithPassword", status, FirebaseSample.error(message, status))
        ) { backend throws in
            try expect(failure { _ = try backend.logIn(Self.credentials).value.session() }.reason, reason)
        }
    }

    struct TestFault: Error {}
}
