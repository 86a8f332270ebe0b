import Foundation

/// A certificate authority for this test run, with valid and invalid certificates. The files are deleted when the
/// run ends.
package enum TestAuthority {
    /// The path of the certificate of the trusted authority.
    package static var file: String { path("authority") }

    /// The path of a certificate with its key, or of an authority's certificate, created by
    /// `Tests/Servers/make-authority.sh`.
    package static func path(_ name: String) -> String { "\(folder)/\(name).pem" }

    private static let folder: String = {
        let path = NSTemporaryDirectory() + "authctl-authority-\(UUID().uuidString)"
        guard (try? Sandbox().runScript("'\(Servers.path("make-authority.sh"))' '\(path)'"))?.exitCode == 0
        else { fatalError("cannot make certificates: is openssl installed?") }
        atexit { try? FileManager.default.removeItem(atPath: TestAuthority.folder) }
        return path
    }()
}

package enum Servers {
    /// The path of a file in `Tests/Servers`.
    package static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Servers/\(name)").path
    }

    /// The command that runs a script in `Tests/Servers`, with Python's standard library only.
    package static func python(_ name: String) -> [String] { interpreter + ["-I", "-S", path(name)] }

    /// The system's Python if there is one. Another `python3` on PATH may be a slow wrapper script that selects a
    /// version.
    private static let interpreter: [String] = {
        let own = "/usr/bin/python3"
        return access(own, X_OK) == 0 ? [own] : ["/usr/bin/env", "python3"]
    }()
}
