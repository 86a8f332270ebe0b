import TestSupport
import Testing

/// A home folder of its own, whose profile `site`, the chosen one, leads to an application on what stands in for Kii.
struct KiiSite {
    let server: KiiServer
    let world: Sandbox
    let graph: GraphServer?

    /// - Parameter words: how the application is set up; see `Tests/Servers/kii.py`.
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

    /// Somebody else, or the same person elsewhere.
    func another() throws -> KiiSite { try KiiSite(at: server, graph: graph) }

    /// Makes an account that others work with, and logs in with it.
    func join(_ name: String = "ada", _ more: String...) throws {
        let signup = try world.start(["signup", name, "--password-stdin", "-q"] + more, input: .password).wait()
        try #require(signup.exitCode == 0, "\(signup.stderr)")
    }

    /// The same, by an account that was made before: such a session says when it ends.
    func joinAndLogIn(_ name: String = "ada") throws {
        try join(name)
        let login = try world.logIn(name, "-q")
        try #require(login.exitCode == 0, "\(login.stderr)")
    }

    /// What is asked while the program runs with these words.
    func requests(_ words: String..., input: Input = .password) throws -> (result: Finished, asked: [String]) {
        let (result, asked) = try server.requests { try world.start(words, input: input).wait() }
        return (result, asked)
    }

    /// Whether the service knows an access token: asked with another home folder.
    func accepts(_ token: String) throws -> Bool {
        let other = try another()
        let login = try other.world.start(["login", "--token-stdin"], input: "\(token)\n").wait()
        return login.exitCode == 0
    }
}
