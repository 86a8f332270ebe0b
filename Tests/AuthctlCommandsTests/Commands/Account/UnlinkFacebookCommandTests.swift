import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

/// `link-facebook --unlink`, and `--status`.
@Suite struct UnlinkFacebookCommandTests {
    let world = TestContext()

    init() {
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"]
    }

    @Test(arguments: [
        ("1003" as String?, [], "unlinked Facebook identity 1003 (profile 'default')\n"),
        (nil, [], "no Facebook identity was linked (profile 'default')\n"),
        (
            "1003", ["--json"],
            #"{"v":1,"kind":"link-facebook","profile":"default","linked":false,"changed":true,"facebookId":null,"#
                + #""facebookIds":[],"replacedId":null,"filled":null,"permissionsRevoked":false}"#
                + "\n"
        ),
        (
            nil, ["--json"],
            #"{"v":1,"kind":"link-facebook","profile":"default","linked":false,"changed":false,"facebookId":null,"#
                + #""facebookIds":[],"replacedId":null,"filled":null,"permissionsRevoked":false}"#
                + "\n"
        ),
    ])
    func `unlinks, whether or not something was linked`(id: String?, words: [String], stdout: String) {
        world.sessions.put(.sample(method: .password))
        let user = id.map(Exchange.linkedUser) ?? .currentUser()
        world.server.expect(user, user, .unlink)
        let result = world.run(words: ["link-facebook", "--unlink"] + words)
        #expect(result.stdout == stdout)
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `does not take away what may be the last way to log in`() {
        world.sessions.put(.sample(method: .facebook))
        world.server.expect(.linkedUser("1003"))
        let result = world.run("link-facebook", "--unlink")
        #expect(result.stdout == "")
        #expect(
            result.stderr == """
                authctl: error: cannot unlink the Facebook identity: it may be the last way to log in to the account
                authctl: hint: set a password first: authctl password reset ada@example.org
                authctl: hint: unlink it all the same, with --force

                """)
        #expect(result.exitCode == 5)
        world.server.expect(.linkedUser("1003"), .unlink)
        #expect(world.run("link-facebook", "--unlink", "--force").exitCode == 0)
    }

    @Test(arguments: [[], ["--json"]])
    func `does not take it away either where it does not know how somebody logged in`(words: [String]) {
        world.server.expect(.linkedUser("1003"))
        let result = world.run(words: ["link-facebook", "--unlink"] + words)
        #expect(result.stdout == "")
        #expect(
            result.stderr.contains(
                "cannot unlink the Facebook identity: it may be the last way to log in to the account"))
        #expect(result.stderr.contains("unlink it all the same, with --force"))
        #expect(result.exitCode == 5)
    }

    @Test func `counts permissions that Facebook says are withdrawn as withdrawn`() {
        world.sessions.put(.sample(method: .password))
        world.server.expect(.linkedUser("1003"), .linkedUser("1003"), .unlink)
        world.network.expect(
            .graph(
                "GET", "me?fields=id,name,first_name,last_name,email", 400,
                #"{"error":{"code":190,"error_subcode":458}}"#))
        let result = world.run("link-facebook", "--unlink", "--revoke", "--token-stdin", stdin: "EAAB")
        #expect(
            result.stdout == """
                unlinked Facebook identity 1003 (profile 'default')
                what the token's user allowed the app at Facebook was withdrawn before

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `withdraws what the app was allowed, and says so`() {
        for (words, stdout) in [
            (
                [],
                "unlinked Facebook identity 1003 (profile 'default')\n"
                    + "withdrew all that the app was allowed at Facebook, on all devices\n"
            ),
            (
                ["--json"],
                #"{"v":1,"kind":"link-facebook","profile":"default","linked":false,"changed":true,"facebookId":null,"#
                    + #""facebookIds":[],"replacedId":null,"filled":null,"permissionsRevoked":true}"# + "\n"
            ),
        ] {
            world.sessions.put(.sample(method: .password))
            world.server.expect(.linkedUser("1003"), .linkedUser("1003"), .unlink)
            world.network.expect(
                .facebookUser(), .facebookApp(), .graph("DELETE", "me/permissions", 200, #"{"success":true}"#))
            let result = world.run(
                words: ["link-facebook", "--unlink", "--revoke", "--token-stdin"] + words, stdin: "EAAB")
            #expect(result.stdout == stdout)
            #expect(result.stderr == "")
        }
    }

    // MARK: - Status

    @Test(arguments: [
        ("1003" as String?, [], "Facebook identity 1003 is linked (profile 'default')\n"),
        (nil, [], "no Facebook identity is linked (profile 'default')\n"),
        ("1\\u001b3", [], #"Facebook identity 1\u{1b}3 is linked (profile 'default')"# + "\n"),
        (
            "1003", ["--json"],
            #"{"v":1,"kind":"link-facebook","profile":"default","linked":true,"changed":false,"facebookId":"1003","#
                + #""facebookIds":["1003"],"replacedId":null,"filled":null,"permissionsRevoked":false}"#
                + "\n"
        ),
        (
            nil, ["--json"],
            #"{"v":1,"kind":"link-facebook","profile":"default","linked":false,"changed":false,"facebookId":null,"#
                + #""facebookIds":[],"replacedId":null,"filled":null,"permissionsRevoked":false}"#
                + "\n"
        ),
    ])
    func `tells whether something is linked`(id: String?, words: [String], stdout: String) {
        world.server.expect(id.map(Exchange.linkedUser) ?? .currentUser())
        let result = world.run(words: ["link-facebook", "--status"] + words)
        #expect(result.stdout == stdout)
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `names all identities where an account has several`() {
        let several = FacebookLink.linked(ids: ["1003", "7"])
        let status = LinkFacebookCommand.Output(profile: "default", task: .status(several))
        #expect(status.text(.plain) == "Facebook identities 1003, 7 are linked (profile 'default')\n")
        #expect(status.json.text.contains(#""facebookId":"1003","facebookIds":["1003","7"],"replacedId":null,"#))
        let change = FacebookChange(before: several, status: FacebookStatus(user: .ada, link: .none))
        let unlinked = LinkFacebookCommand.Output(
            profile: "default", task: .unlink(FacebookResult(change: change)))
        #expect(unlinked.text(.plain) == "unlinked Facebook identities 1003, 7 (profile 'default')\n")
        let second = FacebookChange(
            before: .linked(id: "7"), status: FacebookStatus(user: .ada, link: several))
        let linked = LinkFacebookCommand.Output(profile: "default", task: .link(FacebookResult(change: second)))
        #expect(linked.text(.plain) == "linked Facebook identity 1003 (profile 'default')\n")
    }
}
