import Foundation
import TestSupport
import Testing

/// Changes stored sessions without authctl.
extension Sandbox {
    /// Changes the content of a session file.
    func rewriteSession(_ profile: String = "default", _ change: (String) -> String) throws {
        try write(change(try text(sessionFile(profile))), to: sessionFile(profile))
    }

    /// Sets the expiry in a session file to a time in the past.
    func letSessionRunOut(_ profile: String = "default") throws {
        try rewriteSession(profile) { $0.replacing(/"expiresAt":[0-9]+/, with: #""expiresAt":1577836800"#) }
    }
}
