import Foundation
import TestSupport

/// An account on a server from signup to logout. No output, log or remaining file contains a secret.
@Suite(.mostlyWaits, .keepsSecrets) struct SecretLifeTests {
    private let world: Sandbox
    private let server: ServingProgram
    private let graph: GraphServer

    private static let clientKey = "canary-rest-key"
    private static let password = "canary/\"one\" pa55w\u{F6}rd"
    private static let newPassword = "canary+two? pa55word"
    private static let wrong = "canary wrong pa55word"

    init() throws {
        graph = try GraphServer()
        let serving = Sandbox()
        serving.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url)
        try serving.write("\(Self.clientKey)\n", to: "\(serving.root)/key")
        try serving.write("canary-app-secret\n", to: "\(serving.root)/app-secret")
        server = try ServingProgram(
            "-v", "--client-key-file", "\(serving.root)/key", "--facebook-app-id", GraphServer.appID, "--mail-dir",
            "\(serving.home)/mail", "--facebook-app-secret-file", "\(serving.root)/app-secret", world: serving)
        world = Sandbox()
        for (name, value) in [
            ("AUTHCTL_BACKEND", "parse"), ("AUTHCTL_SERVER", server.url), ("AUTHCTL_APP_ID", ServingProgram.appID),
            ("AUTHCTL_CLIENT_KEY", Self.clientKey), ("AUTHCTL_FACEBOOK_GRAPH_URL", graph.url),
            ("AUTHCTL_FACEBOOK_APP_ID", GraphServer.appID), ("AUTHCTL_FACEBOOK_CLIENT_TOKEN", "client-at-once"),
            ("TMPDIR", "\(world.home)/temporary"), ("SWIFT_BACKTRACE", "enable=yes"),
        ] { world.set(name, to: value) }
        try FileManager.default.createDirectory(atPath: "\(world.home)/temporary", withIntermediateDirectories: true)
    }

    @Test func `commands for a server account show no secret, and leave none in a file after logout`() throws {
        var runs: [Finished] = []
        var secrets = [
            Self.password, Self.newPassword, Self.wrong, Self.clientKey, "canary-app-secret", "tok-bad",
            "client-at-once", "secret-device-code", "canary-code", "r:canary-given",
        ]
        func run(_ words: String..., typing lines: String...) throws {
            for more in [["-v"], ["-v", "--json"]] {
                let input = lines.map { "\($0)\n" }.joined()
                runs.append(try world.start(words + more, input: .bytes(Array(input.utf8))).wait())
                // `try?`: the session file does not exist if no session is saved.
                let stored = (try? world.text(world.sessionFile())) ?? ""
                secrets += stored.matches(of: /"token":"([^"]+)"/).map { String($0.1) }
            }
        }
        try run("signup", "ada", "--email", "ada@example.org", "--password-stdin", typing: Self.password)
        try run("login", "ada", "--password-stdin", typing: Self.wrong)
        try run("login", "ada", "--password-stdin", typing: Self.password)
        for words in [["whoami"], ["whoami", "--offline"], ["sessions"], ["profile", "list"], ["profile", "show"]] {
            runs.append(try world.start(words + ["-v"]).wait())
            runs.append(try world.start(words + ["-v", "--json"]).wait())
        }
        try run("link-facebook", "--token-stdin", typing: "tok-bad")
        try run("link-facebook")
        try run("link-facebook", "--status")
        try run("verify-email")
        try run("verify-email", "--key", "canary-code")
        try run("login", "--token-stdin", typing: "r:canary-given")
        try run("password", "change", "--password-stdin", typing: Self.wrong, Self.newPassword)
        try run("password", "change", "--password-stdin", typing: Self.password, Self.newPassword)
        try run("password", "reset", "ada@example.org")
        try run("exec", "--", "true")
        try run("sessions", "revoke", "--others")
        try run("login", "--facebook")
        try run("logout")
        server.program.send(SIGTERM)
        runs.append(server.program.wait())
        #expect(runs.count { $0.exitCode == 0 } > 24, "\(runs.filter { $0.exitCode != 0 }.map(\.stderr))")
        #expect(Set(secrets).count >= 14)
        for forms in Set(secrets).map({ SecretForms($0) }) {
            for run in runs { #expect(!forms.isFound(in: run.everything), "\(forms.secret): \(run.everything)") }
            for (path, bytes) in world.snapshot().merging(server.world.snapshot(), uniquingKeysWith: { $1 }) {
                #expect(!forms.isFound(in: Data(bytes)), "\(forms.secret): \(path)")
            }
        }
    }
}
