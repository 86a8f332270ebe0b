import TestSupport
import Testing

/// A sandbox whose current profile `site` selects a site with allauth's headless API.
struct AllauthSite {
    let server: DjangoServer
    let world: Sandbox

    /// Uses the server that the tests of this suite share.
    init(_ mode: String, environment: [String: String] = [:]) throws {
        try self.init(at: SharedSites.server(mode, .allauth, environment: environment))
    }

    init(at server: DjangoServer) throws {
        self.server = server
        world = try Sandbox()
        let added = try world.run("profile", "add", "site", "--backend", "allauth", "--server", server.url)
        try #require(added.exitCode == 0, "\(added.everything)")
        try world.run("profile", "use", "site")
    }

    /// A second sandbox for the same site: another user, or another device.
    func another() throws -> AllauthSite { try AllauthSite(at: server) }

    static func address(_ name: String) -> String { "\(name)@example.com" }

    @discardableResult
    func signUp(_ name: String, _ more: String..., password: String = Sandbox.password) throws -> Finished {
        let words = ["signup", name, "--email", Self.address(name), "--password-stdin"]
        return try world.start(words + more, input: "\(password)\n").wait()
    }

    @discardableResult
    func signUp(email: String, _ more: String..., password: String = Sandbox.password) throws -> Finished {
        try world.start(["signup", "--email", email, "--password-stdin"] + more, input: "\(password)\n").wait()
    }

    /// Signs up, which also logs in.
    func join(_ name: String) throws {
        let signup = try signUp(name, "-q")
        try #require(signup.exitCode == 0, "\(signup.stderr)")
    }

    @discardableResult
    func logIn(_ name: String, _ more: String..., password: String = Sandbox.password) throws -> Finished {
        try world.start(["login", name, "--password-stdin"] + more, input: "\(password)\n").wait()
    }

    func changePassword(_ more: String..., from current: String, to new: String) throws -> Finished {
        try world.start(["password", "change", "--password-stdin"] + more, input: "\(current)\n\(new)\n").wait()
    }

    /// The newest mail to an address.
    func mail(to address: String) throws -> DjangoServer.Mail {
        try #require(mails(to: address).last)
    }

    func mails(to address: String) -> [DjangoServer.Mail] {
        server.mails.filter { $0.text.hasPrefix("To: \(address)\n") }
    }

    /// The code in the newest mail to an address.
    func code(to address: String) throws -> String { try #require(try mail(to: address).code) }

    /// Requests that the site received during `run`, without the mount path: `POST auth/login 200`.
    func requests<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = server.requests.count
        let value = try run()
        return (value, server.requests.dropFirst(count).map { $0.replacing(" \(server.url.path)/", with: " ") })
    }

    var token: String { get throws { try world.token("site") } }

    /// The file of a signup or login that waits for a code.
    var pendingFile: String { world.sessionFile("site", in: "\(world.sessionFolder)/pending") }

    func pendingToken() throws -> String {
        String(try #require(world.text(pendingFile).firstMatch(of: /"token":"([^"]+)"/)?.1))
    }
}

extension DjangoServer {
    /// The response to a session token.
    func session(_ token: String) throws -> Answer {
        try ask("GET", "auth/session", options: ["-H", "X-Session-Token: \(token)"])
    }
}

extension String {
    /// The path of a URL.
    fileprivate var path: String {
        let rest = drop { $0 != "/" }.dropFirst(2)
        return String(rest.drop { $0 != "/" })
    }
}
