import AuthModel
import CommandTestSupport
import Testing

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
        #expect(world.sessions.current?.session.token == Session.ada.token)
        #expect(world.sessions.current?.user.providers == ["facebook"])
        #expect(world.sessions.current?.user.fields == [:])
    }

    @Test func `the JSON document of a Facebook login reports a created account and omits the Facebook token`() {
        world.network.expect(.facebookApp())
        let answer =
            #"{"objectId":"g7y9tkhB7O","createdAt":"2026-01-02T03:04:05.678Z","username":"ada","#
            + #""sessionToken":"\#(Exchange.adaToken)"}"#
        world.server.expect(.signUp(Self.request, 201, answer), .currentSession())
        let result = world.run(
            "login", "--facebook", "--identity-id", "1003", "--token-stdin", "--json", stdin: "EAAB")
        result.expectTranscript(in: "login")
        #expect(result.stdout.contains(#""created":true"#))
        #expect(!result.stdout.contains("EAAB"))
    }

    @Test(arguments: [
        ["--provider", "google"], ["--facebook", "--id-token-stdin", "--token-stdin"],
    ])
    func `login rejects --provider without an identity proof, and two tokens on standard input`(words: [String]) {
        world.run(words: ["login"] + words).expectErrors(in: "login", words.commandLine)
    }
}
