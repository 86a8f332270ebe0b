import Foundation

/// A fake of a Supabase project, made from recorded exchanges. It stops when the last reference is released.
///
/// `Tests/Servers/supabase.py` lists its keys, its rules and its controls.
package final class SupabaseServer: Sendable {
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package init() throws {
        world = Sandbox()
        program = try ServingScript(Servers.python("supabase.py"), in: world)
        url = program.url
    }

    /// A home folder whose profile `site` is the project. It has the files `key` and `secret`.
    package func visitor() throws -> Sandbox {
        let visitor = Sandbox()
        for (name, text) in [("key", "sb_publishable_test"), ("secret", "sb_secret_test")] {
            try visitor.write(text, to: "\(visitor.home)/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(visitor.home)/\(name)")
        }
        let add = try visitor.run("profile", "add", "site", "--server", url, "--client-key-file", "key")
        let use = try visitor.run("profile", "use", "site")
        guard add.exitCode == 0, use.exitCode == 0 else { throw JSONDocument.Fault(add.everything) }
        return visitor
    }

    /// Changes the controls, such as `{"life":1}`, and returns the state of the server.
    @discardableResult
    package func control(_ changes: String = "{}") throws -> JSONDocument {
        try program.control(changes, world)
    }

    /// The hash in the link of the newest e-mail to an address.
    package func hash(to address: String) throws -> String {
        try control().object("mails").object(address).string("hash") ?? ""
    }
}
