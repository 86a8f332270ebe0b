import AuthBackends
import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// `users create`, `login`, `list`, `export` and `delete`, with accounts in memory.
@Suite struct UsersCommandTests {
    let world = TestContext()
    let folder = TestFolder()
    /// The requests of `lost` get no response, those of `lame` an error of the server, and no key fits for `keyless`.
    let server = FakeAccounts { request, _ in
        switch request {
        case "signUp lost": .before(AuthError(.outcomeUnknown, "no response"))
        case "signUp lame", "logIn lame": .before(AuthError(.serverFault, "the server failed"))
        case "signUp keyless": .before(AuthError(.badAppKey, "wrong application key"))
        default: nil
        }
    }

    init() throws {
        world.linesFolder = folder
        for name in ["ada", "eve", "lost", "lame", "keyless", "ab"] { world.files["/\(name)"] = Self.rows(name) }
        world.files["/mixed"] = Self.rows("ada", "eve", "ab", "lost")
        world.files["/keys"] = Self.rows("ada", "keyless", "bob")
        world.files["/empty"] = "username,password\n"
        server.add("eve")
        use(server)
    }

    /// The members of a tokens file that name the local accounts.
    private static let scope = #","backend":"local","server":null,"appId":null,"collection":null"#

    private static func rows(_ names: String...) -> String {
        "username,password\n" + names.map { "\($0),correct horse\n" }.joined()
    }

    private func use(
        _ backend: any Backend, limit: Int? = nil, url: String? = nil, verification: VerificationNeed = .nothing,
        accounts: AccountKeeping = AccountKeeping()
    ) {
        let descriptor = BackendDescriptor(
            kind: url == nil ? "local" : "site",
            url == nil ? .checksNewAccounts : [.checksNewAccounts, .takesServer], refresh: RefreshPolicy(.refreshToken),
            verification: verification,
            systemFields: ["ACL", "mood", "_rperm"], accounts: accounts, signUpsPerMinute: limit,
            logInsPerMinute: limit)
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: descriptor, type: FakeBackend.self) { _, _ in backend }
        ])
        if let url { world.environment = ["AUTHCTL_BACKEND": "site", "AUTHCTL_SERVER": url] }
    }

    private func users(_ line: String, _ more: [String] = []) -> TestContext.Result {
        world.run(words: ["users"] + line.split(separator: " ").map(String.init) + more)
    }

    // MARK: - Outcomes

    @Test(arguments: [
        ("create /ada --journal j", 0, "1 created"), ("create /eve --journal j", 11, "1 already existed"),
        ("create /eve --journal j --if-not-exists", 0, "1 already existed"), ("create /ab --journal j", 11, "1 failed"),
        ("create /ab --journal j --skip-checks", 0, "1 created"), ("create /lost --journal j", 11, "1 unknown"),
        ("create /lame --journal j", 11, "1 unknown"), ("create /empty --journal j", 0, "no rows"),
        ("create /mixed --journal j --shard 1/4", 0, "1 created"), ("create /ada --dry-run", 0, "1 valid"),
        ("create /ab --dry-run", 11, "1 failed"), ("create /ab --dry-run --skip-checks", 0, "1 valid"),
        ("login --credentials /eve --tokens t", 11, "1 failed"),
        ("login --credentials /empty --tokens t", 0, "no rows"),
        ("login --credentials /lame --tokens t", 11, "1 failed"),
    ])
    func `the outcomes of the rows determine the summary and the exit code of a users command`(
        line: String, exitCode: Int32, summary: String
    ) {
        let result = users(line)
        #expect(result.exitCode == exitCode && result.stdout == "\(summary) in 0.0 s\n", "\(result.stderr)")
        expect(result.stderr.isEmpty, (exitCode == 0))
    }

    @Test(arguments: [[], ["--json"]])
    func `users create reports the rows that fail and counts each outcome`(words: [String]) throws {
        let result = users("create /mixed --journal j", words)
        result.expectTranscript(in: "users", words.formatName)
        #expect(!(result.stdout + result.stderr + (try folder.read("j"))).contains("correct horse"))
    }

    @Test(arguments: [[], ["--json"]])
    func `an error that affects every row ends users create after a summary`(words: [String]) {
        users("create /keys --journal j", words).expectTranscript(in: "users", words.formatName)
        expect(Set(server.accounts.keys), ["ada", "eve"])
        expect(users("create /keyless --journal k", words).stdout.contains("seconds"), false)
    }

    // MARK: - Files

    @Test func `users create saves generated passwords and tokens, and the next run skips the accounts`() throws {
        let line = "create --count 2 --name ci-{n} --field plan=pro --journal j --credentials c --tokens t"
        expect(users(line).stdout, "2 created in 0.0 s\n")
        let (credentials, tokens) = (try folder.read("c"), try folder.read("t"))
        expect(credentials.split(separator: "\n").count, 2)
        #expect(credentials.hasPrefix(#"{"username":"ci-1","password":""#))
        #expect(tokens.hasPrefix(#"{"id":"id2","username":"ci-1","token":"token-ci-1","#))
        for file in ["j", "c", "t"] { try expect(folder.mode(file), "600") }
        expect(users(line).stdout, "2 skipped in 0.0 s\n")
        #expect(try folder.read("c") == credentials && folder.read("t") == tokens)
        // The credentials file is the input of the other commands.
        world.files["c"] = credentials
        expect(users("login --credentials c --tokens new").stdout, "2 logged in in 0.0 s\n")
        try expect(folder.read("new"), tokens)
        expect(users("login --credentials c --tokens new").stdout, "2 skipped in 0.0 s\n")
        expect(users("delete --journal j --credentials c --yes").stdout, "2 deleted in 0.0 s\n")
        expect(server.accounts.keys.sorted(), ["eve"])
    }

    @Test func `users login reports the accounts that reject the password`() {
        world.files["c"] = "username,password\nada,correct horse\neve,correct horse\n"
        server.add("ada", password: "correct horse")
        for words in [[], ["--json"]] {
            users("login --credentials c --tokens \(words.count)", words)
                .expectTranscript(in: "users", words.formatName)
        }
    }

    // MARK: - Rows that wait, fail alike or share a password

    private static func mail(_ name: String, code: String? = nil) -> ReceivedMail {
        ReceivedMail(recipient: "\(name)@a.example", subject: "Verify", codes: [code ?? name], purpose: .verification)
    }

    @Test(arguments: [[], ["--json"]])
    func `users create counts the accounts that wait for their e-mail, and users verify verifies them`(
        words: [String]
    ) throws {
        use(FakeAccounts(demandsVerification: true))
        func run(_ situation: String, _ line: String) {
            users(line, words).expectTranscript(in: "users", "\(words.formatName), \(situation)")
        }
        run("created", "create --count 2 --name ci-{n} --email ci-{n}@a.example --journal j --credentials c --tokens t")
        let credentials = try folder.read("c")
        #expect(credentials.hasPrefix(#"{"username":"ci-1","email":"ci-1@a.example","password":""#))
        let again = "create --count 2 --name ci-{n} --email ci-{n}@a.example --journal j --credentials c"
        #expect(users(again).stdout.hasPrefix("2 skipped in 0.0 s\n"))
        world.files["c"] = credentials
        run("not verified", "login --credentials c --tokens u")
        world.mails = [[Self.mail("ci-1")]]
        run("one e-mail", "verify --journal j")
        world.mails = [[Self.mail("ci-1")], [], [Self.mail("ci-1"), Self.mail("ci-2")]]
        run("a late e-mail", "verify --journal j --wait 5")
        expect(users("login --credentials c --tokens u").stdout, "2 logged in in 0.0 s\n")
        expect(users("verify --journal j").stdout, "2 skipped in 0.0 s\n")
        expect(users("delete --journal j --yes").stdout, "2 deleted in 0.0 s\n")
    }

    /// - Parameter looks: the codes in the folder at each look: at the start, before the login, and after it.
    @Test(
        arguments: [
            ("a new code", [["old"], ["old"], ["old"], ["new", "old"]], "new"),
            ("no new code", [["old"]], "old"), ("no earlier code", [[], [], ["new"]], "new"),
            ("verified elsewhere", [["old"]], nil),
        ] as [(situation: String, looks: [[String]], code: String?)])
    func `users verify logs in to an account whose code is valid only for a login that waits for it`(
        situation: String, looks: [[String]], code: String?
    ) throws {
        let calls = Journal()
        let unverified = AuthError(.emailUnverified, "the e-mail is not verified yet")
        let logIn: [Step] =
            code == nil
            ? [.logIn(.success(.session(NewSession(user: .ada, session: .sample("t"))))), .logOut(.success(.yes))]
            : [.logIn(.success(.waiting(unverified, token: "p1"))), .verify(.success(.done))]
        let signUp = SignUpOutcome.waits(.emailVerification, User(username: "ada", email: "ada@a.example"))
        let backend = WaitingBackend(FakeBackend([.signUp(.success(signUp))] + logIn, journal: calls))
        use(backend, verification: .requester)
        world.files["/one"] = "username,email,password\nada,ada@a.example,correct horse\n"
        #expect(users("create /one --journal j").stdout.hasPrefix("1 created"))
        if situation == "no new code" {
            world.mails = [[Self.mail("ada", code: "old")]]
            users("verify --journal j").expectTranscript(in: "users", "no passwords")
        }
        world.mails = looks.map { $0.map { Self.mail("ada", code: $0) } }
        users("verify --journal j --credentials /one").expectTranscript(in: "users", situation)
        expect(calls.lines.last, (code.map { "backend: verify \($0) as pending p1" } ?? "backend: logOut t"))
        expect(users("verify --journal j --credentials /one").stdout, "1 skipped in 0.0 s\n")
    }

    @Test func `users create prints three rows and a count for each cause, and the options that help`() {
        for number in 1...5 { server.add("ci-\(number)") }
        let line = "create --count 6 --name ci-{n} --journal j --credentials c"
        users(line).expectTranscript(in: "users", "existing accounts")
        expect(users(line + " --if-not-exists").stderr, "")
        let missing = AuthError(.invalidFields, "no", fields: [FieldFault("email", "is missing")])
        use(FakeAccounts { _, _ in .before(missing) })
        users("create --count 4 --name ci-{n} --journal k --credentials d").expectTranscript(in: "users", "no e-mail")
    }

    @Test func `a limit that is not over in minutes ends users create at once, and the hint names the profile`() {
        let long = AuthError(
            .rateLimited, "no more e-mails", fact: .limitIsLong,
            next: NextStep("set it", run: ["profile", "set", NextStep.profile, "clientKeyFile", "FILE"]))
        use(FakeAccounts { _, _ in .before(long) })
        let result = users("create --count 4 --name ci-{n} --journal j --credentials c")
        let hint = "authctl: hint: set it: authctl profile set default clientKeyFile FILE\n"
        #expect(result.exitCode == 9 && result.stderr == "authctl: error: no more e-mails\n\(hint)")
    }

    @Test(arguments: [[], ["--json"]])
    func `new accounts whose logins need a second factor are counted, because they get no token`(words: [String]) {
        let factor = AuthError(.secondFactorRequired, "the account requires a second factor")
        use(FakeAccounts(isSilent: true) { request, _ in request.hasPrefix("logIn") ? .before(factor) : nil })
        users("create --count 2 --name ci-{n} --journal j --credentials c --tokens t", words)
            .expectTranscript(in: "users", words.formatName)
    }

    @Test func `generated accounts can share one password, which the credentials file then has`() throws {
        world.files["/pw"] = "correct horse\n"
        let line = "create --count 2 --name ci-{n} --password-file /pw --journal j"
        users(line).expectTranscript(in: "users", "one password")
        expect(users(line).stdout, "2 skipped in 0.0 s\n")
        expect(users("create --count 4 --name ci-{n} --password-file /pw --journal k --credentials c").exitCode, 11)
        let password = #","password":"correct horse"}"# + "\n"
        let expected = ["ci-3", "ci-4"].map { #"{"username":"\#($0)""# + password }.joined()
        try expect(folder.read("c"), expected)
        world.files["c"] = expected
        expect(users("login --credentials c --tokens t").stdout, "2 logged in in 0.0 s\n")
        world.files["/pw"] = "short\n"
        expect(users(line.replacing("--journal j", with: "--dry-run")).stdout, "2 failed in 0.0 s\n")
    }

    // MARK: - Tokens

    @Test func `users login --replace replaces the tokens file with the first new session`() throws {
        server.add("ada", password: "correct horse")
        try folder.write("t", #"{"username":"old","token":"x","expiresAt":null}"# + "\n")
        let refusal = users("login --credentials /ada --tokens t")
        #expect(refusal.exitCode == 2 && refusal.stderr.contains("does not name its server"), "\(refusal.stderr)")
        expect(users("login --credentials /eve --tokens t --replace").exitCode, 11)
        #expect(try folder.read("t").contains("old"))
        users("login --credentials /ada --tokens t --replace --refresh-tokens").expectTranscript(in: "users", "local")
        let tokens = #""token":"token-ada","expiresAt":"2027-01-02T03:04:05Z","refreshToken":null"#
        let line = #"{"id":"id2","username":"ada",\#(tokens)\#(Self.scope)}"#
        try expect(folder.read("t"), line + "\n")
        try folder.write("t", "not a tokens file\n")
        expect(users("login --credentials /ada --tokens t --replace").exitCode, 2)
        try expect(folder.read("t"), "not a tokens file\n")
    }

    @Test func `users login --refresh-tokens warns once that a server gives none, and users refresh says so`() throws {
        world.files["/two"] = Self.rows("ada", "eve")
        func logIn(_ token: String) -> Step {
            .logIn(.success(.session(NewSession(user: User(), session: Session(token: Secret(token))))))
        }
        use(FakeBackend([logIn("a"), logIn("e")]), url: "https://a.example")
        users("login --credentials /two --tokens t --refresh-tokens --jobs 1").expectTranscript(in: "users", "login")
        use(FakeBackend(), url: "https://a.example")
        users("refresh --tokens t --jobs 1").expectTranscript(in: "users", "refresh")
    }

    @Test func `users refresh renews the sessions that it can, and keeps the others in the file`() throws {
        func line(_ name: String, _ token: String, _ refreshToken: String?) -> String {
            #"{"id":null,"username":"\#(name)","token":"\#(token)","expiresAt":null"#
                + (refreshToken.map { #","refreshToken":"\#($0)""# } ?? "") + "\(Self.scope)}\n"
        }
        var new = Session(token: Secret("new-ada"))
        new.refreshToken = Secret("next-ada")
        use(
            FakeBackend([
                .refresh(.success(new)), .refresh(.failure(AuthError(.sessionRevoked, "the session was revoked"))),
                .refresh(.failure(AuthError(.outcomeUnknown, "no response"))),
                .refresh(.failure(AuthError(.serverFault, "the server failed"))),
            ]))
        let rest =
            line("bob", "b", "rb") + line("eve", "e", "re") + line("lame", "l", "rl") + line("old", "o", nil)
        try folder.write("t", line("ada", "a", "ra") + rest)
        let path = [folder.path("t"): "t"]
        users("refresh --tokens t").expectTranscript(in: "users", "refresh", replacing: path)
        try expect(folder.read("t"), line("ada", "new-ada", "next-ada") + rest)
        try expect(folder.mode("t"), "600")
        use(FakeBackend(), url: "https://a.example")
        users("refresh --tokens t").expectTranscript(in: "users", "another server", replacing: path)
        world.environment = [:]
        use(server)
        expect(users("refresh --tokens t").exitCode, 10)
    }

    // MARK: - Rates

    @Test(arguments: [
        ("create --count 100 --name ci-{n} --journal j --credentials c --rate 20/m", "100 created in 297.0 s"),
        ("create --count 100 --name ci-{n} --dry-run --rate 20/m", "100 valid in 0.0 s"),
        ("create --count 100 --name ci-{n} --journal j --credentials c", "100 created in 198.0 s"),
        ("create --count 20 --name ci-{n} --journal j --credentials c --rate 1/s", "20 created in 19.0 s"),
        ("login --credentials /ada --tokens t --rate 1/m", "1 logged in in 0.0 s"),
    ])
    func `a users command sends at the rate that --rate or the kind of backend sets, and says how long that takes`(
        line: String, summary: String
    ) {
        use(server, limit: 30)
        server.add("ada", password: "correct horse")
        let result = users(line)
        expect(result.stdout, "\(summary)\n")
        let notes =
            line.contains("20/m")
            ? "100 rows at 20/min: 5 min" : line.contains("--rate") ? "" : "100 rows at 30/min: 4 min"
        expect(result.stderr, (notes.isEmpty ? "" : "authctl: note: \(notes)\n"))
    }

    // MARK: - Deletion

    @Test(arguments: [[], ["--json"]])
    func `users delete deletes only what the journal records, and reports the accounts that it keeps`(words: [String]) {
        world.files["/three"] = Self.rows("ada", "bob", "eve")
        _ = users("create /three --journal j --if-not-exists")
        server.rename("bob", to: "rob")
        users("delete --journal j --yes", words).expectTranscript(in: "users", words.formatName)
        expect(server.accounts.keys.sorted(), ["eve", "rob"])
        server.remove("rob")
        let kept = "1 kept: it existed before\n"
        expect(users("delete --journal j --yes").stdout, "1 gone in 0.0 s\n\(kept)")
        expect(users("delete --journal j --yes").stdout, kept)
    }

    @Test(arguments: [[], ["--json"]])
    func `users delete warns of accounts that count as deleted without certainty`(words: [String]) throws {
        _ = users("create /ada --journal j")
        try folder.write("j", try folder.read("j") + #"{"row":1,"state":"deleting"}"# + "\n")
        world.files["/ada"] = "username,password\nada,another one\n"
        users("delete /ada --journal j --yes", words).expectTranscript(in: "users", words.formatName)
    }

    @Test(arguments: [("y", 0), ("no", 1), ("", 1)])
    func `users delete at a terminal asks before it deletes`(answer: String, exitCode: Int32) {
        _ = users("create /ada --journal j")
        world.isInputTerminal = true
        world.terminal.answer(.shown(answer))
        users("delete --journal j").expectTranscript(in: "users", answer.isEmpty ? "no answer" : answer)
        expect(server.accounts.keys.contains("ada"), (exitCode != 0))
    }

    @Test func `users delete uses the passwords of FILE on a server`() {
        use(server, url: "https://a.example")
        _ = users("create /ada --journal j")
        expect(users("delete /ada --journal j --yes").stdout, "1 deleted in 0.0 s\n")
        expect(server.accounts.keys.sorted(), ["eve"])
    }

    @Test func `a backend without deletion is named when accounts are created, and users delete fails`() {
        use(PlainBackend(FakeBackend([.signUp(.success(.created(.ada)))])))
        users("create /ada --journal j").expectTranscript(in: "users", "create")
        users("delete --journal j --yes").expectTranscript(in: "users", "delete")
    }

    // MARK: - Lists

    @Test func `users list prints a table or one JSON document per account, up to its limit`() {
        server.add(User(username: "ada", email: "ada@example.org", fields: ["plan": "pro"]))
        for (words, situation) in [([], "text"), (["--json"], "JSON"), (["--limit", "1"], "a limit")] {
            users("list", words).expectTranscript(in: "users", situation)
        }
    }

    @Test(arguments: [(nil, 1), (100, 2)] as [(Int?, Int)])
    func `users list prints one header for a program, and a header above each page for a terminal`(
        width: Int?, headers: Int
    ) {
        for number in 1...100 { server.add("user-\(number)") }
        (world.terminalWidth, world.isOutputTerminal) = (width, width != nil)
        let lines = users("list").stdout.split(separator: "\n")
        #expect(lines.count == 101 + headers && lines.count { $0.contains("USERNAME") } == headers)
    }

    @Test func `users export prints a row for users create, without the fields of the server and of secrets`() {
        var user = User(
            username: "ada", email: "ada@example.org",
            fields: ["plan": "pro", "_rperm": "x", "mood": "good", "ACL": ["eve": ["read": true]]])
        user.hiddenFields = ["apiToken"]
        server.add(user)
        users("export").expectTranscript(in: "users", "local accounts")
        expect(users("export", ["--json"]).stdout, users("export").stdout)
        use(server, url: "https://a.example")
        world.files["/key"] = "m4ster\n"
        users("export --admin-key-file /key").expectTranscript(in: "users", "a server, which chooses the ids")
    }

    @Test func `users export writes all accounts to its file, or none if a page is missing`() throws {
        for number in 1...101 { server.add("user-\(number)") }
        expect(users("export --file f").stdout, "")
        expect(try folder.read("f").split(separator: "\n").count, 102)
        expect(users("export --file f").exitCode, 2)
        let failing = FakeAccounts { request, _ in
            request == "list after nothing" ? nil : .before(AuthError(.timeout, "late"))
        }
        for number in 1...101 { failing.add("user-\(number)") }
        use(failing)
        for _ in 1...2 { expect(users("export --file g").exitCode, 8) }
        expect(try folder.read("g"), "")
        expect(try folder.names(), ["f", "g"])
    }

    @Test func `users create reads what users export writes, and keeps the state of the accounts`() {
        var user = User(
            username: "ada", email: "ada@example.org", emailVerified: true,
            fields: ["plan": "pro", "phone": "555", "E-Mail": "x", "own": 1])
        (user.phone, user.disabled, user.claims, user.roles) = ("+81", true, ["role": "admin"], ["staff"])
        let accounts = AccountKeeping(
            [.username, .email, .phone, .emailAndPhone, .verified, .unverified],
            byAdministrator: [.disabled, .claims, .roles], otherNames: ["own": "claims"])
        world.files["/key"] = "m4ster\n"
        func export(_ server: FakeAccounts) -> TestContext.Result {
            use(server, url: "https://a.example", accounts: accounts)
            return users("export --admin-key-file /key")
        }
        let (first, second) = (FakeAccounts(), FakeAccounts())
        first.add(user)
        first.add(User())
        let exported = export(first)
        expect(exported.stderr, "authctl: note: accounts without a name are left out: 1\n")
        let state = #""emailVerified":true,"disabled":true,"claims":{"role":"admin"},"roles":["staff"],"plan":"pro","#
        #expect(
            exported.stdout == #"{"id":"id1","username":"ada","email":"ada@example.org","phone":"+81",\#(state)"#
                + #""fields":{"phone":"555","E-Mail":"x","own":1}}"# + "\n")
        world.files["/rows"] = exported.stdout
        use(second, url: "https://a.example", accounts: accounts)
        let line = "create /rows --journal j --credentials c --admin-key-file /key"
        expect(users(line.replacing("--admin-key-file", with: "--drop")).exitCode, 2)
        expect(users(line).stdout, "1 created in 0.0 s\n")
        expect(export(second).stdout, exported.stdout)
    }

    /// A server whose account `ada` has a role. The request for roles fails with `error`.
    private func useRoles(_ error: AuthError? = nil) -> FakeAccounts {
        let server = FakeAccounts { request, _ in request == "roles" ? error.map { FakeAccounts.Fault.before($0) } : nil
        }
        for (name, roles) in [("ada", ["staff"]), ("bob", [])] {
            var user = User(username: name)
            user.roles = roles
            server.add(user)
        }
        world.files["/key"] = "m4ster\n"
        use(server, url: "https://a.example")
        return server
    }

    @Test(arguments: [
        ("export", #""roles":["staff"]"#, 1), ("list --json", #""roles":["staff"]"#, 1),
        ("list --json", #""roles":[]"#, 1), ("list --json --limit 1", #""roles":null"#, 0), ("list", "ada", 0),
    ])
    func `roles are requested for an export and a complete list in JSON, where null means unknown`(
        line: String, part: String, requests: Int
    ) {
        let server = useRoles()
        let result = users(line + " --admin-key-file /key")
        #expect(result.exitCode == 0 && result.stdout.contains(part) && result.stderr.isEmpty, "\(result)")
        expect(server.requests.count { $0 == "roles" }, requests)
    }

    @Test func `roles that the key may not read are named, and another failure prints no account`() {
        _ = useRoles(AuthError(.forbidden, "the server denies it"))
        let result = users("export --admin-key-file /key")
        expect(result.exitCode, 0)
        let warning = "the output has no roles: cannot list the roles: the server denies it"
        expect(result.stderr, "authctl: warning: \(warning)\n")
        expect(result.stdout.split(separator: "\n").count, 2)
        _ = useRoles(AuthError(.invalidResponse, "the server sent 1 of 2 roles"))
        let failed = users("list --json --admin-key-file /key")
        #expect(failed.exitCode == 8 && failed.stdout.isEmpty && failed.stderr.contains("1 of 2 roles"))
    }

    @Test func `users set checks a password of a file as its own`() {
        server.add(User(username: "ada"))
        use(server, accounts: AccountKeeping([.username], changes: [.password]))
        world.files["/rows"] = #"{"username":"ada","password":"short"}"# + "\n"
        let result = users("set --from /rows")
        expect(result.exitCode, 11)
        expect(
            result.stderr,
            "authctl: error: row 1 (line 1) 'ada': the password must have at least 8 characters\n")
        #expect(!server.requests.contains { $0.hasPrefix("search") })
    }

    // MARK: - Refusals

    @Test(arguments: [
        ("--claim a=1 --claim-json b=2", 0, 2, 10), ("--role staff", 10, 10, 10), ("--disable", 10, 10, 10),
        ("--claim a=1 --claim-json a=2", 2, 2, 2), ("--role staff --role staff", 2, 2, 2), ("--verified", 2, 2, 2),
        ("--verified --email e{n}@a.example", 0, 2, 10), ("--unverified --email e{n}@a.example", 0, 0, 10),
    ])
    func `users create refuses a state of generated accounts that the server does not keep, or only with the key`(
        words: String, withKey: Int32, withoutKey: Int32, elsewhere: Int32
    ) {
        let accounts = AccountKeeping([.username, .email, .unverified], byAdministrator: [.verified, .claims])
        use(server, url: "https://a.example", accounts: accounts)
        world.files["/key"] = "m4ster\n"
        let line = "create --count 1 --name ci-{n} \(words)"
        expect(users("\(line) --journal j --credentials c").exitCode, withoutKey)
        server.remove("ci-1")
        expect(users("\(line) --journal k --credentials d --admin-key-file /key").exitCode, withKey)
        world.environment = [:]
        use(server)
        expect(users("\(line) --dry-run").exitCode, elsewhere)
    }

    @Test(arguments: [
        ("/rows --keep-ids", 0, 2, 10), ("/rows --ids i", 0, 0, 0), ("/rows --keep-ids --ids i", 2, 2, 2),
        ("/rows --keep-ids --drop id", 2, 2, 10), ("/other --keep-ids", 11, 2, 10),
        ("--count 1 --name ci-{n} --ids i", 2, 2, 2), ("--count 1 --name ci-{n} --keep-ids", 2, 2, 2),
    ])
    func `users create keeps ids only with the key, and a dry run says so`(
        words: String, withKey: Int32, withoutKey: Int32, elsewhere: Int32
    ) throws {
        let accounts = AccountKeeping([.username], byAdministrator: .id, ids: IDForm("have 2 characters", 2...2))
        use(server, url: "https://a.example", accounts: accounts)
        world.files["/key"] = "m4ster\n"
        for (name, id) in [("rows", "x1"), ("other", "x12")] {
            world.files["/\(name)"] = #"{"id":"\#(id)","username":"ci-1","password":"correct horse"}"# + "\n"
        }
        for last in ["--dry-run", "--journal j"] {
            expect(users("create \(words) --admin-key-file /key \(last)").exitCode, withKey)
        }
        if withKey == 0 { expect(server.accounts["ci-1"] == "x1", words.contains("keep")) }
        if words == "/rows --ids i" {
            try expect(folder.read("i"), #"{"id":"x1","username":"ci-1","newId":"id2"}"# + "\n")
        }
        expect(users("create \(words) --dry-run").exitCode, withoutKey)
        use(server, url: "https://a.example")
        expect(users("create \(words) --dry-run").exitCode, elsewhere)
    }

    @Test func `users commands refuse options that contradict or lack each other`() {
        let lines = [
            "create", "create --journal j", "create /ada", "create /ada --count 2", "create --name ci-{n} --journal j",
            "create --count 2 --name ci-{n} --journal j", "create --count 2 --journal j --credentials c",
            "create --count 2 --name ci --journal j --credentials c", "create /ada --dry-run --tokens t",
            "create --count 2 --name ci-{n} --field plan --dry-run", "create /ada --journal j --shard 3/2",
            "create /ada --journal j --rate 5", "create /ada --journal j --rate 0/s",
            "create /ada --journal j --jobs 65",
            "create /none --journal j", "login", "login --credentials /ada", "login --credentials t --tokens ./t",
            "verify", "refresh", "create /ada --password-stdin --journal j",
            "login --credentials /ada --tokens t --refresh-token",
            "delete", "delete --journal j", "delete /ada --journal j --credentials c",
            "delete --journal j --admin-key-file /key --yes", "list --limit 0", "list --admin-key-file /key",
            "export --admin-key-file /key",
        ]
        _ = users("create /ada --journal j")
        world.expectErrors(
            in: "users", of: lines.map { ["users"] + $0.split(separator: " ").map(String.init) })
    }

    @Test func `users commands require the master key on a server, and only a key for that server counts`() {
        use(server, url: "https://a.example")
        _ = users("create /ada --journal j")
        world.environment["AUTHCTL_ADMIN_KEY_FILE"] = "/key"
        world.files["/key"] = "m4ster\n"
        expect(users("list").exitCode, 0)
        world.environment["AUTHCTL_SERVER"] = nil
        world.expectErrors(
            in: "users",
            of: ["list", "export", "delete --journal j --yes"].map {
                ["users"] + $0.split(separator: " ").map(String.init) + ["--server", "https://a.example"]
            })
    }
}

@Suite struct UsersCreateCommandTests {
    @Test(arguments: [
        (["--credentials", "x"], "--journal and --credentials"),
        (["--credentials", "./x"], "--journal and --credentials"),
        (["--credentials", "y", "--tokens", "y"], "--credentials and --tokens"),
    ])
    func `users create rejects one file for two options`(words: [String], options: String) {
        let result = TestContext().run(
            words: ["users", "create", "--count", "2", "--name", "ci-{n}", "--journal", "x"] + words)
        expect(result.exitCode, 2)
        expect(result.stderr, "authctl: error: \(options) must name different files\n")
    }

    @Test(
        arguments: [
            ("create", 0o644, nil),
            ("create", 0o622, "file of accounts 'in' is writable by other users; run: chmod go-w in"),
            ("login", 0o640, "credentials file 'in' is readable by other users; run: chmod go-rw in"),
        ] as [(String, UInt32, String?)])
    func `a file of passwords that other users can change or read is warned of`(
        command: String, mode: UInt32, warning: String?
    ) throws {
        let context = TestContext()
        context.files["in"] = "username\n"
        context.fileModes["in"] = mode
        context.linesFolder = TestFolder()
        let words =
            command == "login" ? ["login", "--credentials", "in", "--tokens", "t"] : ["create", "in", "--dry-run"]
        let result = context.run(words: ["users"] + words)
        expect(result.stderr, (warning.map { "authctl: warning: \($0)\n" } ?? ""))
    }
}
