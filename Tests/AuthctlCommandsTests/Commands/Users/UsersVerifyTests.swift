import AuthBackends
import AuthClient
import CommandTestSupport
import Platform

@testable import AuthctlCommands

/// `users verify` with e-mails of other accounts, and with servers that do not say whether they accepted a key.
@Suite struct UsersVerifyTests {
    private let world = TestContext()
    private let folder = TestFolder()
    private let calls = Journal()
    private static let link = "https://front.example/?token=1&username=u1"
    private static let unclear = AuthError(.invalidResponse, "the page does not say whether the link is valid")
    private static let used = AuthError(.notFound, "the key is used")
    private static let unverified = AuthError(.emailUnverified, "the e-mail is not verified yet")

    init() throws {
        world.linesFolder = folder
        world.environment["AUTHCTL_MAIL_DIR"] = "/mails"
        world.files["/c"] = "username,email,password\nu1,u1@a.example,correct horse\n"
    }

    private static func mail(_ link: String, to name: String = "u1", after seconds: Int = 60) -> ReceivedMail {
        ReceivedMail(
            recipient: "\(name)@a.example", subject: "Verify", date: .sampleNow.adding(.seconds(seconds)), link: link,
            purpose: .verification)
    }

    /// Verifies accounts that were created at `sampleNow`.
    private func verify(
        _ script: [Step], rows: Int = 1, _ words: [String] = [], linkOrigin: String? = nil
    ) throws -> TestContext.Result {
        let server: JSONObject = ["backend": "site", "server": "https://a.example"]
        let origin: JSONObject = linkOrigin.map { ["linkOrigin": .string($0)] } ?? [:]
        world.configuration.put([Profile(name: "site", settings: JSONObject(server.members + origin.members))])
        let lines = (1...rows).map { row in
            """
            {"row":\(row),"state":"sent","digest":"0","generated":true,"at":"\(Instant.sampleNow.textWithMilliseconds)"}
            {"row":\(row),"state":"created","id":"id\(row)","username":"u\(row)","email":"u\(row)@a.example","pending":true}

            """
        }
        let head = #"{"v":1,"kind":"users.journal","backend":"site","server":"https://a.example","appId":null}"#
        try folder.write("j", "\(head)\n\(lines.joined())")
        let backend = FakeBackend(script, journal: calls)
        world.backends = BackendRegistry([
            BackendRegistration(
                descriptor: BackendDescriptor(kind: "site", .takesServer, settings: [.linkOrigin]),
                type: FakeBackend.self
            ) { _, _ throws(AuthError) in backend }
        ])
        return world.run(words: ["users", "verify", "--journal", "j", "-p", "site", "--jobs", "1"] + words)
    }

    @Test(
        arguments: [
            (
                "https://FRONT.example",
                ["https://evil.example/1", "https://front.example/2", "https://x:y@front.example/3"]
            ),
            (nil, ["https://b.example/1", "https://front.example/2", "https://evil.example/3"]),
        ] as [(String?, [String])])
    func `a link with an unsuitable origin fails its row, and its key is not sent`(
        linkOrigin: String?, links: [String]
    ) throws {
        world.mails = [links.enumerated().map { Self.mail($1, to: "u\($0 + 1)") }]
        let refused = linkOrigin == nil ? [Step.verify(.failure(Self.used))] : []
        let result = try verify(refused + [.verify(.success(.done))], rows: 3, linkOrigin: linkOrigin)
        #expect(result.exitCode == 11 && result.stdout == "1 verified, 2 failed in 0.0 s\n")
        expect(calls.lines.last, "backend: verify \(links[1])")
    }

    @Test func `a link that names another account is not used, whatever its date`() throws {
        let foreign = Self.mail("https://front.example/?token=2&username=eve", after: 9_999_999)
        world.mails = [[Self.mail(Self.link), foreign]]
        try expect(verify([.verify(.success(.done))]).stdout, "1 verified in 0.0 s\n")
        expect(calls.lines, ["backend: verify \(Self.link)"])
        world.mails = [[foreign]]
        let result = try verify([])
        #expect(result.exitCode == 11 && result.stderr.contains("with a link of this account"))
    }

    private static let new = Step.logIn(.success(.session(NewSession(user: .ada, session: .sample("t")))))

    @Test(
        arguments: [
            (unclear, nil, "1 unknown"), (unclear, new, "1 verified"),
            (unclear, Step.logIn(.success(.waiting(unverified))), "1 failed"),
            (unclear, Step.logIn(.failure(used)), "1 unknown"),
            (used, new, "1 skipped"), (used, Step.logIn(.success(.waiting(unverified))), "1 failed"),
            (nil, new, "1 verified"), (nil, Step.logIn(.success(.waiting(unverified))), "1 failed"),
        ] as [(AuthError?, Step?, String)])
    func `a login tells whether an account is verified where the server does not`(
        error: AuthError?, logIn: Step?, outcome: String
    ) throws {
        world.mails = [[Self.mail("https://front.example/?token=1")]]
        let isNew = outcome != "1 failed" && outcome != "1 unknown"
        let answer: Result<Verification, AuthError> = if let error { .failure(error) } else { .success(.done) }
        var script = [Step.verify(answer)]
        if let logIn { script.append(logIn) }
        if isNew { script.append(.logOut(.success(.yes))) }
        let result = try verify(script, logIn == nil ? [] : ["--credentials", "/c"])
        expect(result.stdout, "\(outcome) in 0.0 s\n")
        expect(result.stderr.contains("--credentials FILE"), (logIn == nil))
        try expect(folder.read("j").contains(#""pending":false"#), isNew)
    }

    @Test func `an e-mail from before the signup counts only after the time of --wait`() throws {
        let (old, new) = (Self.mail("https://front.example/old", after: -60), Self.mail(Self.link))
        world.mails = [[old], [old], [old, new]]
        try expect(verify([.verify(.success(.done))], ["--wait", "5"]).exitCode, 0)
        expect(calls.lines, ["backend: verify \(Self.link)"])
        world.mails = [[old]]
        try expect(verify([.verify(.failure(Self.used))], ["--wait", "1"]).exitCode, 11)
        expect(calls.lines.last, "backend: verify https://front.example/old")
    }
}
