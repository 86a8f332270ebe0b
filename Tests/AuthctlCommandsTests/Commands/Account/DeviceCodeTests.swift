import AuthModel
import CommandTestSupport
import Platform
import Testing

@testable import AuthctlCommands

/// `login --facebook` and `link-facebook` without a token.
@Suite struct DeviceCodeTests {
    static let page = "https://www.facebook.com/device"
    static let text = """
        authctl: open \(page) in a browser, on any device, and enter the code AB12-CD34
        authctl: or open \(page)?user_code=AB12-CD34 there; the code is good for 7 minutes

        """
    static let line =
        #"{"v":1,"kind":"device-code","userCode":"AB12-CD34","verificationUri":"\#(page)","#
        + #""verificationUriComplete":"\#(page)?user_code=AB12-CD34","expiresAt":"2026-06-01T00:07:00Z","interval":5}"#
        + "\n"

    let world = TestContext()

    init() {
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000", "AUTHCTL_FACEBOOK_CLIENT_TOKEN": "abc"]
    }

    private func logIn(_ words: String...) -> TestContext.Result {
        let user = #"{"sessionToken":"\#(Exchange.adaToken)",\#(FacebookLoginTests.user.dropFirst())"#
        world.network.expect(.facebookCode(), .facebookPending, .facebookDone, .facebookUser())
        world.server.expect(.signUp(FacebookLoginTests.request, 200, user), .currentSession())
        return world.run(words: ["login", "--facebook"] + words)
    }

    @Test func `shows on standard error where to enter which code, and logs in`() {
        let result = logIn()
        #expect(result.stdout == "logged in as ada (profile 'default', accounts on this machine)\n")
        #expect(result.stderr == Self.text)
        #expect(world.sessions.current?.method == .facebook)
    }

    @Test func `shows it also where notes are not wanted`() {
        #expect(logIn("--quiet").stderr == Self.text)
    }

    @Test func `shows it to scripts as a line of JSON`() {
        let result = logIn("--json")
        #expect(result.stderr == Self.line)
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"login","#))
    }

    @Test func `shows it in both ways where JSON is wanted and somebody is looking`() {
        world.isErrorTerminal = true
        #expect(logIn("--json", "--color", "never").stderr == Self.line + Self.text)
    }

    @Test func `shows harmlessly what Facebook calls a code`() {
        world.network.expect(
            .graphForm(
                "device/login", "access_token=1000%7Cabc&scope=public_profile%2Cemail", 200,
                #"{"code":"long-code","user_code":"A\u001b[31m","verification_uri":"https://a.example/\u001b[2J","#
                    + #""expires_in":90}"#),
            .facebookLogIn(400, #"{"error":{"error_subcode":1349173}}"#))
        let result = world.run("login", "--facebook")
        #expect(!result.stderr.contains("\u{1B}"))
        #expect(result.stderr.contains("the code is good for 90 seconds\n"))
        #expect(
            result.stderr.contains("authctl: error: cannot log in with Facebook: the log-in was declined at Facebook"))
        #expect(result.exitCode == 4)
    }

    @Test(arguments: [[], ["--json"], ["--quiet"]])
    func `asks nobody about a code that cannot be shown`(words: [String]) {
        world.errorOutputFailure = Errno(28)
        world.network.expect(.facebookCode())
        let result = world.run(words: ["login", "--facebook"] + words)
        #expect(result.stdout == "")
        #expect(result.exitCode == 12)
        #expect(world.sessions.current == nil)
    }

    @Test func `says that nobody entered it`() {
        world.network.expect(
            .facebookCode(), .facebookLogIn(400, #"{"error":{"error_subcode":1349152}}"#))
        let result = world.run("login", "--facebook")
        #expect(
            result.stderr == Self.text + """
                authctl: error: cannot log in with Facebook: nobody entered the code at Facebook in time
                authctl: hint: run the command again for another code

                """)
        #expect(result.exitCode == 8)
    }

    @Test func `asks for further permissions`() {
        world.sessions.put(.ada)
        world.server.expect(.currentUser())
        world.network.expect(
            .facebookCode(scope: "public_profile%2Cemail%2Cuser_birthday%2Cuser_link"),
            .facebookLogIn(400, #"{"error":{"error_subcode":1349173}}"#))
        let result = world.run("link-facebook", "--permission", "user_birthday", "--permission", "user_link")
        #expect(result.stderr.hasSuffix("cannot link the Facebook identity: the log-in was declined at Facebook\n"))
    }

    @Test func `links whoever entered it`() {
        world.sessions.put(.ada)
        world.network.expect(.facebookCode(), .facebookDone, .facebookUser())
        world.server.expect(
            .currentUser(), .currentUser(),
            .embedded(
                "PUT", "users/g7y9tkhB7O", token: Exchange.adaToken,
                body: #"{"authData":{"facebook":{"id":"1003","access_token":"EAAB"}}}"#, 200, "{}"))
        let result = world.run("link-facebook")
        #expect(result.stdout == "linked Facebook identity 1003 (profile 'default')\n")
        #expect(result.stderr == Self.text)
    }

    @Test func `shows no secret where it shows the exchange`() {
        let result = logIn("-v")
        for secret in ["1000%7Cabc", "long-code", "EAAB"] { #expect(!result.stderr.contains(secret)) }
        #expect(result.stderr.contains("/v21.0/device/login_status"))
    }

    @Test func `names what must be known of the app`() {
        world.environment["AUTHCTL_FACEBOOK_CLIENT_TOKEN"] = nil
        let result = world.run("login", "--facebook")
        #expect(
            result.stderr == """
                authctl: error: to log in with Facebook here, the client token of the Facebook app must be known
                authctl: hint: set it with AUTHCTL_FACEBOOK_CLIENT_TOKEN
                authctl: hint: save it in the profile: authctl profile set default facebookClientTokenFile FILE
                authctl: hint: give a token with --token-stdin or --token-file

                """)
        #expect(result.exitCode == 2)
    }

    @Test func `asks another Graph where that is named`() {
        world.environment["AUTHCTL_FACEBOOK_GRAPH_URL"] = "http://127.0.0.1:8080/"
        let begin = Exchange(
            """
            POST http://127.0.0.1:8080/v21.0/device/login
            Accept: application/json
            Content-Type: application/x-www-form-urlencoded

            access_token=1000%7Cabc&scope=public_profile%2Cemail
            """, 400, #"{"error":{"code":101}}"#)
        world.network.expect(begin)
        #expect(world.run("login", "--facebook").exitCode == 5)
    }

    @Test(arguments: [
        ("http://graph.example", "server 'http://graph.example' (from AUTHCTL_FACEBOOK_GRAPH_URL) would get tokens"),
        ("graph", "server 'graph' (from AUTHCTL_FACEBOOK_GRAPH_URL) "),
    ])
    func `asks no Graph that anybody could listen to`(url: String, message: String) {
        world.environment["AUTHCTL_FACEBOOK_GRAPH_URL"] = url
        let result = world.run("login", "--facebook")
        #expect(result.stderr.contains(message))
        #expect(result.exitCode == 2)
    }
}
