import AuthBackends
import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// `--from-mail` of the commands for one account.
@Suite struct FromMailTests {
    private let world = TestContext()
    private let calls = Journal()
    private static let unclear = AuthError(.invalidResponse, "the page does not say whether the link is valid")
    private static let used = AuthError(.notFound, "the key is used")
    private static let pending = Step.signUp(.success(.waits(Pending(.emailVerification), .ada)))
    private static let new = Step.logIn(.success(.session(NewSession(user: .ada, session: .sample("t")))))

    private func run(_ script: [Step], _ words: [String]) -> TestContext.Result {
        world.environment["AUTHCTL_MAIL_DIR"] = "/mails"
        world.files = ["/pw": "correct horse"]
        let backend = FakeBackend(script, journal: calls)
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
        ])
        return world.run(words: words + ["--from-mail"] + SignupCommandTests.site)
    }

    private func putSession(of user: User) {
        world.sessions.put(.sample(connection: Connection(backend: "site", server: "https://a.example"), user: user))
    }

    private static func mail(
        _ key: String, to address: String = "ada@example.org", _ purpose: ReceivedMail.Purpose = .verification
    ) -> ReceivedMail {
        ReceivedMail(recipient: address, subject: "", link: "https://a.example/\(key)", purpose: purpose)
    }

    @Test(arguments: [["password", "reset", "--new-password-file", "/pw"], ["verify-email"]])
    func `--from-mail takes e-mails to the address of the session, and requires an address without one`(
        words: [String]
    ) {
        let purpose: ReceivedMail.Purpose = words == ["verify-email"] ? .verification : .reset
        world.mails = [[Self.mail("1", purpose), Self.mail("2", to: "bob@example.org", purpose)]]
        for user in [nil, User(username: "eve")] {
            if let user { putSession(of: user) }
            let result = run([], words)
            #expect(result.exitCode == 2 && result.stderr.contains("requires the e-mail address"))
        }
        putSession(of: User(username: "ada", email: "ada@example.org"))
        let step: Step = purpose == .reset ? .finishReset(.success(nil)) : .verify(.success(.done))
        expect(run([step], words).exitCode, 0)
        let call =
            purpose == .reset
            ? "resetPassword https://a.example/1 'correct horse' ada@example.org"
            : "verify https://a.example/1 as session \(Exchange.adaToken)"
        expect(calls.lines, ["backend: \(call)"])
    }

    @Test func `a used link is passed over, and with --wait until a newer one arrives`() {
        let words = ["verify-email", "--email", "ada@example.org"]
        let foreign = Self.mail("?token=1&username=eve")
        world.mails = [
            [Self.mail("1"), Self.mail("2")], [Self.mail("1"), Self.mail("2")], [foreign, Self.mail("3")],
        ]
        let steps = [Self.used, Self.used].map { Step.verify(.failure($0)) }
        expect(run(steps + [.verify(.success(.done))], words + ["--wait", "5"]).exitCode, 0)
        expect(calls.lines, [2, 1, 3].map { "backend: verify https://a.example/\($0)" })
        world.mails = [[Self.mail("1"), Self.mail("2")]]
        let result = run(steps, words)
        #expect(result.exitCode == 7 && result.stderr.contains("the key is used"))
    }

    @Test func `signup --from-mail takes no e-mail that was there before`() {
        world.mails = [[Self.mail("1")], [Self.mail("1")], [Self.mail("1"), Self.mail("2")]]
        let words = ["signup", "ada", "--email", "ada@example.org", "--password-file", "/pw", "--wait", "5"]
        expect(run([Self.pending, .verify(.success(.done)), Self.new], words).exitCode, 0)
        #expect(calls.lines.contains("backend: verify https://a.example/2"))
    }

    @Test(
        arguments: [
            (unclear, new, 0, ""),
            (nil, Step.logIn(.success(.waiting(AuthError(.emailUnverified, "no")))), 7, "but not verified"),
            (unclear, Step.logIn(.success(.waiting(AuthError(.emailUnverified, "no")))), 7, "but not verified"),
            (unclear, Step.logIn(.failure(AuthError(.serverFault, "no"))), 8, "and may be verified"),
        ] as [(AuthError?, Step, Int32, String)])
    func `signup --from-mail asks by its login whether the e-mail is verified`(
        error: AuthError?, logIn: Step, exitCode: Int32, text: String
    ) {
        world.mails = [[], [Self.mail("1")]]
        let answer: Result<Verification, AuthError> = if let error { .failure(error) } else { .success(.done) }
        let words = ["signup", "ada", "--email", "ada@example.org", "--password-file", "/pw", "--wait", "1"]
        let result = run([Self.pending, .verify(answer), logIn], words)
        #expect(result.exitCode == exitCode && (text.isEmpty || result.stderr.contains(text)))
    }
}
