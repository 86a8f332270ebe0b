import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct SecretRedactionTests {
    static let password = "hunter22-sesame"
    static let logIn = #"{"sessionToken":"r:s3cr3t","username":"ada","password":"\#(password)"}"#

    @Test(arguments: [[], ["--json"], ["--verbose"]])
    func `a secret in the fields of a user is redacted`(words: [String]) {
        let world = TestContext()
        let user =
            #"{"objectId":"u1","username":"ada","sessionToken":"r:s3cr3t","nick":"hunter22-SESAME","zip":"8001","#
            + #""log":[{"in":"pw=%68unter22-sesame&t=r%3as3cr3t"}],"authData":{"r:s3cr3t":{"id":1}}}"#
        world.server.expect(
            .logIn("ada", Self.password, 200, user), .currentSession(token: "r:s3cr3t"),
            .currentUser(token: "r:s3cr3t", 200, user.replacing("unter22", with: "")))
        var shown = ""
        for (command, input) in [(["login", "ada", "--password-stdin"], Self.password), (["whoami"], nil)] {
            let result = world.run(words: command + words, stdin: input)
            #expect(result.exitCode == 0)
            shown += result.stdout + result.stderr
            let fields = world.sessions.current?.user.fields
            #expect(fields?["log"]?.text.contains("<redacted>") == true)
            #expect(fields?["zip"] == "8001")
            #expect(world.sessions.current?.user.providers == ["<redacted>"])
        }
        #expect(!shown.lowercased().contains(Self.password))
        #expect(!shown.contains("s3cr3t"))
    }

    @Test(arguments: [[], ["--json"], ["--verbose"], ["--json", "--verbose"]])
    func `no output contains a password or a token`(words: [String]) {
        let world = TestContext()
        world.server.expect(
            .logIn("ada", Self.password, 200, Self.logIn), .currentSession(token: "r:s3cr3t"),
            .currentUser(token: "r:s3cr3t"), .currentSession(token: "r:s3cr3t"), .sessions(token: "r:s3cr3t"),
            .logOut(token: "r:s3cr3t", 500, "<html>"),
            .signUp(#"{"username":"eve","password":"\#(Self.password)"}"#, 400, #"{"code":202,"error":"taken"}"#))
        var shown = ""
        for (command, input) in [
            (["login", "ada", "--password-stdin"], Self.password), (["whoami"], nil), (["sessions"], nil),
            (["profile", "list"], nil), (["logout"], nil), (["signup", "eve", "--password-stdin"], Self.password),
        ] {
            let result = world.run(words: command + words, stdin: input)
            shown += result.stdout + result.stderr
        }
        #expect(!shown.contains("s3cr3t"))
        #expect(!shown.contains(Self.password))
    }
}
