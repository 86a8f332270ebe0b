/// A fake of Kii Cloud with its own users. It stops when the last reference is released.
package final class KiiServer: Sendable {
    /// The base URL, including the path of the API.
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package static let appID = "app1"

    package init() throws {
        world = Sandbox()
        program = try ServingScript(Servers.python("kii.py"), in: world)
        url = "\(program.url)/api"
    }
}
