import Foundation
import TestSupport

@Suite(.mostlyWaits) struct DocumentedKeysTests {
    private let world = Sandbox()

    @Test func `JSON documents have exactly the members that 'help json' lists`() throws {
        let sections = try documentation()
        var seen: [String: Set<String>] = [:]
        func look(_ words: String..., input: Input = .nothing) throws {
            let result = try world.start(words + ["--json"], input: input).wait()
            let document = try JSONDocument(line: result.output.isEmpty ? Data(result.stderr.utf8) : result.output)
            seen[document.string("kind") ?? "none"] = document.keys
            for (key, part) in [
                ("user", "user"), ("session", "session"), ("error", "error object"), ("item", "profile item"),
            ] {
                // `try?`: the member may be null or missing.
                if let object = try? document.object(key) { seen[part] = object.keys }
            }
            if document.string("kind") != "whoami.all", let item = (try? document.objects("items"))?.first {
                let parts = ["profiles": "profile item", "mail": "mail item", "sessions": "session item"]
                seen[try #require(parts[document.string("kind") ?? ""])] = item.keys
            }
        }
        try look("signup", "ada", "--email", "ada@example.org", "--password-stdin", input: .password)
        try look("login", "ada", "--password-stdin", input: .password)
        try look("whoami")
        try look("whoami", "--all")
        try look("sessions")
        try look("sessions", "revoke", "--others")
        try look("password", "change", "--password-stdin", input: "\(Sandbox.password)\nanother one of them\n")
        try look("password", "reset", "ada@example.org")
        try look("verify-email")
        try look("account", "update", "--field", "name=Ada")
        try look("mail")
        try look("link-facebook", "--status")
        try look("link", "facebook", "--status")
        try look("link", "--status")
        try look("token")
        try look("profile", "add", "ci", "--backend", "local")
        try look("profile", "list")
        try look("profile", "export")
        try look("completion", "bash")
        try look("help", "json")
        try look("doctor")
        try look("version")
        try look("check", "--draft")
        try look("account", "delete", "--yes")
        try look("logout")
        try look("token")
        for (kind, keys) in seen {
            let documented = try #require(sections[kind], "\(kind)")
            let envelope: Set = kind.contains(" ") || ["user", "session"].contains(kind) ? [] : ["v", "kind"]
            // Members that are documented as optional.
            let optional: Set = ["logout": ["items"], "connection": ["clientKey", "allowHttp"]][kind] ?? []
            expect(keys.union(optional), documented.union(envelope).union(optional), "\(kind)")
        }
        #expect(
            Set(sections.keys).subtracting(seen.keys)
                == [
                    "device-code", "serve", "warning", "users.row", "users.summary", "check.cell", "check.summary",
                ],
            "add a command here that prints the document")
    }

    /// The documented members by section. A section is named after a document's `kind`, or after an object in
    /// documents, such as `profile item`.
    private func documentation() throws -> [String: Set<String>] {
        let text = try world.run("help", "json").stdout
        var sections: [String: Set<String>] = [:]
        var kinds: [String] = []
        for line in text.split(separator: "\n") {
            if let heading = line.wholeMatch(of: /([a-z., -]+):/) {
                kinds = String(heading.1).components(separatedBy: ", ")
                for kind in kinds { sections[kind] = [] }
            } else if let row = line.firstMatch(of: /^  ([a-z]\w+)  +\S/) {
                for kind in kinds { sections[kind]?.insert(String(row.1)) }
            }
        }
        return sections
    }
}
