import Foundation
import TestSupport
import Testing

/// Whatever a server responds, the saved session can be read again.
@Suite(.keepsSecrets) struct LargeUserTests {
    private static let deep = String(repeating: "[", count: 509) + String(repeating: "]", count: 509)

    @Test(arguments: [
        ("nested 510 levels deep", deep), ("one large field", #""\#(String(repeating: "x", count: 1_048_300))""#),
        ("control characters", #""\#(String(repeating: "\u{85}", count: 200_000))""#),
    ])
    func `a login saves a session that later commands can read`(situation: String, value: String) throws {
        let user = #""objectId":"u1","username":"ada","about":\#(value),"team":"blue""#
        let server = try ScriptedServer([
            "/parse/login": [response("{\(user),\"sessionToken\":\"r:canary-1\"}")],
            "/parse/users/me": [response("{\(user)}")], "/parse/sessions/me": [response(#"{"objectId":"s1"}"#)],
            "/parse/logout": [response("{}")],
        ])
        let world = try Sandbox()
        let login = try world.start(["login", "ada", "--password-stdin"] + server.options, input: .password).wait()
        #expect(login.exitCode == 0, "\(login.stderr)")
        #expect(login.warnings.count == 1)
        #expect(login.warnings.first?.contains("'about'") == true)
        for (words, code) in [
            (["whoami"], 0), (["whoami", "--offline", "--json"], 0), (["token"], 0), (["logout"], 0), (["whoami"], 3),
        ] as [([String], Int32)] {
            let result = try world.start(words + server.options).wait()
            #expect(result.exitCode == code, "\(words): \(result.stderr.prefix(300))")
            if words.contains("--offline") {
                #expect(try result.document().object("user").object("fields").string("team") == "blue")
            }
        }
    }

    private func response(_ body: String) -> ScriptedServer.Answer {
        .answer("200 OK", ["Content-Type: application/json"], body)
    }
}
