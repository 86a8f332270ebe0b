import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// Control characters and line separators, which could change a request or the output. authctl rejects them in every
/// source below before it sends a request. A password may contain all of them except NUL.
@Suite struct ControlCharacterTests {
    static let characters = [
        "\n", "\r", "\r\nX-Evil: 1", "\0", "\t", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}",
    ]
    static let parse = ["--backend", "parse", "--app-id", "shop", "--server", "https://a.test/parse"]

    /// Command lines, standard input and environment. In each row one source contains the character.
    private static func sources(_ c: String) -> [([String], String?, [String: String])] {
        let (value, logIn) = ("ab\(c)cd", ["login", "ada", "--password-stdin"])
        let kii = ["--backend", "kii", "--app-id", "shop1", "--server", "https://a.test"]
        return [
            (logIn + parse.dropLast() + ["https://a.test/x\(c)y"], "correct horse", [:]),
            (logIn + parse.dropLast() + ["https://a\(c).test"], "correct horse", [:]),
            (logIn + parse.dropLast(2), "correct horse", ["AUTHCTL_SERVER": "https://a.test/x\(c)y"]),
            (logIn + parse + ["--profile", value], "correct horse", [:]),
            (logIn + parse, "correct horse", ["AUTHCTL_PROFILE": value]),
            (logIn + parse + ["--app-id", value], "correct horse", [:]),
            (logIn + kii + ["--app-id", value], "correct horse", [:]),
            (logIn + parse, "correct horse", ["AUTHCTL_CLIENT_KEY": value]),
            (["login", value, "--password-stdin"] + parse, "correct horse", [:]),
            (["signup", value, "--password-stdin"] + parse, "correct horse", [:]),
            (["signup", "adaa", "--email", "a@b\(c).test", "--password-stdin", "--skip-checks"] + parse, nil, [:]),
            (["signup", "--phone", "+8190\(c)1", "--password-stdin"] + kii, "correct horse", [:]),
            (["password", "reset", "a@b\(c).test"] + parse, nil, [:]),
            (["verify-email", "--email", "a@b\(c).test"] + parse, nil, [:]),
            (["verify-email", "--key", value] + parse, nil, [:]),
            (logIn + ["--otp", "12\(c)34"] + parse, "correct horse", [:]),
            (["login", "--token-stdin"] + parse, "r:0\(c)1", [:]),
            (["whoami"] + parse, nil, ["AUTHCTL_TOKEN": "r:0\(c)1"]),
            (["login", "--facebook", "--identity-id", "1\(c)2", "--token-stdin"] + parse, "fb", [:]),
            (["login", "--facebook", "--identity-id", "12", "--token-stdin"] + parse, "f\(c)b", [:]),
            (["login", "--facebook"] + parse, nil, ["AUTHCTL_FACEBOOK_APP_ID": "1\(c)2"]),
        ]
    }

    @Test(arguments: characters)
    func `a control character in a name, address, number, id, token, key or code is rejected`(character: String) {
        for (words, input, environment) in Self.sources(character) {
            let world = TestContext()
            world.environment = environment
            let result = world.run(words: words, stdin: input)
            expect(result.exitCode, 2, "\(words) \(environment): \(result.stderr)")
            expect(result.stdout, "")
            #expect(result.stderr.split(separator: "\n").allSatisfy { $0.hasPrefix("authctl: ") })
            if character != "\n" { #expect(!result.stderr.contains(character)) }
            expect(world.sessions.current, nil)
        }
    }

    @Test(arguments: characters)
    func `a login rejects a session token with a control character and saves no session`(character: String) {
        let token = JSONText.escaped("r:01\(character)23")
        let world = TestContext()
        world.server.expect(.logIn("ada", "correct horse", 200, #"{"objectId":"1","sessionToken":"\#(token)"}"#))
        let result = world.run("login", "ada", "--password-stdin", stdin: "correct horse")
        expect(result.exitCode, 8, "\(result.stderr)")
        expect(world.sessions.current, nil)
    }
}

private enum JSONText {
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            let digits = String(scalar.value, radix: 16)
            return scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F
                ? String(scalar) : "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
