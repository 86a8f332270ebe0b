import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

/// `login --facebook`.
@Suite struct FacebookLoginTests {
    static let request = #"{"authData":{"facebook":{"id":"1003","access_token":"EAAB"}}}"#
    static let user =
        #"{"authData":{"facebook":{"id":"1003","access_token":"EAAB"}},\#(Exchange.adaUser.dropFirst())"#

    let world = TestContext()

    init() {
        world.environment = ["AUTHCTL_FACEBOOK_APP_ID": "1000"]
    }

    @Test(arguments: [["--token-stdin"], ["--token-file", "/run/token"]])
    func `logs a known user in`(words: [String]) {
        world.files = ["/run/token": "EAAB\n"]
        let answer = #"{"sessionToken":"\#(Exchange.adaToken)",\#(Self.user.dropFirst())"#
        world.network.expect(.facebookApp())
        world.server.expect(.signUp(Self.request, 200, answer), .currentSession())
        let result = world.run(words: ["login", "--facebook", "--facebook-id", "1003"] + words, stdin: "EAAB")
        #expect(result.stdout == "logged in as ada (profile 'default', accounts on this machine)\n")
        #expect(result.stderr == "")
        #expect(result.exitCode == 0)
        #expect(world.sessions.current?.session.token == Session.ada.token)
        #expect(world.sessions.current?.user.providers == ["facebook"])
        #expect(world.sessions.current?.user.fields == [:])
    }

    @Test func `says in JSON that it made the account, without the token`() {
        world.network.expect(.facebookApp())
        world.server.expect(.signUp(Self.request), .currentUser(200, Self.user), .currentSession())
        let result = world.run(
            "login", "--facebook", "--facebook-id", "1003", "--token-stdin", "--json", stdin: "EAAB")
        #expect(
            result.stdout == """
                {"v":1,"kind":"login","profile":"default","backend":"local","server":null,"created":true,\
                "user":{"id":"g7y9tkhB7O","username":"ada","email":"ada@example.org","emailVerified":null,\
                "createdAt":"2026-01-02T03:04:05Z","providers":["facebook"],"fields":{}},\
                "session":{"id":"Xk2LmN3oPq","createdAt":"2026-01-02T03:04:05Z","expiresAt":"2027-01-02T03:04:05Z"},\
                "pending":null,"filled":null,"warnings":[]}

                """)
        #expect(result.stderr == "")
    }

    @Test(arguments: [
        (404, #"{"code":101,"error":"Facebook auth is invalid for this user."}"#, 4 as Int32, "token-refused"),
        (400, #"{"code":252,"error":"This authentication method is unsupported."}"#, 10, "unsupported"),
    ])
    func `keeps the old session when the server refuses`(
        status: Int, answer: String, exitCode: Int32, reason: String
    ) {
        world.sessions.put(.ada)
        world.network.expect(.facebookApp())
        world.server.expect(.signUp(Self.request, status, answer))
        let result = world.run(
            "login", "--facebook", "--facebook-id", "1003", "--token-stdin", "--json", stdin: "EAAB")
        #expect(result.stdout == "")
        #expect(result.stderr.contains(#""reason":"\#(reason)","message":"cannot log in with Facebook: "#))
        #expect(!result.stderr.contains("EAAB"))
        #expect(result.exitCode == exitCode)
        #expect(world.sessions.current == .ada)
    }

    @Test(arguments: [
        (["--facebook-id", "1"], "--facebook-id is of use with --facebook only"),
        (["--facebook-id", "1", "--token-stdin"], "--facebook-id is of use with --facebook only"),
        (["--id-token-stdin"], "--id-token-stdin is of use with --facebook only"),
        (["--id-token-file", "x"], "--id-token-file is of use with --facebook only"),
        (["--permission", "user_birthday"], "--permission is of use with --facebook only"),
        (["ada", "--fill-user"], "--fill-user is of use with --facebook only"),
        (
            ["--facebook", "--token-stdin", "--token-file", "x"],
            "there is more than one way to log in in this command"
        ),
        (
            ["--facebook", "--id-token-stdin", "--token-file", "x"],
            "--token-file and --id-token-stdin both say where the Facebook token is"
        ),
        (
            ["--facebook", "--id-token-stdin", "--id-token-file", "x"],
            "--id-token-stdin and --id-token-file both say where the Facebook token is"
        ),
        (["--facebook", "ada"], "there is more than one way to log in in this command"),
        (["--facebook", "--anonymous"], "there is more than one way to log in in this command"),
        (["--facebook", "--password-stdin"], "there is more than one way to log in in this command"),
    ])
    func `must be given what fits together`(words: [String], message: String) {
        let result = world.run(words: ["login"] + words)
        #expect(result.stderr.hasPrefix("authctl: error: \(message)\n"))
        #expect(result.exitCode == 2)
    }

    @Test func `names the option where Facebook does not tell whose token it is`() {
        world.network.expect(
            .graph(
                "GET", "me?fields=id,name,first_name,last_name,email", 400,
                #"{"error":{"message":"API calls from the server require an appsecret_proof","code":100}}"#))
        let result = world.run("login", "--facebook", "--token-stdin", stdin: "EAAB")
        #expect(
            result.stderr == """
                authctl: error: cannot log in with Facebook: Facebook did not tell whose token it is: Facebook does not \
                answer that: "API calls from the server require an appsecret_proof"
                authctl: hint: give the id of its user with --facebook-id ID

                """)
        #expect(result.exitCode == 5)
    }
}
