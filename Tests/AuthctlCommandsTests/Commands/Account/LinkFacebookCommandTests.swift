import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct LinkFacebookCommandTests {
    let world = TestContext()

    init() {
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"]
    }

    @Test(arguments: [
        ([], LinkFacebookCommand.Options()),
        (
            ["--token-stdin", "--facebook-id", "1"],
            LinkFacebookCommand.Options(readsToken: true, facebook: FacebookOptions(id: "1"))
        ),
        (["--token-file", "-"], LinkFacebookCommand.Options(tokenFile: "-")),
        (
            ["--id-token-file", "x", "--permission", "a", "--permission", "b", "--fill-user"],
            LinkFacebookCommand.Options(
                facebook: FacebookOptions(idTokenFile: "x", permissions: ["a", "b"], fills: true))
        ),
        (
            ["--id-token-stdin"],
            LinkFacebookCommand.Options(facebook: FacebookOptions(readsIDToken: true))
        ),
        (["--unlink"], LinkFacebookCommand.Options(unlinks: true)),
        (
            ["--unlink", "--force", "--revoke"],
            LinkFacebookCommand.Options(unlinks: true, withdraws: true, force: true)
        ),
        (["--status"], LinkFacebookCommand.Options(showsStatus: true)),
    ])
    func `reads its options`(words: [String], expected: LinkFacebookCommand.Options) throws {
        #expect(try LinkFacebookCommand.spec.parse(words) == expected)
    }

    // MARK: - Linking

    @Test(arguments: [["--token-stdin"], ["--token-file", "/run/token"], ["--token-file", "-"]])
    func `links the account`(words: [String]) {
        world.files = ["/run/token": "EAAB\n"]
        world.network.expect(.facebookApp())
        world.server.expect(.currentUser(), .link())
        let result = world.run(words: ["link-facebook", "--facebook-id", "1003"] + words, stdin: "EAAB\r\n")
        #expect(result.stdout == "linked Facebook identity 1003 (profile 'default')\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current?.user.providers == ["facebook"])
    }

    @Test func `says it in JSON`() {
        world.network.expect(.facebookApp())
        world.server.expect(.currentUser(), .link())
        let result = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", "--json", stdin: "EAAB")
        #expect(
            result.stdout == """
                {"v":1,"kind":"link-facebook","profile":"default","linked":true,"changed":true,"facebookId":"1003",\
                "facebookIds":["1003"],"replacedId":null,"filled":null,"permissionsRevoked":false}

                """)
        #expect(result.stderr == "")
    }

    @Test func `sends a new token of the same identity, and says that nothing changed`() {
        for (words, stdout) in [
            ([], "Facebook identity 1003 was linked already (profile 'default')\n"),
            (
                ["--json"],
                #"{"v":1,"kind":"link-facebook","profile":"default","linked":true,"changed":false,"facebookId":"1003","#
                    + #""facebookIds":["1003"],"replacedId":null,"filled":null,"permissionsRevoked":false}"#
                    + "\n"
            ),
        ] {
            world.network.expect(.facebookApp())
            world.server.expect(.linkedUser("1003"), .link())
            let result = world.run(
                words: ["link-facebook", "--token-stdin", "--facebook-id", "1003"] + words, stdin: "EAAB")
            #expect(result.stdout == stdout)
        }
    }

    @Test func `notes the identity that is replaced`() {
        world.network.expect(.facebookApp())
        world.server.expect(.linkedUser("7"), .link())
        let result = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", stdin: "EAAB")
        #expect(result.stdout == "linked Facebook identity 1003 (profile 'default')\n")
        #expect(
            result.stderr
                == "authctl: note: the account was linked with Facebook identity '7' before; that link is gone\n")
        world.sessions.put(.ada)
        world.network.expect(.facebookApp())
        world.server.expect(.linkedUser("7"), .link())
        let json = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", "--json", stdin: "EAAB")
        #expect(json.stdout.contains(#""facebookId":"1003","facebookIds":["1003"],"replacedId":"7","#))
    }

    @Test(arguments: [
        (400, #"{"code":206,"error":"Insufficient auth."}"#, 4 as Int32, "token-refused"),
        (400, #"{"code":208,"error":"this auth is already used"}"#, 6, "identity-taken"),
        (400, Exchange.sessionRevoked, 4, "session-revoked"),
        (400, #"{"code":252,"error":"This authentication method is unsupported."}"#, 10, "unsupported"),
        (500, "{}", 9, "server-fault"), (500, "", 8, "outcome-unknown"),
    ])
    func `says why not`(status: Int, answer: String, exitCode: Int32, reason: String) {
        world.network.expect(.facebookApp())
        world.server.expect(.currentUser(), .link(status, answer))
        let result = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", "--json", stdin: "EAAB")
        #expect(result.stdout == "")
        #expect(result.stderr.contains(#""reason":"\#(reason)","message":"cannot link the Facebook identity: "#))
        #expect(!result.stderr.contains("EAAB"))
        #expect(result.exitCode == exitCode)
    }

    @Test func `hints at a log-in where the identity is another account's`() {
        world.network.expect(.facebookApp())
        world.server.expect(
            .currentUser(), .link(400, #"{"code":208,"error":"this auth is already used"}"#))
        let result = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", stdin: "EAAB")
        #expect(
            result.stderr == """
                authctl: error: cannot link the Facebook identity: that Facebook identity belongs to another account
                authctl: hint: is it yours? log in with it: authctl login --facebook --token-file FILE \
                --facebook-id 1003

                """)
    }

    @Test func `shows nothing of the token where it shows the exchange`() {
        world.network.expect(.facebookApp())
        world.server.expect(.currentUser(), .link())
        let result = world.run("link-facebook", "--token-stdin", "--facebook-id", "1003", "-v", stdin: "EAAB")
        #expect(result.stderr.contains("PUT"))
        #expect(!(result.stdout + result.stderr).contains("EAAB"))
    }

    // MARK: - What is given

    @Test(arguments: [
        (
            ["--token-stdin", "--token-file", "x"],
            "--token-stdin and --token-file both say where the Facebook token is"
        ),
        (
            ["--token-file", "x", "--id-token-file", "y"],
            "--token-file and --id-token-file both say where the Facebook token is"
        ),
        (
            ["--id-token-stdin", "--token-stdin"],
            "--token-stdin and --id-token-stdin both say where the Facebook token is"
        ),
        (["--token-stdin", "--facebook-id", ""], "the Facebook id is empty"),
        (["--token-stdin", "--facebook-id", "1\u{7}"], #"Facebook id '1\u{7}' holds a control character"#),
        (["--token-file", "/run/token", "--permission", "x"], "--permission is of use without a token only"),
        (["--permission", "a,b"], "'a,b' is not a permission (option '--permission')"),
        (["--permission", "User"], "'User' is not a permission (option '--permission')"),
        (["--permission", ""], "'' is not a permission (option '--permission')"),
        (["--unlink", "--status"], "--unlink and --status exclude each other"),
        (["--revoke"], "--revoke is of use with --unlink only"),
        (["--revoke", "--status"], "--revoke is of use with --unlink only"),
        (["--force"], "--force is of use with --unlink only"),
        (["--token-stdin", "--force"], "--force is of use with --unlink only"),
        (["--unlink", "--fill-user"], "--fill-user and --unlink exclude each other"),
        (["--unlink", "--revoke", "--fill-user"], "--fill-user and --unlink exclude each other"),
        (["--status", "--fill-user"], "--fill-user and --status exclude each other"),
        (["--unlink", "--token-stdin"], "--unlink needs no token, id or permission"),
        (["--unlink", "--force", "--id-token-file", "x"], "--unlink needs no token, id or permission"),
        (["--status", "--token-file", "x"], "--status needs no token, id or permission"),
        (["--status", "--facebook-id", "x"], "--status needs no token, id or permission"),
        (["--status", "--permission", "x"], "--status needs no token, id or permission"),
    ])
    func `must fit together`(words: [String], message: String) {
        world.files = ["/run/token": "EAAB"]
        let result = world.run(words: ["link-facebook"] + words)
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ("", "is empty"), ("a b", "holds characters that no token has"), ("a\0", "holds a NUL character"),
        (String(repeating: "x", count: 65537), "is longer than 65536 bytes"),
    ])
    func `sends nothing that is no token`(input: String, fault: String) {
        let result = world.run("link-facebook", "--token-stdin", "--facebook-id", "1", stdin: input)
        #expect(result.stderr == "authctl: error: the Facebook token from standard input \(fault)\n")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: [
        ("", "is empty"), ("a b", "holds characters that no token has"),
    ])
    func `sends nothing that is no ID token`(input: String, fault: String) {
        let result = world.run("link-facebook", "--id-token-stdin", stdin: input)
        #expect(result.stderr == "authctl: error: the ID token from standard input \(fault)\n")
        #expect(result.exitCode == 2)
    }

    @Test func `learns from Facebook whose token it is`() {
        world.network.expect(.facebookUser(), .facebookApp())
        world.server.expect(.currentUser(), .link())
        let result = world.run("link-facebook", "--token-stdin", stdin: "EAAB")
        #expect(result.stdout == "linked Facebook identity 1003 (profile 'default')\n")
        #expect(result.stderr == "")
    }

    @Test func `needs an app whose tokens the accounts of this machine take`() {
        world.environment = [:]
        let result = world.run("link-facebook", "--token-stdin", stdin: "EAAB")
        #expect(
            result.stderr == """
                authctl: error: cannot link the Facebook identity: the accounts on this machine know no Facebook app \
                whose tokens to take
                authctl: hint: name it: authctl profile set default facebookAppId ID

                """)
        #expect(result.exitCode == 10)
    }

    @Test(arguments: [["--status"], ["--unlink"], ["--token-stdin", "--facebook-id", "1"]])
    func `needs a session`(words: [String]) {
        let result = TestContext().run(words: ["link-facebook"] + words, stdin: "EAAB")
        #expect(result.stdout == "")
        #expect(result.stderr.hasPrefix("authctl: error: nobody is logged in (profile 'default')\n"))
        #expect(result.exitCode == 3)
    }

    @Test func `says which fields it filled in`() {
        for (words, stdout) in [
            ([], "linked Facebook identity 1003 (profile 'default')\nfilled in from Facebook: name\n"),
            (
                ["--json"],
                #"{"v":1,"kind":"link-facebook","profile":"default","linked":true,"changed":true,"facebookId":"1003","#
                    + #""facebookIds":["1003"],"replacedId":null,"filled":["name"],"permissionsRevoked":false}"# + "\n"
            ),
        ] {
            world.network.expect(.facebookUser(), .facebookApp())
            world.server.expect(
                .currentUser(), .link(), .currentUser(),
                .embedded(
                    "PUT", "users/g7y9tkhB7O", token: Exchange.adaToken, body: #"{"name":"Ada L"}"#, 200,
                    #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#))
            let result = world.run(
                words: ["link-facebook", "--token-stdin", "--fill-user"] + words, stdin: "EAAB")
            #expect(result.stdout == stdout)
            #expect(result.stderr == "")
        }
    }
}
