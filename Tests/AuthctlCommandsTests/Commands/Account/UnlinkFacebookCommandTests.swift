import AuthClient
import AuthModel
import CommandTestSupport
import MessageSnapshots
import Testing

@testable import AuthctlCommands

/// `link-facebook --unlink` and `link-facebook --status`.
@Suite struct UnlinkFacebookCommandTests {
    let world = TestContext()

    init() {
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"]
    }

    @Test(arguments: ["1003", nil], [[], ["--json"]])
    func `link-facebook --unlink succeeds with and without a linked identity`(id: String?, words: [String]) {
        world.sessions.put(.sample(method: .password))
        let user = id.map(Exchange.linkedUser) ?? .currentUser()
        world.server.expect(user, user, .unlink)
        let result = world.run(words: ["link-facebook", "--unlink"] + words)
        result.expectTranscript(in: "link-facebook", "\(id == nil ? "not linked" : "linked"), \(words.formatName)")
    }

    @Test(arguments: [AuthMethod.identity(.facebook), nil])
    func `link-facebook --unlink requires --force if the identity may be the last authentication method`(
        method: AuthMethod?
    ) {
        world.sessions.put(.sample(method: method))
        world.server.expect(.linkedUser("1003"))
        let result = world.run("link-facebook", "--unlink")
        result.expectErrors(in: "link-facebook", "unknown login method, login by Facebook", exitCode: 5)
        world.server.expect(.linkedUser("1003"), .unlink)
        #expect(world.run("link-facebook", "--unlink", "--force").exitCode == 0)
    }

    @Test(arguments: [[], ["--json"]])
    func `link-facebook --unlink --revoke revokes the permissions of the app on Facebook`(words: [String]) {
        world.sessions.put(.sample(method: .password))
        world.server.expect(.linkedUser("1003"), .linkedUser("1003"), .unlink)
        world.network.expect(
            .facebookUser(), .facebookApp(), .graph("DELETE", "me/permissions", 200, #"{"success":true}"#))
        world.run(words: ["link-facebook", "--unlink", "--revoke", "--token-stdin"] + words, stdin: "EAAB")
            .expectTranscript(in: "link-facebook", words.formatName)
    }

    // MARK: - Status

    @Test(arguments: [("1003" as String?, "linked"), (nil, "not linked")])
    func `link-facebook --status shows the linked identity`(id: String?, situation: String) {
        let user = id.map(Exchange.linkedUser) ?? .currentUser()
        world.server.expect(user, user)
        world.run("link-facebook", "--status").expectTranscript(in: "link-facebook", "\(situation), text")
        world.run("link-facebook", "--status", "--json").expectTranscript(in: "link-facebook", "\(situation), JSON")
    }

    @Test func `link-facebook lists all Facebook identities of an account`() {
        let several = IdentityLink.linked(ids: ["1003", "7"])
        let output = { (task: LinkOutput.Task) in
            LinkFacebookCommand.Output(link: LinkOutput(profile: "default", provider: .facebook, task: task))
        }
        let status = output(.status(several))
        let messages = MessageFile("commands/link-facebook")
        messages.expect(status.text(.plain), "--status")
        #expect(status.json.text.contains(#""facebookId":"1003","facebookIds":["1003","7"],"replacedId":null,"#))
        let change = IdentityChange(before: several, status: IdentityStatus(user: .ada, link: .none))
        messages.expect(output(.unlink(change)).text(.plain), "--unlink")
        let second = IdentityChange(
            before: .linked(id: "7"), status: IdentityStatus(user: .ada, link: several))
        messages.expect(output(.link(second)).text(.plain), "a second identity")
    }
}
