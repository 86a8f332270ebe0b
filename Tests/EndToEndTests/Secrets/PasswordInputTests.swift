import Foundation
import TestSupport

/// Passwords that a real process reads from files, standard input and its environment.
@Suite(.mostlyWaits, .keepsInvariants) struct PasswordInputTests {
    private let world = Sandbox()

    @Test func `a password file that is a pipe is read without a warning`() throws {
        let result = try world.runScript(#""$A" signup ada --password-file <(echo '\#(Sandbox.password)')"#)
        expect(result.exitCode, 0)
        #expect(result.warnings.isEmpty)
    }

    @Test func `an AUTHCTL_PASSWORD that is not UTF-8 is rejected`() throws {
        let under: [String] = .shell(#"export AUTHCTL_PASSWORD=$'correct caf\xe9'"#)
        try expect(world.run("signup", "ada", under: under).exitCode, 2)
        expect(world.contents(of: world.home), [])
    }

    @Test func `a login fails if standard input is closed, with or without --password-stdin`() throws {
        try expect(world.run("login", "ada", under: .shell("exec <&-")).exitCode, 2)
        let result = try world.run("login", "ada", "--password-stdin", under: .shell("exec <&-"))
        expect(result.exitCode, 2)
        #expect(result.stderr.contains("standard input"))
    }
}

@Suite(.mostlyWaits, .keepsSecrets) struct PasswordBytesTests {
    @Test(arguments: [
        " caf\u{E9}  cafe\u{301} \u{1F468}\u{200D}\u{1F469}\u{1F3FD} quote\" back\\slash / a%20b&c=d+e ${HOME} `id` ",
        "--json", String(repeating: "\u{F6}", count: 1000),
    ])
    func `a password from standard input, a file, a variable or a terminal is sent byte for byte`(
        password: String
    ) throws {
        let refusal = ScriptedServer.Answer.json(#"{"code":101,"error":"Invalid username/password."}"#, "404 Not Found")
        let server = try ScriptedServer(["*": [refusal]])
        let world = Sandbox()
        let words = ["login", "ada"] + ParseSession.options(at: server.url("/parse"))
        try world.write("\(password)\r\n", to: "\(world.home)/password")
        let terminal = PseudoTerminal()
        let typing = try world.start(words, terminal: terminal)
        #expect(terminal.waitFor(Prompt.password))
        terminal.type("\(password)\n")
        #expect(terminal.waitFor(Prompt.password, times: 2))
        terminal.type("\u{4}")
        for login in [
            typing, try world.start(words + ["--password-stdin"], input: "\(password)\n"),
            try world.start(words + ["--password-file", "password"]),
            try world.start(words, environment: ["AUTHCTL_PASSWORD": password]),
        ] {
            expect(login.wait().exitCode, 4)
        }
        let sent = try server.requests.map { request in
            let body = try JSONSerialization.jsonObject(with: request.body) as? [String: Any]
            return Array((body?["password"] as? String ?? "").utf8)
        }
        expect(sent, [[UInt8]](repeating: Array(password.utf8), count: 4))
    }
}
