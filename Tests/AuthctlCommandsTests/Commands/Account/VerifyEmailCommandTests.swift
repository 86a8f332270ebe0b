import AuthBackends
import CommandTestSupport

@testable import AuthClient
@testable import AuthctlCommands

@Suite struct VerifyEmailCommandTests {
    private let world = TestContext()

    let journal = Journal()

    private func run(
        _ world: TestContext = TestContext(), _ words: [String], _ script: Step
    ) -> TestContext.Result {
        let backend = WaitingBackend(FakeBackend([script], journal: journal))
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
        ])
        return world.run(words: ["verify-email"] + words + SignupCommandTests.site)
    }

    @Test(
        arguments: [
            (.mail(VerificationMail(email: "a@b.c", wasSent: true, isCertain: false)), "sent if the account exists"),
            (.mail(VerificationMail(email: "a@b.c", wasSent: true)), "sent"),
            (.mail(VerificationMail(email: "a@b.c", wasSent: false)), "verified before"), (.verified(nil), "verified"),
        ] as [(VerifyEmailCommand.Output.Task, String)])
    func `verify-email reports whether the server sent an e-mail or verified the address`(
        task: VerifyEmailCommand.Output.Task, situation: String
    ) {
        let output = VerifyEmailCommand.Output(profile: "ci", task: task, hints: HintRenderer(profile: nil))
        MessageFile("commands/verify-email").expect(output.text(.plain) + output.json.text, situation)
    }

    /// Parse Server may report success without sending an e-mail.
    @Test func `verify-email reports a sent e-mail only if the server is known to send e-mails`() {
        let body = #"{"email":"ada@example.org"}"#
        world.server.expect(.embedded("POST", "verificationEmailRequest", body: body, 200, "{}"))
        world.network.expect(
            Exchange(
                """
                POST https://a.example/parse/verificationEmailRequest
                X-Parse-Application-Id: shop
                Content-Type: application/json

                \(body)
                """, 200, "{}"))
        let words = ["verify-email", "--email", "ada@example.org"]
        world.run(words: words).expectTranscript(in: "verify-email", "local accounts")
        world.run(words: words + HostConnectionTests.place).expectTranscript(in: "verify-email", "Parse Server")
    }

    /// Parse Server 8.2.2 redirects a used link to `invalid_verification_link.html` and repeats the key in the query.
    /// The redirect's status 302 comes from the recorded exchange `strict.verify-link-bad`.
    @Test func `verify-email reads the redirect of a used Parse Server link and reports an invalid key`() {
        let base = "https://a.example/parse/apps"
        let page = "\(base)/invalid_verification_link.html?appId=shop&token=ZZpcq7K0hJ2v0KZfUcuruypQr"
        let link = "\(base)/shop/verify_email?token=ZZpcq7K0hJ2v0KZfUcuruypQr"
        world.network.expect(
            Exchange("GET \(link)", 302, "Found. Redirecting to \(page)", headers: ["Location": page]))
        let result = world.run(words: ["verify-email", "--key", link, "-v"] + HostConnectionTests.place)
        #expect(!result.stderr.contains("ZZpcq7K0hJ2v0KZfUcuruypQr"))
        result.expectTranscript(in: "verify-email")
    }

    /// Parse Server's pages always have status 200, and an app may replace them, so the outcome may be unknown.
    @Test func `verify-email suggests a login to check the outcome if Parse Server's page does not report it`() {
        let link = "https://a.example/parse/apps/shop/verify_email?token=ZZpcq7K0hJ2v0KZfUcuruypQr"
        world.network.expect(Exchange("GET \(link)", 200, "<h1>Willkommen</h1>"))
        world.run(words: ["verify-email", "--key", link] + HostConnectionTests.place)
            .expectTranscript(in: "verify-email")
    }

    @Test func `verify-email rejects a username in place of an e-mail address`() {
        TestContext().run("verify-email", "--email", "ada", "--json").expectTranscript(in: "verify-email")
    }

    @Test(arguments: [
        ["--key-stdin"], ["--key-file", "-"], ["--key-file", "/link"],
        ["--key", "https://a.example/verify/MQ%3A1x/"],
    ])
    func `verify-email accepts a whole link from standard input, a file or --key`(words: [String]) {
        world.files = ["/link": "https://a.example/\nverify/MQ%3A1x/\n"]
        let readsInput = ["--key-stdin", "-"].contains(words.last)
        let backend = WaitingBackend(FakeBackend([.verify(.success(.done))], journal: journal))
        world.backends = BackendRegistry([
            BackendRegistration(descriptor: .site, type: FakeBackend.self) { _, _ throws(AuthError) in backend }
        ])
        let result = world.run(
            words: ["verify-email"] + words + SignupCommandTests.site, stdin: readsInput ? world.files["/link"] : nil)
        expect(result.exitCode, 0)
        expect(journal.lines, ["backend: verify https://a.example/verify/MQ%3A1x/"])
    }
}
