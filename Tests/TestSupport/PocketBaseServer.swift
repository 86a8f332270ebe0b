import Foundation

/// A PocketBase server with its own database, an SMTP server and an OpenID Connect provider. It stops when the last
/// reference is released.
///
/// `Tests/Servers/pocketbase.py` lists its collections.
package final class PocketBaseServer: Sendable {
    /// The oldest supported version and the newest version of the years since then, newest first.
    package static let versions = ["0.40.6", "0.36.9", "0.28.4", "0.23.12"]

    /// Whether the servers are installed. Also true if `AUTHCTL_TEST_SERVERS` is `required`, so that tests fail if a
    /// server is missing.
    package static let isAvailable =
        ProcessInfo.processInfo.environment["AUTHCTL_TEST_SERVERS"] == "required"
        || versions.allSatisfy { FileManager.default.fileExists(atPath: program($0)) }

    /// The reason that a skipped test reports.
    package static let absence = "the PocketBase servers are not installed: Tests/run installs them"

    package let url: String
    private let world: Sandbox
    private let script: ServingScript

    package init(_ version: String) throws {
        world = Sandbox()
        script = try ServingScript(
            Servers.python("pocketbase.py") + [Self.program(version), "\(world.root)/server"], in: world)
        url = script.url
    }

    /// The folder of the e-mails that the server has sent.
    package var mailFolder: String { "\(world.root)/server/mails" }

    /// An authorization code of the provider `oidc` for a user.
    package static func code(sub: String, email: String) -> String {
        Data(#"{"sub":"\#(sub)","email":"\#(email)","email_verified":true}"#.utf8).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    private static func program(_ version: String) -> String {
        URL(fileURLWithPath: Servers.path("../../.build/pocketbase/\(version)/bin/pocketbase")).standardized.path
    }
}
