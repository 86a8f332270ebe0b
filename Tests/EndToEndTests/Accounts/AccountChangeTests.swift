import TestSupport
import Testing

/// Changes of an account by the built program.
@Suite(.keepsInvariants) struct AccountChangeTests {
    private static let facebookKeys: Set = [
        "v", "kind", "profile", "linked", "changed", "facebookId", "facebookIds", "replacedId", "filled",
        "permissionsRevoked",
    ]

    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try #require(try world.signUp("ada").exitCode == 0)
    }

    @Test func `password change ends the other sessions and goes on with a new one`() throws {
        try world.run("profile", "add", "other", "--backend", "local")
        #expect(try world.run("-p", "other", "login", "ada", "--password-stdin", input: .password).exitCode == 0)
        let before = try world.token()
        let change = try world.run(
            "password", "change", "--password-stdin", "--json",
            input: "\(Sandbox.password)\nquite another one\n")
        #expect(change.exitCode == 0)
        #expect(try change.document().keys == ["v", "kind", "profile", "session"])
        #expect(try world.token() != before)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.run("-p", "other", "whoami").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: .password).exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "quite another one").exitCode == 0)
    }

    @Test(
        arguments: [("not the password\nquite another one\n", 4), ("\(Sandbox.password)\nshort\n", 7)]
            as [(String, Int32)])
    func `password change with a wrong or weak password changes nothing`(input: String, exitCode: Int32) throws {
        let result = try world.run("password", "change", "--password-stdin", input: "\(input)")
        #expect(result.exitCode == exitCode)
        #expect(try world.run("whoami").exitCode == 0)
        #expect(try world.run("login", "ada", "--password-stdin", input: .password).exitCode == 0)
        #expect(try world.run("sessions", "list", "--json").stdout.components(separatedBy: "createdWith").count == 3)
    }

    @Test func `no Facebook identity can be linked to an account on this machine, but the state is told`() throws {
        let link = try world.run(
            "link-facebook", "--token-stdin", "--facebook-id", "1003", "--json", input: "EAAB-canary")
        #expect(link.exitCode == 10)
        #expect(link.stdout.isEmpty)
        #expect(link.stderr.contains(#""reason":"unsupported""#))
        for words in [["--status"], ["--unlink"]] {
            let result = try world.start(["link-facebook", "--json"] + words).wait()
            #expect(result.exitCode == 0)
            let document = try result.document()
            #expect(document.keys == Self.facebookKeys)
            #expect(document.flag("linked") == false)
            #expect(document.flag("changed") == false)
        }
        let login = try world.run(
            "login", "--facebook", "--token-stdin", "--facebook-id", "1003", "-v", input: "EAAB-canary")
        #expect(login.exitCode == 10)
        #expect(!(link.stderr + login.everything).contains("canary"))
        #expect(try world.run("whoami").exitCode == 0)
    }

    @Test func `a code is of no use to an account on this machine`() throws {
        let login = try world.logIn("ada", "--otp", "123456")
        #expect(login.exitCode == 10)
        #expect(login.stderr.contains("the server has no second factor"))
        #expect(try world.run("login", "ada", "--password-stdin", "--otp", "1", input: "wrong").exitCode == 4)
    }

    @Test func `an anonymous account lives as long as its session`() throws {
        let logIn = try world.run("login", "--anonymous", "--json")
        #expect(logIn.exitCode == 0)
        let document = try logIn.document()
        #expect(document.flag("created") == true)
        #expect(logIn.stdout.contains("whoever loses this session"))
        #expect(try world.run("whoami", "--json").document().object("user").keys.contains("providers"))
        #expect(try world.run("logout").exitCode == 0)
    }

    @Test func `a session given by its token is checked, then kept`() throws {
        let token = try world.token()
        try world.run("profile", "add", "other", "--backend", "local")
        #expect(try world.run("-p", "other", "login", "--token-stdin", input: "\(token)\r\n").exitCode == 0)
        #expect(try world.run("-p", "other", "whoami").stdout.hasPrefix("ada "))
        let refused = try world.run("-p", "other", "login", "--token-stdin", "--json", input: "r:nobody")
        #expect(refused.exitCode == 4)
        #expect(try refused.error().string("reason") == "token-refused")
        #expect(try world.run("-p", "other", "whoami").exitCode == 0)
    }

    @Test func `further fields of any type are kept as they were given`() throws {
        let result = try world.run(
            "signup", "bob", "--field", "nick=Bob=b", "--field-json", #"tags=["a",{"b":null}]"#, "--password-stdin",
            input: .password)
        #expect(result.exitCode == 0)
        let text = try world.run("whoami", "--json").stdout
        #expect(text.contains(#""nick":"Bob=b""#))
        #expect(text.contains(#""tags":["a",{"b":null}]"#))
    }
}
