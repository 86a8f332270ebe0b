import Foundation

/// What stands in for Facebook's Graph, and for its id tokens; ended with the last reference.
///
/// What it answers depends on the secrets that a request holds: `Tests/Servers/graph_people.py` has the tokens of users,
/// `graph_devices.py` the client tokens. People who withdraw the app are without a good token for as long as it runs.
package final class GraphServer: Sendable {
    package struct Request: Sendable, Equatable, Decodable {
        package let method: String
        /// As it was sent, so with the version; without the query.
        package let path: String
        /// `nil`: the connection was ended instead.
        package let status: Int?
        /// Since the start of the server.
        package let seconds: Double
        /// Whether a token, a code or a proof stood in the path or the query.
        package let hasSecretInURL: Bool
        package let agent: String?

        /// Whether authctl asked: Django sites do, too, and put tokens into URLs.
        package var isOfAuthctl: Bool { agent?.hasPrefix("authctl/") == true }

        /// Method and path, as `POST /v21.0/device/login`.
        package var line: String { "\(method) \(path)" }

        private enum CodingKeys: String, CodingKey {
            case method, path, status, seconds, agent
            case hasSecretInURL = "secretInURL"
        }
    }

    package static let appID = "1000"
    /// The one that sites are set up with.
    package static let appSecret = "a secret"

    /// Without a version.
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package init() throws {
        world = try Sandbox()
        program = try ServingScript(Servers.python("graph.py") + ["\(world.root)/record"], in: world)
        url = program.url
    }

    /// What it complained of so far.
    package var log: String { program.log }

    /// What it was asked so far, in the order of the answers.
    package var requests: [Request] {
        // `try?`: a line that is being written is one of a request that is not answered yet.
        let text = (try? world.text("\(world.root)/record")) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    /// What authctl asked so far, when its path ends so: `device/login_status`.
    package func requests(for path: String) -> [Request] {
        requests.filter { $0.isOfAuthctl && $0.path.hasSuffix("/\(path)") }
    }

    /// How long each request for such a path came after the one before, in seconds.
    package func pauses(between path: String) -> [Double] {
        let times = requests(for: path).map(\.seconds)
        return zip(times.dropFirst(), times).map { $0 - $1 }
    }

    /// A token of Limited Login, good for one hour and for one login; see `Tests/Servers/limited_login.py`.
    ///
    /// - Parameter claims: others than these, or what is wrong with it: `["exp": "-5"]`, `["signature": "wrong"]`.
    package func idToken(
        sub: String = "1001", aud: String = GraphServer.appID, _ claims: [String: String] = [:]
    ) throws -> String {
        let all = claims.merging(["sub": sub, "aud": aud]) { own, _ in own }
        let words = all.map { "\($0)=\($1)" }.sorted()
        let finished = try world.start(words, program: Servers.python("limited_login.py")).wait()
        guard finished.exitCode == 0 else { throw JSONDocument.Fault("no id token: \(finished.stderr)") }
        return String(finished.stdout.dropLast())
    }
}
