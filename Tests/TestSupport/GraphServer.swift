import Foundation

/// A fake of Facebook's Graph API that also provides ID tokens. It stops when the last reference is released.
///
/// Responses depend on the secrets in a request: `Tests/Servers/graph_people.py` lists the tokens of users,
/// `graph_devices.py` the client tokens. If a user revokes the app's permissions, the user's tokens stay invalid until
/// the server stops.
package final class GraphServer: Sendable {
    package struct Request: Sendable, Equatable, Decodable {
        package let method: String
        /// The path with the API version, without the query.
        package let path: String
        package let status: Int?
        /// The time of receipt, in seconds since the start of the server.
        package let seconds: Double
        /// Whether the path or the query contained a secret, such as a token, a code or a proof.
        package let hasSecretInURL: Bool
        package let agent: String?

        /// Whether authctl sent the request. Django sites send requests too, with tokens in URLs.
        package var isOfAuthctl: Bool { agent?.hasPrefix("authctl/") == true }

        private enum CodingKeys: String, CodingKey {
            case method, path, status, seconds, agent
            case hasSecretInURL = "secretInURL"
        }
    }

    package static let appID = "1000"

    /// The base URL, without an API version.
    package let url: String
    private let world: Sandbox
    private let program: ServingScript

    package init() throws {
        world = Sandbox()
        program = try ServingScript(Servers.python("graph.py") + ["\(world.root)/record"], in: world)
        url = program.url
    }

    /// The requests so far, in the order of the responses.
    package var requests: [Request] {
        let text = (try? world.text("\(world.root)/record")) ?? ""
        return text.split(separator: "\n").compactMap {
            // `try?` skips a line that the server is still writing, because its request has no response yet.
            try? JSONDecoder().decode(Request.self, from: Data($0.utf8))
        }
    }

    /// The requests that authctl has sent so far to paths that end with `path`, such as `device/login_status`.
    package func requests(for path: String) -> [Request] {
        requests.filter { $0.isOfAuthctl && $0.path.hasSuffix("/\(path)") }
    }

    /// An ID token; by default a token of Limited Login, valid for one login within one hour. See
    /// `Tests/Servers/limited_login.py`.
    ///
    /// - Parameter claims: values that replace the defaults, or defects: `["exp": "-5"]`, `["signature": "wrong"]`.
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
