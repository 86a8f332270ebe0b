import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct SignupCommandTests {
    static let body = #"{"username":"ada","password":"correct horse"}"#

    @Test func `makes an account and logs in`() {
        let world = TestContext()
        world.server.expect(.signUp(Self.body), .currentSession())
        let result = world.run("signup", "ada", "--password-stdin", stdin: "correct horse\n")
        #expect(result.stdout == "created account ada and logged in (profile 'default', accounts on this machine)\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current?.user.username == "ada")
    }

    @Test func `says it in JSON`() {
        let world = TestContext()
        world.server.expect(
            .signUp(#"{"username":"ada","password":"correct horse","email":"ada@example.org"}"#), .currentSession())
        let result = world.run(
            "signup", "ada", "--email", "ada@example.org", "--password-stdin", "--json", stdin: "correct horse")
        #expect(
            result.stdout == """
                {"v":1,"kind":"signup","profile":"default","backend":"local","server":null,"created":true,\
                "user":{"id":"g7y9tkhB7O","username":"ada","email":"ada@example.org","emailVerified":null,\
                "createdAt":"2026-01-02T03:04:05Z","providers":[],"fields":{}},\
                "session":{"id":"Xk2LmN3oPq","createdAt":"2026-01-02T03:04:05Z","expiresAt":"2027-01-02T03:04:05Z"},\
                "pending":null,"filled":null,"warnings":[]}

                """)
        #expect(result.exitCode == 0)
    }

    @Test func `tells all that is wrong at once, and sends nothing`() {
        let result = TestContext().run(
            "signup", "ad", "--email", "x", "--password-stdin", "--json", stdin: "short")
        #expect(result.stdout == "")
        #expect(
            result.stderr.contains(
                #""fields":{"username":["must have at least 3 characters"],"email":["is not an e-mail address"],"#
                    + #""password":["must have at least 8 characters"]}"#))
        #expect(result.exitCode == 7)
    }

    @Test func `names each fault once in text`() {
        let several = TestContext().run("signup", "ad", "--email", "x", "--password-stdin", stdin: "long enough")
        #expect(several.stderr.components(of: "must have at least 3 characters") == 1)
        #expect(several.stderr.components(of: "is not an e-mail address") == 1)
        let single = TestContext().run("signup", "ad", "--password-stdin", stdin: "long enough")
        #expect(single.stderr.components(of: "must have at least 3 characters") == 1)
    }

    @Test func `asks for the password twice, until both are the same`() {
        let world = TestContext()
        world.isInputTerminal = true
        world.terminal.answer(
            .shown("ada"), .hidden("correct hors"), .hidden("correct horse"), .hidden("correct horse"),
            .hidden("correct horse"))
        world.server.expect(.signUp(Self.body), .currentSession())
        let result = world.run("signup")
        #expect(result.stderr == "authctl: warning: the two passwords are not the same; try again\n")
        #expect(result.exitCode == 0)
        #expect(world.terminal.questions.count == 5)
    }

    @Test func `gives up when the password was not confirmed three times`() {
        let world = TestContext()
        world.isInputTerminal = true
        for _ in 1...3 { world.terminal.answer(.hidden("one password"), .hidden("another password")) }
        let result = world.run("signup", "ada", "--json")
        #expect(result.stderr.contains(#""fields":{"passwordConfirmation":["is not the password"]}"#))
        #expect(result.exitCode == 7)
    }

    @Test func `leaves the stored session alone without a log-in`() {
        let world = TestContext()
        world.sessions.put(.ada)
        let answer = #"{"objectId":"2","sessionToken":"r:new"}"#
        world.server.expect(
            .signUp(#"{"username":"eve","password":"correct horse"}"#, 201, answer), .currentSession(token: "r:new"),
            .logOut(token: "r:new"))
        let result = world.run("signup", "eve", "--no-login", "--password-stdin", stdin: "correct horse")
        #expect(result.stdout == "created account eve (profile 'default', accounts on this machine)\n")
        #expect(world.sessions.current == .ada)
    }

    @Test func `sends further fields as text and as JSON, the last of a name`() {
        let world = TestContext()
        let body =
            #"{"city":"Köln=K","empty":"","age":36,"tags":["a",null],"nick":"x","username":"ada","#
            + #""password":"correct horse"}"#
        world.server.expect(.signUp(body), .currentSession())
        let result = world.run(
            "signup", "ada", "--field", "city=Bonn", "--field", "city=Köln=K", "--field-json", "age=36", "--field-json",
            #"tags=["a", null]"#,
            "--field", "empty=", "--field-json", #"nick="x""#, "--password-stdin", "--json",
            stdin: "correct horse")
        #expect(
            result.stdout.contains(#""fields":{"city":"Köln=K","empty":"","age":36,"tags":["a",null],"nick":"x"}"#))
        #expect(result.exitCode == 0)
    }

    @Test(arguments: [
        (["--field", "x"], "'x' is not NAME=VALUE (option '--field')"),
        (["--field", "=x"], "'' is not NAME=VALUE (option '--field')"),
        (["--field-json", "age"], "'age' is not NAME=VALUE (option '--field-json')"),
        (["--field", "password=x"], "'password' is not given as a field (option '--field')"),
        (["--field", "email=a@b.c"], "'email' is not given as a field (option '--field')"),
        (["--field-json", "username=1"], "'username' is not given as a field (option '--field-json')"),
    ])
    func `refuses what is no field, and sends nothing`(words: [String], message: String) {
        let result = TestContext().run(words: ["signup", "ada"] + words)
        #expect(result.stderr == "authctl: error: \(message)\n")
        #expect(result.exitCode == 2)
    }

    @Test(arguments: ["old", "", "{", "[1,]", "1 2", #"{"a":1,"a":2}"#])
    func `refuses a field that is no JSON, and hints at text`(value: String) {
        let result = TestContext().run("signup", "ada", "--field-json", "age=\(value)")
        #expect(result.stderr.hasPrefix("authctl: error: the value of 'age' is not JSON: "))
        #expect(result.stderr.hasSuffix("authctl: hint: a text is given with --field age=TEXT\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `leaves the checks to the server if asked to`() {
        let world = TestContext()
        world.server.expect(.signUp(#"{"username":"a","password":"b"}"#), .currentSession())
        #expect(world.run("signup", "a", "--skip-checks", "--password-stdin", stdin: "b").exitCode == 0)
    }

    @Test func `says that a mail was sent, and what to do then`() {
        let world = TestContext()
        world.server.expect(
            .signUp(
                #"{"username":"ada","password":"correct horse","email":"ada@example.org"}"#, 201,
                #"{"objectId":"1"}"#))
        let result = world.run(
            "signup", "ada", "--email", "ada@example.org", "--password-stdin", stdin: "correct horse")
        #expect(
            result.stdout == """
                created account ada; a mail was sent to ada@example.org
                Follow its link, then run: authctl login
                If it does not come, check the address, and look in the spam folder.

                """)
        #expect(result.exitCode == 0)
        #expect(world.sessions.current == nil)
    }

    @Test(arguments: [
        (202, "username-taken", "the user name is taken"), (203, "email-taken", "the e-mail is taken"),
    ])
    func `is a conflict when something is taken`(code: Int, reason: String, message: String) {
        let world = TestContext()
        world.server.expect(.signUp(Self.body, 400, #"{"code":\#(code),"error":"x"}"#))
        let result = world.run("signup", "ada", "--password-stdin", stdin: "correct horse")
        #expect(result.stderr.hasPrefix("authctl: error: cannot create account 'ada': \(message)\n"))
        #expect(result.stderr.contains("authctl: hint: is it yours? log in: authctl login "))
        #expect(result.exitCode == 6)
    }

    @Test(arguments: ["", "a\nb", "a\u{1B}b", "a\0b"])
    func `takes no name that is empty or holds a control character`(name: String) {
        let result = TestContext().run("signup", name, "--password-stdin", stdin: "correct horse")
        #expect(result.exitCode == 2)
        #expect(!result.stderr.contains("\u{1B}"))
    }
}

extension String {
    /// How often another text stands in it.
    func components(of text: String) -> Int { split(separator: text, omittingEmptySubsequences: false).count - 1 }
}
