import Foundation
import TestSupport
import Testing

/// Several users of one profile, each with a session of its own: `--as NAME`.
@Suite(.keepsInvariants) struct SessionNameTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `several users are logged in to one profile, each with a session of its own`() throws {
        for name in ["ada", "bob"] {
            try world.start(["signup", "--as", name, "--password-stdin"], input: .password).wait()
        }
        try world.signUp("carl")
        for (option, username) in [(["--as", "ada"], "ada"), (["--as", "bob"], "bob"), ([], "carl")] {
            let document = try world.start(["whoami", "--json"] + option).wait().document()
            #expect(try document.object("user").string("username") == username)
        }
        #expect(try world.run("whoami", environment: ["AUTHCTL_AS": "bob"]).stdout.hasPrefix("bob "))
        #expect(try world.run("logout", "--as", "bob").exitCode == 0)
        #expect(try world.run("token", "--as", "bob").exitCode == 3)
        #expect(try world.run("token", "--as", "ada").exitCode == 0)
        #expect(try world.run("logout", "--all-profiles").exitCode == 0)
        #expect(try world.run("token").exitCode == 3)
        #expect(try world.sessionCount() == 0)
    }

    @Test func `session files of names are private and have the names in theirs`() throws {
        try world.start(["signup", "--as", "ada@example.org", "--password-stdin"], input: .password).wait()
        let file = try #require(world.contents(of: world.sessionFolder).first { $0.hasSuffix(".json") })
        #expect(file.hasPrefix("\(world.sessionFolder)/default~ada@example.org~"))
        #expect(world.mode(file) == 0o600)
    }

    @Test func `exec passes the session of the name on, and not the name`() throws {
        try world.signUp("ada", "--as", "work")
        let token = try world.run("token", "--as", "work").stdout
        let script = #"echo "$AUTHCTL_TOKEN${AUTHCTL_AS-}${AUTHCTL_PROFILE-}""#
        let result = try world.run(
            "exec", "--", "sh", "-c", script, environment: ["AUTHCTL_AS": "work", "AUTHCTL_PROFILE": "default"])
        #expect(result.stdout == token)
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"), arguments: ["token", "whoami"])
    func `a command finds the session of a name without listing the folder`(command: String) throws {
        try world.signUp("ada", "--as", "work")
        let trace = "\(world.root)/trace"
        let result = try world.start([command, "--as", "work"], under: .strace("getdents,getdents64", into: trace))
            .wait()
        #expect(result.exitCode == 0)
        #expect(try !world.text(trace).contains("getdents"))
    }
}
