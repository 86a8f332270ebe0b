import Foundation

/// A fake of Firebase's emulator with its own users. It stops when the last reference is released.
package final class FirebaseServer: Sendable {
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package static let project = "demo-shop"

    package init() throws {
        world = Sandbox()
        program = try ServingScript(Servers.python("firebase.py"), in: world)
        url = program.url
    }

    /// Changes the controls, such as `{"oldest":1}`, and returns the state of the server.
    @discardableResult
    package func control(_ changes: String = "{}") throws -> JSONDocument { try program.control(changes, world) }

    /// A proof of an identity, which the emulator accepts without a signature.
    package static func idToken(sub: String, email: String) -> String {
        let parts = [#"{"alg":"none"}"#, #"{"sub":"\#(sub)","email":"\#(email)"}"#]
        return parts.map {
            Data($0.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
        }.joined(separator: ".") + "."
    }
}
