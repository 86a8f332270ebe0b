import Foundation

/// A fake of Facebook's Graph and of its ID tokens. Stops with its last reference.
///
/// Responses depend on the secrets in a request: `Tests/Servers/graph_people.py` lists the tokens of users,
/// `graph_devices.py` the client tokens. The tokens of a user who revokes the app's permissions stay invalid as long as
/// the server runs.
package final class GraphServer: Sendable {
    package struct Request: Sendable, Equatable, Decodable {
        package let method: String
        /// Includes the version, but not the query.
        package let path: String
        /// `nil`: the server closed the connection without a response.
        package let status: Int?
        /// Since the start of the server.
        package let seconds: Double
        /// Whether the path or the query contained a token, a code or a proof.
        package let hasSecretInURL: Bool
        package let agent: String?

        /// Whether authctl sent the request. Django sites send requests too, with tokens in URLs.
        package var isOfAuthctl: Bool { agent?.hasPrefix("authctl/") == true }

        /// Method and path, such as `POST /VERSION/device/login`.
        package var line: String { "\(method) \(path)" }

        private enum CodingKeys: String, CodingKey {
            case method, path, status, seconds, agent
            case hasSecretInURL = "secretInURL"
        }
    }

    package static let appID = "1000"

    /// Without a version.
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package init() throws {
        world = try Sandbox()
        program = try ServingScript(Servers.python("graph.py") + ["\(world.root)/record"], in: world)
        url = program.url
    }

    /// The requests so far, in the order of the responses.
    package var requests: [Request] {
        // `try?`: an incomplete line belongs to a request without a response yet.
        let text = (try? world.text("\(world.root)/record")) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    /// authctl's requests so far whose path ends like this: `device/login_status`.
    package func requests(for path: String) -> [Request] {
        requests.filter { $0.isOfAuthctl && $0.path.hasSuffix("/\(path)") }
    }

    /// A token of Limited Login, valid for one hour and for one login; see `Tests/Servers/limited_login.py`.
    ///
    /// - Parameter claims: other values than the defaults, or defects: `["exp": "-5"]`, `["signature": "wrong"]`.
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
