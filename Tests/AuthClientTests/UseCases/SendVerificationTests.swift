import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@Suite struct SendVerificationTests {
    @Test(arguments: [true, false])
    func `asks for a mail to the address that is named, and nobody need be logged in`(wasSent: Bool) throws {
        let fixture = ClientFixture(.sendVerification(.success(wasSent)))
        let result = try SendVerification(fixture.client).run(email: "eve@example.org")
        #expect(result == VerificationMail(email: "eve@example.org", wasSent: wasSent))
        #expect(fixture.steps == ["backend: sendVerification eve@example.org"])
    }

    @Test(arguments: [true, false])
    func `takes the address of who is logged in`(wasSent: Bool) throws {
        let fixture = ClientFixture(.sendVerification(.success(wasSent)), stored: .ada)
        let result = try SendVerification(fixture.client).run(email: nil)
        #expect(result == VerificationMail(email: "ada@example.org", wasSent: wasSent))
        #expect(fixture.steps == ["backend: sendVerification ada@example.org"])
    }

    @Test func `confirms an address with a key, and nobody need be logged in`() throws {
        let fixture = ClientFixture(.verifyEmail(.success(())))
        #expect(try VerifyEmail(fixture.client).run(key: "0f3a") == nil)
        #expect(fixture.steps == ["backend: verifyEmail 0f3a"])
    }

    @Test func `needs somebody who is logged in where no address is named`() throws {
        #expect(try failure { _ = try SendVerification(ClientFixture().client).run(email: nil) }.reason == .noSession)
    }

    @Test(arguments: [
        ClientFixture(stored: .sample(user: User(username: "ada"))),
        ClientFixture(stored: .ada, environmentToken: "env"),
    ])
    func `asks for the address where none is known`(fixture: ClientFixture) throws {
        let error = try failure { _ = try SendVerification(fixture.client).run(email: nil) }
        #expect(error.reason == .usage)
        #expect(error.message == "the account has no e-mail that is known here")
        #expect(error.hints == ["name it with --email"])
        #expect(fixture.steps == [])
    }

    @Test func `says where no mail went`() throws {
        let fixture = ClientFixture(
            .sendVerification(.failure(AuthError(.notFound, "the server knows no such thing"))), stored: .ada)
        let error = try failure { _ = try SendVerification(fixture.client).run(email: nil) }
        #expect(error.reason == .notFound)
        #expect(
            error.message == "cannot have a mail sent to 'ada@example.org': the server knows no such thing")
    }
}
