import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

/// The option `--as` and the variable AUTHCTL_AS, in commands that use a session.
@Suite struct SessionNameCommandTests {
    private let world = TestContext()
    private let shop = Connection(backend: "parse", server: "https://shop.example/parse", appID: "shop")

    @Test(arguments: [(["--as", "ada"], [:]), ([], ["AUTHCTL_AS": "ada"])] as [([String], [String: String])])
    func `a login with --as NAME saves the session under NAME, which is also the default username`(
        words: [String], environment: [String: String]
    ) {
        world.sessions.put(.sample(session: .sample("own")))
        world.environment = environment
        world.server.expect(.logIn(), .currentSession())
        let result = world.run(words: ["login", "--password-stdin"] + words, stdin: "correct horse\n")
        result.expectTranscript(in: "session-names", words.first ?? "AUTHCTL_AS")
        expect(world.sessions[.local("default", as: "ada")]?.session.token, Session.ada.token)
        expect(world.sessions[.local("default")]?.session.token, Secret("own"))
    }

    @Test func `a login with a username and --as saves the session under the name given with --as`() {
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "ada", "--as", "work", "--password-stdin", "--json", stdin: "correct horse\n")
        result.expectTranscript(in: "session-names")
        expect(world.sessions[.local("default", as: "work")]?.user.username, "ada")
    }

    @Test func `a login at a terminal takes the username from --as and does not prompt for a username`() {
        world.isInputTerminal = true
        world.terminal.answer(.hidden("correct horse"))
        world.server.expect(.logIn(), .currentSession())
        expect(world.run("login", "--as", "ada").exitCode, 0)
    }

    @Test(arguments: [["--token-stdin"], ["--anonymous"]])
    func `neither a token login nor an anonymous login uses the session name as the username`(words: [String]) {
        if words == ["--token-stdin"] {
            world.server.expect(.currentUser(), .currentSession())
        } else {
            world.server.expect(
                .signUp(#"{"authData":{"anonymous":{"id":"\#(String(repeating: "07", count: 16))"}}}"#),
                .currentSession())
        }
        let result = world.run(words: ["login", "--as", "bob"] + words, stdin: Session.ada.token.reveal())
        expect(result.exitCode, 0, "\(result.transcript)")
        #expect(world.sessions[.local("default", as: "bob")] != nil)
    }

    @Test func `a signup with --as NAME saves the session under NAME, which is also the default username`() {
        world.server.expect(
            .signUp(#"{"username":"ada","password":"correct horse"}"#), .currentSession())
        let result = world.run("signup", "--as", "ada", "--password-stdin", "--json", stdin: "correct horse\n")
        result.expectTranscript(in: "session-names")
        #expect(world.sessions[.local("default", as: "ada")] != nil)
    }

    @Test func `a login replaces only the session with the same session name and notes the replacement`() {
        world.sessions.put(.sample(session: .sample("own")))
        world.sessions.put(.sample(as: "ada", session: .sample("old"), user: User(id: "b0b", username: "bob")))
        world.server.expect(.logIn(), .currentSession())
        world.run("login", "--as", "ada", "--password-stdin", stdin: "correct horse")
            .expectTranscript(in: "session-names")
        expect(world.sessions[.local("default")]?.session.token, Secret("own"))
    }

    @Test(arguments: ["login", "signup"])
    func `a session name that differs only in case from a saved name is rejected before any prompt`(command: String) {
        world.isInputTerminal = true
        world.sessions.put(.sample(as: "ada"))
        world.run(words: [command, "--as", "Ada"]).expectErrors(in: "session-names", "login, signup")
    }

    @Test(arguments: [
        ["-p", "ci"], ["--backend", "parse", "--server", "https://shop.example/parse", "--app-id", "shop"],
    ])
    func `a session name that differs only in case from a name of another profile or connection is accepted`(
        words: [String]
    ) {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(as: "ada"))
        world.isInputTerminal = true
        world.terminal.answer(.fault(.endOfInput))
        let result = world.run(words: ["login", "--as", "Ada"] + words)
        #expect(!result.stderr.contains("case"), "\(result.transcript)")
    }

    @Test func `the error about an unknown session name lists the saved session names`() {
        world.sessions.put(.ada)
        for name in ["bob", "ada"] { world.sessions.put(.sample(as: name)) }
        world.run("--as", "carl", "whoami").expectTranscript(in: "session-names")
    }

    @Test func `the error about a missing session lists at most 20 saved session names`() {
        for number in 10...40 { world.sessions.put(.sample(as: "user-\(number)")) }
        for number in 1...5 {
            let connection = Connection(backend: "parse", server: "https://\(number).example", appID: "x")
            world.sessions.put(.sample(as: number == 2 ? "bob" : nil, connection: connection))
        }
        world.run("whoami").expectTranscript(in: "session-names")
    }

    @Test func `a hint to use an unnamed session of another connection includes --as '' if AUTHCTL_AS is set`() {
        world.environment = ["AUTHCTL_AS": "bob"]
        world.sessions.put(.sample(connection: shop))
        world.run("whoami").expectTranscript(in: "session-names")
    }

    @Test func `--as overrides a token from the environment, even if the session name is empty`() {
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.sessions.put(.sample(session: .sample("own")))
        world.sessions.put(.sample(as: "bob", session: .sample("bob")))
        for (name, token) in [("bob", "bob"), ("", "own")] {
            world.server.expect(.currentUser(token: token))
            let result = world.run("whoami", "--as", name, "--json")
            #expect(result.stdout.contains(#""source":"file""#))
        }
    }

    @Test func `a login with --as does not warn of the token in the environment`() {
        world.environment = ["AUTHCTL_TOKEN": "env", "AUTHCTL_BACKEND": "local"]
        world.server.expect(.logIn(), .currentSession())
        let result = world.run("login", "--as", "ada", "--password-stdin", stdin: "correct horse")
        expect(result.stderr, "")
    }

    @Test func `the hint about a rejected named session suggests logging in as the same user with the same --as`() {
        world.sessions.put(.sample(as: "work"))
        world.sessions.put(.sample(as: "ada"))
        for name in ["work", "ada"] {
            world.server.expect(.currentUser(400, Exchange.sessionRevoked))
            world.run("whoami", "--as", name).expectTranscript(in: "session-names", name)
        }
    }

    @Test func `logout with --as deletes only the session with that name`() {
        world.sessions.put(.ada)
        world.sessions.put(.sample(as: "bob", session: .sample("bob")))
        world.server.expect(.logOut(token: "bob"))
        world.run("logout", "--as", "bob").expectTranscript(in: "session-names")
        expect(world.sessions[.local("default")], .ada)
        expect(world.sessions[.local("default", as: "bob")], nil)
    }

    @Test(arguments: [[], ["--json"]])
    func `logout of all profiles logs out named and unnamed sessions`(words: [String]) throws {
        world.configuration.put(profiles: "ci")
        for (profile, name) in [("default", nil), ("default", "bob"), ("ci", "carl")] as [(String, String?)] {
            world.sessions.put(.sample(profile: profile, as: name, session: .sample("r:\(profile)\(name ?? "")")))
        }
        world.server.expect(.logOut(token: "r:cicarl"), .logOut(token: "r:default"), .logOut(token: "r:defaultbob"))
        world.run(words: ["logout", "--all-profiles"] + words).expectTranscript(in: "session-names", words.formatName)
        try expect(world.sessions.profiles(), [])
    }

    @Test func `after a failed logout of all profiles, the hints for each session include its --as name`() {
        world.environment = ["AUTHCTL_AS": "dora"]
        for name in [nil, "bob"] {
            world.sessions.put(.sample(as: name, session: .sample("r:\(name ?? "")")))
            world.server.expect(.logOut(token: "r:\(name ?? "")", 500, ""))
        }
        world.run("logout", "--all-profiles", "--json").expectTranscript(in: "session-names")
    }

    @Test func `whoami --json lists the sessions of other connections with their names`() {
        world.sessions.put(.ada)
        world.sessions.put(.sample(as: "bob"))
        world.sessions.put(.sample(as: "carl", connection: shop))
        world.run("whoami", "--offline", "--json").expectTranscript(in: "session-names")
    }

    @Test func `authctl --as NAME without a command shows the session NAME`() {
        world.sessions.put(.sample(as: "bob"))
        world.run("--as", "bob").expectTranscript(in: "session-names")
    }
}
