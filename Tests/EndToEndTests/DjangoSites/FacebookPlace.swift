import AuthModel
import Foundation
import SQLite
import TestSupport
import Testing

/// The kinds of site that support Facebook identities, each with its kind of session.
enum FacebookPlace: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case restAuth = "rest-auth, keys"
    case djRestAuth = "dj-rest-auth, keys"
    case djRestAuthTokens = "dj-rest-auth, JWTs"
    case allauth = "allauth, session tokens"
    case allauthTokens = "allauth, JWTs"

    /// The sites that can check tokens of Limited Login.
    static let allauths: [Self] = [.allauth, .allauthTokens]
    static let restAuths: [Self] = [.restAuth, .djRestAuth, .djRestAuthTokens]

    var testDescription: String { rawValue }

    /// The server that the tests of a suite share.
    func server() throws -> DjangoServer {
        switch self {
        case .restAuth: try SharedSites.server("facebook", .restAuth)
        case .djRestAuth: try SharedSites.server("facebook")
        case .djRestAuthTokens: try SharedSites.server("facebook-jwt")
        case .allauth: try SharedSites.server("none", .allauth)
        case .allauthTokens: try SharedSites.server("jwt", .allauth)
        }
    }
}

/// A user of a site whose environment has the settings of the Facebook app.
struct FacebookVisitor {
    let place: FacebookPlace
    let server: DjangoServer
    let graph: GraphServer
    let world: Sandbox

    /// - Parameter story: the client token without its prefix; see `graph_devices.py`.
    init(_ place: FacebookPlace, _ story: String = "at-once", graph: GraphServer? = nil) throws {
        self.place = place
        server = try place.server()
        self.graph = try graph ?? #require(server.graph)
        world = try Sandbox()
        let kind = FacebookPlace.allauths.contains(place) ? "allauth" : "rest-auth"
        try #require(try world.run("profile", "add", "site", "--backend", kind, "--server", server.url).exitCode == 0)
        try #require(try world.run("profile", "use", "site").exitCode == 0)
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: self.graph.url)
        world.set("AUTHCTL_FACEBOOK_APP_ID", to: GraphServer.appID)
        world.set("AUTHCTL_FACEBOOK_CLIENT_TOKEN", to: "client-\(story)")
    }

    /// Requests that authctl sent to the Graph API during `run`: `GET /VERSION/me`.
    func questions<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = graph.requests.count
        let value = try run()
        return (value, graph.requests.dropFirst(count).filter(\.isOfAuthctl).map(\.line))
    }

    /// Requests that the site received during `run`, with paths below its base: `POST facebook/ 200`.
    func requests<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = server.requests.count
        let value = try run()
        let asked = server.requests.dropFirst(count).map {
            $0.replacing(/\ \/(dj-)?rest-auth\//, with: " ").replacing(" /_allauth/app/v1/", with: " ")
        }
        return (value, asked)
    }

    /// Starts a command and waits until it shows a code.
    func startWaiting(_ words: [String]) throws -> RunningProgram {
        let program = try world.start(words)
        for _ in 0..<400 where !program.errorSoFar.contains("7 minutes") { usleep(25_000) }
        return program
    }

    /// Whether no file of the home folder contains a value from Facebook.
    var keepsNothing: Bool {
        ["tok-", "secret-device-code", "client-", "eyJhbGciOiAiUlMyNTYi"].allSatisfy { world.files(holding: $0) == [] }
    }
}

extension DjangoServer {
    /// Deletes the e-mail address of an account in the site's database.
    func dropAddress(of name: String) throws {
        let database = try DatabaseConnection(opening: "\(world.root)/database", busyTimeout: .seconds(5))
        try database.execute(
            """
            DELETE FROM account_emailaddress WHERE user_id = (SELECT id FROM auth_user WHERE username = '\(name)');
            UPDATE auth_user SET email = '' WHERE username = '\(name)'
            """)
    }
}

extension GraphServer {
    /// The version in the requests of authctl.
    static let version = BackendSetting.facebookGraphVersion.standard ?? ""
}
