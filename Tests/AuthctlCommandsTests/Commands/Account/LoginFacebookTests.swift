import CommandTestSupport
import Platform

@testable import AuthctlCommands

/// `login --facebook` with a token.
@Suite struct LoginFacebookTests {
    static let request = #"{"authData":{"facebook":{"id":"1003","access_token":"EAAB"}}}"#
    static let user =
        #"{"authData":{"facebook":{"id":"1003","access_token":"EAAB"}},\#(Exchange.adaUser.dropFirst())"#

    let world = TestContext()

    init() {
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"]
    }

    @Test(arguments: [["--token-stdin"], ["--token-file", "/run/token"]])
    func `login --facebook with a token logs in to the account of the Facebook user`(words: [String]) {
        world.files = ["/run/token": "EAAB\n"]
        let answer = #"{"sessionToken":"\#(Exchange.adaToken)",\#(Self.user.dropFirst())"#
        world.network.expect(.facebookApp())
        world.server.expect(.signUp(Self.request, 200, answer), .currentSession())
        let result = world.run(words: ["login", "--facebook", "--identity-id", "1003"] + words, stdin: "EAAB")
        #expect(result.stderr == "" && result.exitCode == 0)
        expect(world.sessions.current?.session.token, Session.ada.token)
        expect(world.sessions.current?.user.providers, ["facebook"])
        expect(world.sessions.current?.user.fields, [:])
    }

    @Test func `the JSON document of a Facebook login reports a created account and omits the Facebook token`() {
        world.network.expect(.facebookApp())
        let answer =
            #"{"objectId":"g7y9tkhB7O","createdAt":"2026-01-02T03:04:05.678Z","username":"ada","#
            + #""sessionToken":"\#(Exchange.adaToken)"}"#
        world.server.expect(.signUp(Self.request, 201, answer), .currentSession())
        let result = world.run("login", "--facebook", "--identity-id", "1003", "--token-stdin", "--json", stdin: "EAAB")
        result.expectTranscript(in: "login")
        #expect(result.stdout.contains(#""created":true"#))
        #expect(!result.stdout.contains("EAAB"))
    }

    @Test(arguments: [["--provider", "google"], ["--facebook", "--id-token-stdin", "--token-stdin"]])
    func `login rejects --provider without an identity proof, and two tokens on standard input`(words: [String]) {
        world.run(words: ["login"] + words).expectErrors(in: "login", words.commandLine)
    }
}

/// The device login of `login --facebook` and `link-facebook`: without a token, the user enters a code in a browser.
@Suite struct LoginFacebookDeviceTests {
    let world = TestContext()

    init() {
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000", "AUTHCTL_FACEBOOK_CLIENT_TOKEN": "abc"]
    }

    private func logIn(_ words: [String] = []) -> TestContext.Result {
        let user = #"{"sessionToken":"\#(Exchange.adaToken)",\#(LoginFacebookTests.user.dropFirst())"#
        world.network.expect(.facebookCode(), .facebookPending, .facebookDone, .facebookUser())
        world.server.expect(.signUp(LoginFacebookTests.request, 200, user), .currentSession())
        return world.run(words: ["login", "--facebook"] + words)
    }

    @Test(arguments: [[], ["--quiet"], ["--json"]])
    func `a device login prints the verification URL and the code on standard error`(words: [String]) {
        logIn(words).expectTranscript(in: "login", words.first ?? "text")
        expect(world.sessions.current?.method, .identity(.facebook))
    }

    @Test func `a device login with --json prints the code as JSON and as text if standard error is a terminal`() {
        world.isErrorTerminal = true
        logIn(["--json", "--color", "never"]).expectTranscript(in: "login")
    }

    @Test func `a device login escapes control characters in the verification URL and the code`() {
        let base = "http://127.0.0.1:8080"
        world.environment["AUTHCTL_FACEBOOK_GRAPH_URL"] = base
        world.network.expect(
            .graphForm(
                "device/login", "access_token=1000%7Cabc&scope=public_profile%2Cemail", at: base, 200,
                #"{"code":"long-code","user_code":"A\u001b[31m","verification_uri":"https://a.example/\u001b[2J","#
                    + #""expires_in":90}"#),
            .graphForm(
                "device/login_status", "access_token=1000%7Cabc&code=long-code", at: base, 400,
                #"{"error":{"error_subcode":1349173}}"#))
        let result = world.run("login", "--facebook")
        result.expectTranscript(in: "login")
        #expect(!result.stderr.contains("\u{1B}"))
    }

    @Test(arguments: [[], ["--json"], ["--quiet"]])
    func `a device login does not poll Facebook if its code cannot be printed`(words: [String]) {
        world.errorOutputFailure = Errno(28)
        world.network.expect(.facebookCode())
        let result = world.run(words: ["login", "--facebook"] + words)
        expect(result.stdout, "")
        expect(result.exitCode, 12)
        expect(world.sessions.current, nil)
    }

    @Test func `a device login requests the permissions given with --permission`() {
        world.sessions.put(.ada)
        world.server.expect(.currentUser())
        world.network.expect(
            .facebookCode(scope: "public_profile%2Cemail%2Cuser_birthday%2Cuser_link"),
            .facebookLogIn(400, #"{"error":{"error_subcode":1349173}}"#))
        let result = world.run("link-facebook", "--permission", "user_birthday", "--permission", "user_link")
        expect(result.exitCode, 4)
    }

    @Test func `link-facebook without a token runs a device login and links the identity`() {
        world.sessions.put(.ada)
        world.network.expect(.facebookCode(), .facebookDone, .facebookUser())
        world.server.expect(
            .currentUser(), .currentUser(),
            .embedded(
                "PUT", "users/g7y9tkhB7O", token: Exchange.adaToken,
                body: #"{"authData":{"facebook":{"id":"1003","access_token":"EAAB"}}}"#, 200, "{}"))
        world.run("link-facebook").expectTranscript(in: "link-facebook")
    }
}
