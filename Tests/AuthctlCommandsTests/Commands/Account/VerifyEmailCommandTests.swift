import AuthBackends
import AuthClient
import AuthModel
import CommandTestSupport
import MessageSnapshots
import Testing

@testable import AuthctlCommands

@Suite struct VerifyEmailCommandTests {
    let journal = Journal()

    private func run(
        _ world: TestContext = TestContext(), _ words: [String], _ script: FakeBackend.Step
    ) -> TestContext.Result {
        let backend = WaitingBackend(FakeBackend([script], journal: journal))
        world.backends = BackendRegistry([BackendRegistration(descriptor: .site) { _, _ throws(AuthError) in backend }])
        return world.run(words: ["verify-email"] + words + SignupCommandTests.site)
    }

    @Test(
        arguments: [
            (.mail(VerificationMail(email: "a@b.c", wasSent: true, isCertain: false)), "sent if the account exists"),
            (.mail(VerificationMail(email: "a@b.c", wasSent: true)), "sent"),
            (.mail(VerificationMail(email: "a@b.c", wasSent: false)), "verified before"), (.verified(nil), "verified"),
        ] as [(VerifyEmailCommand.Output.Task, String)])
    func `verify-email reports whether it sent an e-mail or verified the address`(
        task: VerifyEmailCommand.Output.Task, situation: String
    ) {
        let output = VerifyEmailCommand.Output(profile: "ci", task: task)
        MessageFile("commands/verify-email").expect(output.text(.plain) + output.json.text, situation)
    }

    @Test func `verify-email without --email requires a login`() {
        let result = TestContext().run("verify-email")
        #expect(result.exitCode == 3)
    }

    @Test func `verify-email requires --email for an account without an e-mail address`() {
        let world = TestContext()
        world.sessions.put(.sample(user: User(username: "ada")))
        let result = world.run("verify-email")
        result.expectTranscript(in: "verify-email")
        #expect(result.exitCode == 2)
    }

    @Test func `an e-mailed code that completes a pending login saves the session`() {
        let world = TestContext()
        world.sessions.unfinishedInMemory.put(
            .sample(connection: Connection(backend: "site", server: "https://a.example"), session: .sample("p1")))
        let session = NewSession(user: .ada, session: .ada)
        run(world, ["--key", "MPDF-FRQW"], .verifyEmailAs(.success(session))).expectTranscript(in: "verify-email")
        #expect(journal.lines == ["backend: verifyEmail MPDF-FRQW as pending p1"])
        #expect(world.sessions.current?.session == .ada)
    }
}
