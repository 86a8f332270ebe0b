import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// `link-facebook` with a token.
@Suite struct LinkFacebookCommandTests {
    let world = TestContext()

    init() {
        world.sessions.put(.ada)
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"]
    }

    // MARK: - Link

    @Test(arguments: [
        ["--token-stdin"], ["--token-stdin", "--json"], ["--token-file", "/run/token"], ["--token-file", "-"],
    ])
    func `link-facebook links the Facebook identity to which the token belongs`(words: [String]) {
        world.files = ["/run/token": "EAAB\n"]
        world.network.expect(.facebookApp())
        world.server.expect(.currentUser(), .link())
        let result = world.run(words: ["link-facebook", "--facebook-id", "1003"] + words, stdin: "EAAB\r\n")
        if words[0] == "--token-stdin" { result.expectTranscript(in: "link-facebook", words.formatName) }
        expect(world.sessions.current?.user.providers, ["facebook"])
    }

    @Test(arguments: [[], ["--json"]])
    func `link-facebook with an already linked identity sends the new token and reports no change`(words: [String]) {
        world.network.expect(.facebookApp())
        world.server.expect(.linkedUser("1003"), .link())
        world.run(words: ["link-facebook", "--token-stdin", "--facebook-id", "1003"] + words, stdin: "EAAB")
            .expectTranscript(in: "link-facebook", words.formatName)
    }

    @Test(arguments: [[], ["--json"]])
    func `link-facebook reports the linked identity that it replaces`(words: [String]) {
        world.network.expect(.facebookApp())
        world.server.expect(.linkedUser("7"), .link())
        world.run(words: ["link-facebook", "--token-stdin", "--facebook-id", "1003"] + words, stdin: "EAAB")
            .expectTranscript(in: "link-facebook", words.formatName)
    }

    @Test(arguments: [[], ["--json"]])
    func `link-facebook --fill-user lists the fields that it filled in`(words: [String]) {
        world.network.expect(.facebookUser(), .facebookApp())
        world.server.expect(
            .currentUser(), .link(), .currentUser(),
            .embedded(
                "PUT", "users/g7y9tkhB7O", token: Exchange.adaToken, body: #"{"name":"Ada L"}"#, 200,
                #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#))
        world.run(words: ["link-facebook", "--token-stdin", "--fill-user"] + words, stdin: "EAAB")
            .expectTranscript(in: "link-facebook", words.formatName)
    }

    // MARK: - Options

    @Test func `link-facebook rejects an invalid --facebook-id or --permission`() {
        let lines = [
            ["--token-stdin", "--facebook-id", ""], ["--token-stdin", "--facebook-id", "1\u{7}"],
            ["--permission", "a,b"],
            ["--permission", "User"], ["--permission", ""],
        ]
        world.expectErrors(in: "link-facebook", of: lines.map { ["link-facebook"] + $0 })
    }

    @Test(
        arguments: ["--token-stdin", "--id-token-stdin"],
        [
            ("", "nothing"), ("a b", "a space"), ("a\0", "a NUL character"),
            (String(repeating: "x", count: 65537), "a token too long"),
        ])
    func `link-facebook rejects a malformed token before any request`(
        option: String, token: (input: String, situation: String)
    ) {
        let result = world.run("link-facebook", option, stdin: token.input)
        if token.input.isEmpty { result.expectErrors(in: "link-facebook", "\(option): \(token.situation)") }
        expect(result.exitCode, 2)
    }
}

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
        expect(world.run("link-facebook", "--unlink", "--force").exitCode, 0)
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
        let second = IdentityChange(before: .linked(id: "7"), status: IdentityStatus(user: .ada, link: several))
        messages.expect(output(.link(second)).text(.plain), "a second identity")
    }
}

/// Exchanges with the embedded account server about the Facebook link of the user `ada`.
extension Exchange {
    static func linkedUser(_ id: String) -> Exchange {
        currentUser(
            200, #"{"authData":{"facebook":{"id":"\#(id)","access_token":"secret"}},\#(adaUser.dropFirst())"#)
    }

    static func link(
        _ status: Int = 200, _ answer: String = #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#
    ) -> Exchange {
        update(#"{"id":"1003","access_token":"EAAB"}"#, status, answer)
    }

    static let unlink = update("null", 200, #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#)

    private static func update(_ value: String, _ status: Int, _ answer: String) -> Exchange {
        embedded(
            "PUT", "users/g7y9tkhB7O", token: adaToken, body: #"{"authData":{"facebook":\#(value)}}"#, status, answer)
    }
}
