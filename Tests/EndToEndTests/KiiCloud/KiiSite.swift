import TestSupport
import Testing

/// A sandbox whose current profile `site` selects an application at a fake of Kii Cloud.
struct KiiSite {
    let server: KiiServer
    let world: Sandbox
    let graph: GraphServer?

    /// - Parameter words: the configuration of the application; see `Tests/Servers/kii.py`.
    init(_ words: String..., hasFacebook: Bool = false) throws {
        let server = try KiiServer(words)
        try self.init(at: server, graph: hasFacebook ? try GraphServer() : nil)
    }

    private init(at server: KiiServer, graph: GraphServer?) throws {
        self.server = server
        self.graph = graph
        world = try Sandbox()
        if let graph { world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url) }
        let added = try world.run(
            "profile", "add", "site", "--backend", "kii", "--server", server.url, "--app-id", KiiServer.appID)
        try #require(added.exitCode == 0, "\(added.everything)")
        try world.run("profile", "use", "site")
    }

    /// A second sandbox for the same application: another user, or another device.
    func another() throws -> KiiSite { try KiiSite(at: server, graph: graph) }

    /// Signs up, which also logs in.
    func join(_ name: String = "ada", _ more: String...) throws {
        let signup = try world.start(["signup", name, "--password-stdin", "-q"] + more, input: .password).wait()
        try #require(signup.exitCode == 0, "\(signup.stderr)")
    }

    /// Signs up and then logs in, because only the session of a login has an expiry.
    func joinAndLogIn(_ name: String = "ada") throws {
        try join(name)
        let login = try world.logIn(name, "-q")
        try #require(login.exitCode == 0, "\(login.stderr)")
    }

    /// Runs authctl and returns the requests that it sent.
    func requests(_ words: String..., input: Input = .password) throws -> (result: Finished, asked: [String]) {
        let (result, asked) = try server.requests { try world.start(words, input: input).wait() }
        return (result, asked)
    }

    /// Whether the service accepts an access token, tried from another sandbox.
    func accepts(_ token: String) throws -> Bool {
        let other = try another()
        let login = try other.world.start(["login", "--token-stdin"], input: "\(token)\n").wait()
        return login.exitCode == 0
    }
}
