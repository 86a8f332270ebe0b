import TestSupport
import Testing

/// Every backend at the URL of every other kind of server.
@Suite(.sharedSites) struct WrongServerTests {
    enum Server: String, CaseIterable {
        case parse
        case restAuth = "rest-auth"
        case djRestAuth = "dj-rest-auth"
        case allauth, kii

        /// The backend for it.
        var backend: String { self == .djRestAuth ? "rest-auth" : rawValue }
    }

    /// Each URL of a server: its API's, and the origin.
    private static func urls(of server: Server) throws -> (urls: [String], owner: Any) {
        func with(_ url: String, _ owner: Any) -> (urls: [String], owner: Any) {
            ([url, url.split(separator: "/").prefix(2).joined(separator: "//")], owner)
        }
        switch server {
        case .parse:
            let program = try ServingProgram()
            return with(program.url, program)
        case .restAuth: return with(try SharedSites.server("none", .restAuth).url, ())
        case .djRestAuth: return with(try SharedSites.server("none", .djRestAuth).url, ())
        case .allauth: return with(try SharedSites.server("none", .allauth).url, ())
        case .kii:
            let server = try KiiServer()
            return with(server.url, server)
        }
    }

    @Test(arguments: [Server.parse, .restAuth, .djRestAuth, .allauth])
    func `profile add finds the kind of a server at its URL, and names the URL below its origin`(server: Server) throws
    {
        let world = try Sandbox()
        let (urls, owner) = try Self.urls(of: server)
        let words = ["profile", "add", "site", "--app-id", "local", "--json", "--server"]
        let named = try world.start(words + [urls[1]]).wait()
        #expect(named.exitCode == 2)
        #expect(try named.error().strings("hints")?.first?.contains("--server \(urls[0])") == true, "\(named.stderr)")
        let added = try world.start(words + [urls[0]]).wait()
        #expect(try added.document().object("item").string("backend") == server.backend, "\(added.everything)")
        withExtendedLifetime(owner) {}
    }

    @Test(arguments: Server.allCases)
    func `a backend at the URL of another kind of server reports a wrong endpoint`(server: Server) throws {
        let world = try Sandbox()
        let (urls, owner) = try Self.urls(of: server)
        for backend in ["parse", "rest-auth", "allauth", "kii"] where backend != server.backend {
            for url in urls {
                let place = ["AUTHCTL_BACKEND": backend, "AUTHCTL_SERVER": url, "AUTHCTL_APP_ID": "app1"]
                let login = try world.start(
                    ["login", "ada", "--password-stdin", "--json"], input: .password, environment: place
                ).wait()
                let whoami = try world.start(
                    ["whoami", "--json"], environment: place.merging(["AUTHCTL_TOKEN": "t0ken"]) { $1 }
                ).wait()
                for (name, result) in [("login", login), ("whoami", whoami)] {
                    #expect(result.exitCode == 8, "\(backend) at \(server), \(url): \(name): \(result.everything)")
                    #expect(
                        result.everything.contains(#""reason":"wrong-endpoint""#),
                        "\(backend) at \(server), \(url): \(name): \(result.everything)")
                }
            }
        }
        withExtendedLifetime(owner) {}
    }
}
