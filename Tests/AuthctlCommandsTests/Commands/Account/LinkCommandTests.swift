import CommandTestSupport

@testable import AuthctlCommands

/// `link` and `login --provider`, with options for the provider's token or `authData`.
@Suite struct LinkCommandTests {
    let world = TestContext()
    private static let host = ["--backend", "parse", "--server", "https://a.example/parse", "--app-id", "app"]
    private static let user =
        #"{"objectId":"g7y9tkhB7O","username":"ada","authData":{"facebook":{"id":"1003"},"google":{"id":"7"}}}"#

    init() {
        world.sessions.put(.ada)
    }

    @Test(arguments: [[], ["google"], ["apple"]], [[], ["--json"]])
    func `link --status shows the linked identities`(provider: [String], format: [String]) {
        world.server.expect(.currentUser(200, Self.user))
        world.run(words: ["link"] + provider + ["--status"] + format).expectTranscript(
            in: "link", "\(provider.first ?? "all"), \(format.first ?? "text")")
    }

    @Test func `link --unlink unlinks only the identities of the given provider`() {
        world.server.expect(
            .currentUser(200, Self.user), .currentUser(200, Self.user),
            .embedded(
                "PUT", "users/g7y9tkhB7O", token: Exchange.adaToken, body: #"{"authData":{"google":null}}"#, 200, "{}"))
        world.run("link", "google", "--unlink", "--json").expectTranscript(in: "link")
        expect(world.sessions.current?.user.identities, [Identity(provider: "facebook", id: "1003")])
    }

    @Test(arguments: [
        (["link"], "no provider"), (["link", "google"], "no proof"), (["link", "a.b", "--status"], "a dot"),
        (["link", "google", "--id-token-stdin", "--token-stdin"], "two tokens on standard input"),
        (["link", "google", "--auth-data-file", "/c"], "authData that is not an object"),
        (["link", "google", "--id-token-file", "/long"], "a long token"),
        (["link", "google", "--id-token-file", "/other"], "local accounts"),
        (["link", "google", "--code-file", "/other", "--redirect-uri", "javascript:1"], "a redirect URI with code"),
        (["link", "google", "--code-file", "/other", "--redirect-uri", "https://a b"], "a redirect URI with a space"),
    ])
    func `link rejects invalid input and unsupported providers before any request`(words: [String], situation: String) {
        world.files = [
            "/c": "[]", "/other": #"{"sub":"7"}"#, "/long": String(repeating: "x", count: 1 << 20),
        ]
        let result = world.run(words: words, stdin: "x")
        result.expectErrors(in: "link", situation, exitCode: (situation == "local accounts" ? 10 : 2))
    }

    @Test func `login --provider logs in with an ID token and never prints the token`() {
        let body = #"{"authData":{"google":{"id":"7","id_token":"{\"sub\":\"7\"}"}}}"#
        world.network.expect(
            Exchange(
                """
                POST https://a.example/parse/users
                X-Parse-Application-Id: app
                Content-Type: application/json
                X-Parse-Revocable-Session: 1

                \(body)
                """, 200, #"{"sessionToken":"\#(Exchange.adaToken)",\#(Self.user.dropFirst())"#))
        let result = world.run(
            words: ["login", "--provider", "google", "--id-token-stdin", "--json"] + Self.host, stdin: #"{"sub":"7"}"#)
        result.expectTranscript(in: "login")
        #expect(!(result.stdout + result.stderr).contains(#"\"sub\""#))
    }
}
