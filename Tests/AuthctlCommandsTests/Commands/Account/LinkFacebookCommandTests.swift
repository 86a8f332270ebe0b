import AuthClient
import AuthModel
import CommandTestSupport
import Testing

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
        #expect(world.sessions.current?.user.providers == ["facebook"])
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
        #expect(result.exitCode == 2)
    }
}
