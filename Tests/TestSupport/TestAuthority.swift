import Foundation

/// An authority of this run of the tests, with certificates good and bad; removed when the run ends.
package enum TestAuthority {
    /// What clients trust.
    package static var file: String { path("authority") }

    /// A file of `Tests/Servers/make-authority.sh`: a certificate with its key.
    package static func path(_ name: String) -> String { "\(folder)/\(name).pem" }

    private static let folder: String = {
        let path = NSTemporaryDirectory() + "authctl-authority-\(UUID().uuidString)"
        guard let world = try? Sandbox(),
            (try? world.runScript("'\(Servers.path("make-authority.sh"))' '\(path)'"))?.exitCode == 0
        else { fatalError("cannot make certificates: is openssl installed?") }
        atexit { try? FileManager.default.removeItem(atPath: TestAuthority.folder) }
        return path
    }()
}

package enum Servers {
    /// A script that servers are made of.
    package static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Servers/\(name)").path
    }

    /// What runs such a script with the standard library alone.
    package static func python(_ name: String) -> [String] { interpreter + ["-I", "-S", path(name)] }

    /// The system's own where there is one: another one that comes before it may be a script that looks for the right
    /// version, each time for as long as all else takes.
    private static let interpreter: [String] = {
        let own = "/usr/bin/python3"
        return access(own, X_OK) == 0 ? [own] : ["/usr/bin/env", "python3"]
    }()
}
