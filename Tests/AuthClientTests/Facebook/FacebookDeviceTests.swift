import AuthClient
import CommandTestSupport

/// Logins and links with a code that the user enters in a browser.
@Suite struct FacebookDeviceTests {
    static let device = FacebookSource(.device(permissions: []))
    static let code = DeviceCode(
        secret: Secret("long-code"), userCode: "AB12-CD34", verificationURL: "https://www.facebook.com/device",
        completeURL: "https://www.facebook.com/device?user_code=AB12-CD34", lifetime: .seconds(420),
        interval: .seconds(5))
    static let done = [
        Step.begin(.success(code)), .progress(.success(.done(token: Secret("EAAB")))),
    ]
    static let shown = "code: AB12-CD34 at https://www.facebook.com/device until 2026-06-01T00:07:00Z"

    @Test func `a device login shows the code and logs in`() throws {
        let time = VirtualTime()
        let fixture = ClientFixture.withFacebook(
            FacebookIdentificationTests.loggedIn, facebook: Self.done, known: FacebookIdentificationTests.appAndToken,
            time: time)
        _ = try LogInWithIdentity(fixture.client).run(Self.device)
        #expect(
            fixture.steps == [
                "store: prepare", "facebook: begin 1000 abc public_profile,email", Self.shown,
                "facebook: progress of long-code 1000", "store: prepare", "backend: logIn by facebook EAAB",
                "store: save new",
            ])
        expect(time.waits, [.seconds(5)])
    }

    @Test func `a device login requests a default permission only once, even if the user requests it too`() throws {
        let fixture = ClientFixture.withFacebook(
            facebook: [.begin(.failure(.fault))], known: FacebookIdentificationTests.appAndToken)
        let credential = FacebookSource(.device(permissions: ["user_birthday", "email"]))
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(credential) }
        expect(error.reason, .serverFault)
        expect(fixture.steps.last, "facebook: begin 1000 abc public_profile,email,user_birthday")
    }

    @Test func `a link by device code checks the session before it shows the code`() throws {
        let token = Exchange.adaToken
        let fixture = ClientFixture.withFacebook(
            .currentUser(.success(.ada)), FacebookIdentificationTests.linked, facebook: Self.done,
            known: FacebookIdentificationTests.appAndToken, stored: .ada)
        _ = try Link(fixture.client).run(Self.device)
        #expect(
            fixture.steps == [
                "store: prepare", "backend: currentUser \(token)", "facebook: begin 1000 abc public_profile,email",
                Self.shown, "facebook: progress of long-code 1000",
                "backend: link facebook EAAB \(token)", "store: update \(token)",
            ])
    }

    @Test(arguments: [
        ([:] as [String: String], "neither is set"), (["facebookAppId": "1000"], "the app id is set"),
    ])
    func `a device login suggests how to set a missing Facebook app id or client token`(
        known: [String: String], situation: String
    ) throws {
        let fixture = ClientFixture.withFacebook(known: known)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.device) }
        error.expectMessage(in: "use-cases/facebook-device", situation)
        expect(fixture.requests, [])
    }

    // MARK: - Sites that name their app

    private static func site(_ appID: String?) -> Step {
        .site(
            .success(
                SiteTraits(
                    takesUsername: true, takesEmail: true, isOpenForSignUp: true,
                    providers: appID.map { [SiteProvider(name: "facebook", clientID: $0, takesTokens: true)] } ?? [])))
    }

    @Test(arguments: [["facebookClientToken": "abc"], ["facebookClientToken": "abc", "facebookAppId": "1000"]])
    func `a device login uses the app id of the site`(known: [String: String]) throws {
        let fixture = ClientFixture.withFacebook(
            Self.site("1000"), FacebookIdentificationTests.loggedIn, facebook: Self.done, known: known,
            making: WaitingBackend.init)
        _ = try LogInWithIdentity(fixture.client).run(Self.device)
        #expect(fixture.steps.contains("facebook: begin 1000 abc public_profile,email"))
    }

    @Test func `a device login rejects an app id other than the site's`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.site("2000"), known: FacebookIdentificationTests.appAndToken, making: WaitingBackend.init)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.device) }
        error.expectMessage(in: "use-cases/facebook-device")
    }

    @Test func `a device login fails on a site without Facebook login`() throws {
        let fixture = ClientFixture.withFacebook(
            Self.site(nil), known: FacebookIdentificationTests.appAndToken, making: WaitingBackend.init)
        let error = try failure { _ = try LogInWithIdentity(fixture.client).run(Self.device) }
        error.expectMessage(in: "use-cases/facebook-device")
    }
}
