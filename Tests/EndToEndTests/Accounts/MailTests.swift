import Foundation
import TestSupport
import Testing

/// Mails of local accounts. The mails are files; pages behind their links need `serve`.
@Suite struct MailTests {
    private let world: Sandbox
    private var mails: String { "\(world.dataFolder)/mail" }

    init() throws {
        world = try Sandbox()
        let result = try world.run(
            "signup", "ada", "--email", "ada@example.org", "--password-stdin", input: .password)
        try #require(result.exitCode == 0)
    }

    @Test func `verify-email sends a key that verifies the address once`() throws {
        let sent = try world.run("verify-email")
        #expect(sent.exitCode == 0)
        #expect(sent.stdout.contains("ada@example.org"))
        #expect(sent.stderr.contains("'\(mails)'"))
        let key = try #require(try link().firstMatch(of: /token=([0-9a-f]+)/)?.1)
        let confirmed = try world.run("verify-email", "--key", String(key), "--json")
        #expect(try confirmed.document().flag("verified") == true)
        #expect(try world.run("whoami", "--json").document().object("user").flag("emailVerified") == true)
        #expect(try world.run("verify-email", "--key", String(key)).exitCode == 7)
        #expect(try world.run("verify-email", "--json").document().flag("sent") == false)
    }

    @Test func `the link of a password-reset mail works while the accounts are served`() throws {
        #expect(try world.run("password", "reset", "ada@example.org").exitCode == 0)
        let path = try #require(try link().firstMatch(of: /\/parse(\/apps\/.*)/)?.1)
        let token = try #require(try link().firstMatch(of: /token=([0-9a-f]+)/)?.1)
        let server = try ServingProgram(world: world)
        let page = try server.ask("GET", String(path), headers: [])
        #expect(page.status == 200)
        #expect(page.body.contains("new_password"))
        let form = ["-d", "token=\(token)", "--data-urlencode", "new_password=quite another one"]
        let post = try server.ask("POST", "/apps/local/request_password_reset", headers: [], options: form)
        #expect(post.status == 200)
        #expect(try world.run("whoami").exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: .password).exitCode == 4)
        #expect(try world.run("login", "ada", "--password-stdin", input: "quite another one").exitCode == 0)
        let again = try server.ask("POST", "/apps/local/request_password_reset", headers: [], options: form)
        #expect(again.status == 400)
    }

    @Test func `a password reset for an unknown address prints the same and sends no mail`() throws {
        let known = try world.run("password", "reset", "ada@example.org")
        let unknown = try world.run("password", "reset", "eve@example.org")
        #expect(unknown.exitCode == known.exitCode)
        #expect(unknown.stdout.replacingOccurrences(of: "eve", with: "ada") == known.stdout)
        #expect(try names().count == 1)
    }

    @Test func `mail files are readable by their owner only`() throws {
        _ = try world.run("verify-email")
        #expect(world.mode(mails) == 0o700)
        for name in try names() { #expect(world.mode("\(mails)/\(name)") == 0o600) }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: mails).filter { $0.hasSuffix(".eml") }
    }

    private func link() throws -> String {
        let name = try #require(try names().first)
        let text = try world.text("\(mails)/\(name)")
        return try String(#require(text.firstMatch(of: /http:\/\/[^\r\n]*/)).0)
    }
}
