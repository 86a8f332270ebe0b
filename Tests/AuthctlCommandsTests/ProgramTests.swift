import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct ProgramTests {
    let world = TestContext()

    @Test func `says alone how to begin, then the commands, and fails`() {
        let result = world.run()
        #expect(result.stdout == "")
        #expect(
            result.stderr.hasPrefix(
                """
                Nobody is logged in. To begin:
                  authctl signup USERNAME    make an account and log in
                  authctl login USERNAME     log in to an account you have

                """))
        #expect(result.stderr.contains("whoami"))
        #expect(result.exitCode == 2)
    }

    @Test func `says alone who is logged in`() {
        world.sessions.put(.ada)
        let result = world.run()
        #expect(result.stderr.hasPrefix("You are logged in as ada here. To ask the server: authctl whoami\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `says alone what is wrong with the session`() {
        world.sessions.fail(.load, with: AuthError(.corrupt, "damaged"))
        #expect(world.run().stderr.hasPrefix("authctl: error: damaged\n"))
    }

    @Test(arguments: [["version"], ["--version"], ["-q", "--version"]])
    func `tells its version`(words: [String]) {
        let result = world.run(words: words)
        #expect(result.stdout == "authctl 0.1.0\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test(arguments: [["version", "--json"], ["--version", "--json"]])
    func `tells its version in JSON`(words: [String]) {
        #expect(world.run(words: words).stdout == "{\"v\":1,\"kind\":\"version\",\"version\":\"0.1.0\"}\n")
    }

    @Test(arguments: [["--help"], ["-h"], ["help"], ["login", "--help"], ["--help", "--bogus"]])
    func `prints help on standard output`(words: [String]) {
        let result = world.run(words: words)
        #expect(result.stdout.hasPrefix("USAGE") || result.stdout.contains("authctl "))
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
    }

    @Test func `prints help in JSON`() {
        let result = world.run("help", "login", "--json")
        #expect(result.stdout.hasPrefix(#"{"v":1,"kind":"help","subject":"login","text":""#))
        #expect(world.run("help", "--json").stdout.hasPrefix(#"{"v":1,"kind":"help","subject":null,"text":""#))
    }

    @Test(arguments: [
        (["logni"], "unknown command 'logni'", "did you mean 'login'?" as String?),
        (["log"], "unknown command 'log'", "did you mean 'login' or 'logout'?"),
        (["sessions", "revok"], "unknown command 'sessions revok'", "did you mean 'sessions revoke'?"),
        (["profile"], "missing command after 'profile'", "see 'authctl profile --help'"),
        (["login", "--pasword-stdin"], "unknown option '--pasword-stdin'", "did you mean '--password-stdin'?"),
        (["login", "--pasword-stdin"], "unknown option '--pasword-stdin'", "see 'authctl login --help'"),
        (["whoami", "extra"], "unexpected argument: 'authctl whoami' takes none", "see 'authctl whoami --help'"),
        (["whoami", "--output", "yaml"], "'yaml'", nil),
        (["help", "logni"], "there is no help on 'logni'", "did you mean 'login'?"),
        (["whoami", "\u{FFFD}"], "an argument is not UTF-8", nil),
    ])
    func `refuses unknown words with a guess, and runs nothing`(words: [String], message: String, hint: String?) {
        let result = world.run(words: words)
        #expect(result.stdout == "")
        #expect(result.stderr.hasPrefix("authctl: error: "))
        #expect(result.stderr.contains(message))
        if let hint { #expect(result.stderr.contains(hint)) }
        #expect(result.exitCode == 2)
    }
}
