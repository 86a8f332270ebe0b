import Foundation
import TestSupport
import Testing

/// Changes stored sessions without authctl.
extension Sandbox {
    /// Changes the content of a session file and updates its checksum.
    func rewriteSession(_ profile: String = "default", _ change: (String) -> String) throws {
        let file = try text(sessionFile(profile))
        let content = change(String(file.prefix(upTo: try #require(file.range(of: #","checksum""#)).lowerBound)))
        let checksum = Array(content.utf8).reduce(into: 0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let digits = String(format: "%016lx", checksum)
        try write("\(content),\"checksum\":\"\(digits)\"}\n", to: sessionFile(profile))
    }

    /// Sets the expiry in a session file to a time in the past.
    func letSessionRunOut(_ profile: String = "default") throws {
        try rewriteSession(profile) { $0.replacing(/"expiresAt":[0-9]+/, with: #""expiresAt":1577836800"#) }
    }
}
