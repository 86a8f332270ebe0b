import Foundation
import TestSupport
import Testing

/// The server receives exactly the bytes of a password from every input source.
@Suite(.keepsSecrets) struct PasswordBytesTests {
    private let world: Sandbox
    private let server: ScriptedServer

    init() throws {
        world = try Sandbox()
        let refusal = ScriptedServer.Answer.answer(
            "404 Not Found", ["Content-Type: application/json"], #"{"code":101,"error":"Invalid username/password."}"#)
        server = try ScriptedServer(["*": [refusal]])
    }

    static let passwords = [
        "x", "correct horse", " outer  and inner \t ", "caf\u{E9}", "cafe\u{301}",
        "\u{1F468}\u{200D}\u{1F469}\u{1F3FD}",
        "quote\" back\\slash /", "a%20b&c=d+e", "${HOME} $(id) `id`", "--json", "\u{7F}\u{1B}[31m",
        "\u{FFFE}\u{10FFFF}", "\u{2028}\u{85}\u{A0}", String(repeating: "y", count: 64),
        String(repeating: "\u{F6}", count: 128), String(repeating: "z", count: 1000),
    ]

    @Test(arguments: passwords)
    func `the server receives exactly the bytes of the password`(password: String) throws {
        let path = "\(world.home)/password"
        func logIn(_ words: [String], input: Input = .nothing, environment: [String: String?] = [:]) throws {
            let words = ["login", "ada"] + words + server.options
            let login = try world.start(words, input: input, environment: environment).wait()
            #expect(login.exitCode == 4, "\(login.stderr)")
        }
        for end in ["", "\n", "\r\n"] {
            try logIn(["--password-stdin"], input: "\(password)\(end)")
            try world.write("\(password)\(end)", to: path)
            try logIn(["--password-file", path])
        }
        try logIn([], environment: ["AUTHCTL_PASSWORD": password])
        var count = 7
        // A terminal interprets control characters, so such passwords cannot be typed.
        if password.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) {
            let terminal = try PseudoTerminal()
            let login = try world.start(["login", "ada"] + server.options, terminal: terminal)
            #expect(terminal.waitFor(Prompt.password))
            terminal.type("\(password)\n")
            #expect(login.wait().exitCode == 4)
            count += 1
        }
        let sent = try server.requests.map { request in
            let body = try JSONSerialization.jsonObject(with: request.body) as? [String: Any]
            return Array((body?["password"] as? String ?? "").utf8)
        }
        #expect(sent == [[UInt8]](repeating: Array(password.utf8), count: count))
    }

    @Test func `a password change sends each line as one password`() throws {
        let server = try ServingProgram()
        world.set("AUTHCTL_BACKEND", to: "parse")
        world.set("AUTHCTL_SERVER", to: server.url)
        world.set("AUTHCTL_APP_ID", to: ServingProgram.appID)
        try world.signUp("ada")
        let new = " caf\u{E9} \"noir\" \t"
        for end in ["", "\n", "\r\n"] {
            let lines: Input = "\(Sandbox.password)\r\n\(new)\(end)"
            #expect(try world.run("password", "change", "--password-stdin", input: lines).exitCode == 0)
            #expect(try world.run("login", "ada", "--password-stdin", input: "\(new)").exitCode == 0)
            let back: Input = "\(new)\n\(Sandbox.password)"
            #expect(try world.run("password", "change", "--password-stdin", input: back).exitCode == 0)
        }
    }

    private static let refused: [(name: String, bytes: [UInt8])] = [
        ("no line", Array("one password".utf8)), ("an empty line first", Array("\nnew password\n".utf8)),
        ("an empty line last", Array("\(Sandbox.password)\n\n".utf8)),
        ("NUL", Array("\(Sandbox.password)\nnew\0password\n".utf8)),
        ("Latin-1", Array("\(Sandbox.password)\ncaf".utf8) + [0xE9, 0x0A]),
        ("a long one", Array("\(Sandbox.password)\n".utf8) + [UInt8](repeating: 0x78, count: 65537)),
        ("10 MB", [UInt8](repeating: 0x78, count: 10_000_000)),
    ]

    @Test(arguments: refused.indices)
    func `a password change with an invalid new password sends no request`(index: Int) throws {
        world.set("AUTHCTL_TOKEN", to: "r:0123")
        let words = ["password", "change", "--password-stdin"] + server.options
        let change = try world.start(words, input: .bytes(Self.refused[index].bytes)).wait()
        #expect(change.exitCode == 2, "\(Self.refused[index].name): \(change.stderr)")
        #expect(!server.requests.contains { $0.method != "GET" })
    }
}
