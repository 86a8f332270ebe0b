import CommandTestSupport
import Platform

@testable import AuthBackends

extension SupabaseBackendTests {
    private static let key = Secret("sb_secret_1")

    /// Source: the exchanges `admin/claims-…`, `admin/fields-merge`, `admin/set-…` and `admin/ban`.
    @Test func `the administrator changes an account with one request, which has only what changes`() throws {
        var all = AccountChange { ($0.emailVerified, $0.disabled) = (true, true) }
        all.user = UserChange(email: "b@c", fields: ["color": "blue"], unset: ["plan"])
        all.user.password = Secret("long enough")
        all.claims = ["role": "admin", "team": .null]
        let changes = [all, AccountChange { $0.disabled = false }, AccountChange { $0.user.email = "b@c" }]
        let answer = Answer("PUT admin/users/u1", SupabaseSample.user())
        let sent = try run([answer, answer, answer]) { backend throws in
            for change in changes { _ = try backend.update(change, of: User(id: "u1"), adminKey: Self.key) }
        }
        let metadata = #""user_metadata":{"color":"blue","plan":null},"app_metadata":{"role":"admin","team":null}"#
        let body =
            #"{"email":"b@c","email_confirm":true,"password":"long enough",\#(metadata),"ban_duration":"876000h"}"#
        expect(Self.bodies(sent), [body, #"{"ban_duration":"none"}"#, #"{"email":"b@c"}"#])
    }

    @Test(arguments: [(nil, false), ("2026-06-01T00:00:01.5Z", true), ("2026-06-01T00:00:00Z", false)])
    func `an account is disabled while it is banned`(end: String?, isDisabled: Bool) throws {
        let body = SupabaseSample.user("ada", id: "u1", end.map { #","banned_until":"\#($0)""# } ?? "")
        try run([Answer("GET admin/users/u1", body), Answer("GET user", body)]) { backend throws in
            try expect(backend.user(id: "u1", adminKey: Self.key).disabled, isDisabled)
            try expect(backend.currentUser(.restAuthJWT).value.disabled, nil)
        }
    }

    /// Source: the exchanges `admin/create-banned-unconfirmed`, `admin/create-with-claims` and `admin/create-phone`.
    @Test func `a new account gets its state with the request that creates it, and is confirmed by default`() throws {
        var (disabled, phone) = (Self.account, NewAccount(username: nil, phone: "+15555550188", password: Secret("pw")))
        (disabled.state.emailVerified, disabled.state.disabled) = (false, true)
        (disabled.state.claims, phone.state.phoneVerified) = (["role": "admin"], false)
        var both = phone
        (both.email, both.state.phoneVerified) = ("ada@example.org", nil)
        let answer = Answer("POST admin/users", SupabaseSample.user())
        let sent = try run([answer, answer, answer, answer]) { backend throws in
            for account in [Self.account, disabled, phone, both] {
                _ = try backend.createUser(account, adminKey: Self.key)
            }
        }
        let start = #"{"email":"ada@example.org","password":"long enough","email_confirm""#
        let state = #""app_metadata":{"role":"admin"},"ban_duration":"876000h"}"#
        let last = #"{"phone":"+15555550188","password":"pw","phone_confirm":false}"#
        expect(Self.bodies(sent).prefix(3), ["\(start):true}", "\(start):false,\(state)", last])
        // Source: Supabase Auth, `adminUserCreate`.
        let two = try #require(Self.bodies(sent).last)
        for part in [
            #""email":"ada@example.org""#, #""phone":"+15555550188""#, #""email_confirm":true"#,
            #""phone_confirm":false"#,
        ] { #expect(two.contains(part)) }
    }

    /// Sources: the exchange `admin/create-id`; Supabase Auth, `NewPostgresError`.
    @Test func `the administrator gives a new account its id, and a taken one is a conflict of the row`() throws {
        var account = Self.account
        account.id = "11111111-1111-4111-8111-111111111111"
        let text = #"duplicate key value violates unique constraint \"users_pkey\""#
        let taken = Answer("POST admin/users", 500, #"{"code":"23505","message":"\#(text)","detail":"x"}"#)
        let sent = try run([Answer("POST admin/users", SupabaseSample.user()), taken]) { backend throws in
            _ = try backend.createUser(account, adminKey: Self.key)
            let error = try failure { _ = try backend.createUser(account, adminKey: Self.key) }
            #expect(error.reason == .conflict && error.message.contains("users_pkey"), "\(error)")
        }
        #expect(Self.bodies(sent).allSatisfy { $0.contains(#""id":"11111111-1111-4111-8111-111111111111""#) })
    }

    @Test func `accounts are found by their address in lower case or by their phone number`() throws {
        let rows = #"{"users":[{"id":"u3"},{"id":"u1","phone":"15555550188"},{"id":"u2","phone":"1555555018"}]}"#
        let twins = Self.page(1, SupabaseSample.user(), SupabaseSample.user(id: "u2"))
        let phones = Answer("GET admin/users?page=1&per_page=100", rows)
        try run([phones, Self.page(1, total: 1, SupabaseSample.user()), twins]) { backend throws in
            try expect(backend.users(named: "+15555550188", adminKey: Self.key).map(\.id), ["u1"])
            try expect(backend.users(named: "ADA@Example.org", adminKey: Self.key).map(\.id), ["u1"])
            try expect(backend.users(named: "ada", adminKey: Self.key).map(\.id), [])
            try expect(backend.users(named: "ada@example.org", adminKey: Self.key).map(\.id), ["u1", "u2"])
        }
    }

    /// The pages of the list may overlap (supabase/supabase#37492).
    @Test func `an account that overlapping pages hide is not reported as missing`() throws {
        let (ada, eve) = (SupabaseSample.user(), SupabaseSample.user("eve", id: "u2"))
        let both = Self.page(1, total: 2, size: 1000, eve, ada)
        try run([Self.page(1, total: 2, eve), Self.page(2, total: 2, eve), both]) { backend throws in
            try expect(backend.users(named: "ada@example.org", adminKey: Self.key).map(\.id), ["u1"])
        }
        let sizes = [100, 1000, 10_000]
        try run(sizes.flatMap { [Self.page(1, total: 2, size: $0, eve), Self.page(2, total: 2, size: $0)] }) {
            backend throws in
            let error = try failure { _ = try backend.user(named: "ada@example.org", adminKey: Self.key) }
            expect(error.reason, .invalidResponse)
            expect(error.message, "the server sent 1 of 2 accounts, also in larger pages")
        }
    }

    /// Source: the exchanges `maillimit/signup` and `maillimit/resend`.
    @Test(arguments: [
        ("email rate limit exceeded", AuthError.Fact.limitIsLong, "sends no more e-mails or text messages", 2),
        ("you can only request this after 2 seconds.", nil, "too many requests", 1),
    ])
    func `the limit of a project's e-mails is told with the server's sentence and the way out`(
        text: String, fact: AuthError.Fact?, words: String, steps: Int
    ) throws {
        let body = #"{"code":"over_email_send_rate_limit","message":"\#(text)"}"#
        try run([Answer("POST signup", 429, body)]) { backend throws in
            let error = try failure { _ = try backend.signUp(Self.account) }
            #expect(error.reason == .rateLimited && error.fact == fact && error.message.contains(words))
            #expect(error.nextSteps.count == steps && error.message.contains(text) == (fact != nil))
        }
    }

    private static let hashes = (
        bcrypt: "$2b$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq",
        argon2: "$argon2id$v=19$m=32,t=3,p=2$SFVpOWJ0eXhjRzVkdGN1RQ$RXnb8rh7LaDcn07xsssqqulZYXOM/EUCEFMVcAcyYVk",
        scrypt: "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycQ==$42xEC+ixf3L2lw==$lSrfV15cpw=="
    )

    /// Sources: runs of 2.151.0 and 2.196.0; the changelog of Supabase Auth.
    @Test(arguments: [
        ("bcrypt$" + hashes.bcrypt, "v2.155.0", hashes.bcrypt), (hashes.bcrypt, "v2.154.9", nil),
        (hashes.scrypt, "v2.162.1", hashes.scrypt), (hashes.scrypt, "v2.161.0", nil),
        ("argon2" + hashes.argon2, "v2.167.0", hashes.argon2), (hashes.argon2, "v2.166.0", nil),
        (hashes.bcrypt, "3.0", hashes.bcrypt), (hashes.bcrypt, "", nil), (hashes.bcrypt, "dev", nil),
    ])
    func `a password hash is sent to versions that accept its kind, and to no others`(
        text: String, version: String, sent: String?
    ) throws {
        var account = Self.account
        (account.password, account.passwordHash) = (nil, HashedPassword(Secret(text)))
        let health = Answer("GET health", #"{"version":"\#(version)","name":"GoTrue"}"#)
        let create = sent.map { _ in Answer("POST admin/users", SupabaseSample.user()) }
        let requests = try run([health] + [create, create].compactMap(\.self)) { backend throws in
            for _ in 1...2 {
                guard sent == nil else {
                    _ = try backend.createUser(account, adminKey: Self.key)
                    continue
                }
                let error = try failure { _ = try backend.createUser(account, adminKey: Self.key) }
                #expect(error.reason == .invalidFields && error.fields.map(\.field) == ["passwordHash"])
                #expect(error.message.contains(version.isEmpty ? "names no version" : version), "\(error.message)")
            }
        }
        expect(requests[0].headers["apikey"], "sb_secret_1")
        guard let sent else { return }
        let hash = JSONValue.string(sent).text
        expect(
            Self.bodies(requests).last, #"{"email":"ada@example.org","password_hash":\#(hash),"email_confirm":true}"#)
    }

    @Test func `an account without a password is created without one`() throws {
        var account = Self.account
        account.password = nil
        let sent = try run([Answer("POST admin/users", SupabaseSample.user())]) { backend throws in
            _ = try backend.createUser(account, adminKey: Self.key)
        }
        expect(Self.bodies(sent), [#"{"email":"ada@example.org","email_confirm":true}"#])
    }

    /// Source: PostgREST, "OpenAPI" and `OpenAPI.hs`.
    @Test func `the tables of the Data API are lists, whose items are found by their primary key`() throws {
        let key = #"{"description":"The id\n\nNote:\nThis is a Primary Key.<pk/>","type":"integer"}"#
        let other = #"{"description":"Note:\nThis is a Foreign Key to `t.id`.<fk table='t' column='id'/>"}"#
        let document = #"""
            {"swagger":"2.0","host":"evil.example","basePath":"/","paths":{"/":{"get":{}},"/t":{"get":{},"post":{}},
            "/two":{"get":{}},"/a view":{"get":{}},"/write":{"post":{}},"/rpc/f":{"get":{},"post":{}}},"definitions":{
            "t":{"properties":{"t":\#(other),"id":\#(key)}},"two":{"properties":{"a":\#(key),"b c":\#(key)}}}}
            """#
        let sent = try run([Answer("GET rest/v1/", document)]) { backend throws in
            let lists = try #require(try backend.describedLists(adminKey: Self.key))
            let paths = lists.map { list in
                "\(list.path) \(list.ids(in: ["id": 1, "a": "x/y", "b c": 2]).map { list.path(ofItem: $0) } ?? "-")"
            }
            let two = "/rest/v1/two?a=eq.x%2Fy&b%20c=eq.2"
            expect(paths, ["/rest/v1/t /rest/v1/t?id=eq.1", "/rest/v1/two \(two)", "/rest/v1/a%20view -"])
        }
        expect(sent[0].headers["apikey"], "sb_secret_1")
        expect(sent[0].headers["Authorization"], nil)
        try run([Answer("GET rest/v1/", 403, #"{"message":"x"}"#)]) { backend throws in
            try expect(failure { _ = try backend.describedLists(adminKey: Self.key) }.outcome, .actionNeeded)
        }
    }
}
