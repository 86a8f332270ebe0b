import SQLite
import TestSupport
import Testing

/// Users of a Django server.
extension Sandbox {
    static let newPassword = "quite another one"

    /// A sandbox whose current profile `site` selects a server.
    convenience init(visiting url: String) throws {
        try self.init()
        try #require(try run("profile", "add", "site", "--backend", "rest-auth", "--server", url).exitCode == 0)
        try #require(try run("profile", "use", "site").exitCode == 0)
    }

    convenience init(visiting server: DjangoServer) throws {
        try self.init(visiting: server.url)
    }

    /// Signs up with an address of the same name, which also logs in.
    func join(_ name: String) throws {
        let signup = try signUp(name, "--email", "\(name)@example.com")
        try #require(signup.exitCode == 0, "\(signup.stderr)")
    }

    func changePassword(_ more: String...) throws -> Finished {
        let passwords: Input = "\(Sandbox.password)\n\(Sandbox.newPassword)\n"
        return try start(["password", "change", "--password-stdin"] + more, input: passwords).wait()
    }

    var siteFile: String { sessionFile("site") }

    /// The stored tokens, read without authctl.
    func storedPair() throws -> (access: String, refresh: String?) {
        let text = try text(siteFile)
        let access = try #require(text.firstMatch(of: /"token":"([^"]+)"/)?.1)
        return (String(access), text.firstMatch(of: /"refreshToken":"([^"]+)"/).map { String($0.1) })
    }
}

extension DjangoServer {
    /// Requests that the server received during `run`, without the mount path: `POST login/ 200`.
    func requests<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = requests.count
        let value = try run()
        let asked = requests.dropFirst(count).map { $0.replacing(/\ \/(dj-)?rest-auth\//, with: " ") }
        return (value, asked)
    }

    func accepts(_ access: String) throws -> Bool {
        try ask("GET", "user/", authorization: "Bearer \(access)").status == 200
    }

    /// Sends a refresh token and returns the response. A valid token is used up.
    func refresh(_ token: String) throws -> Answer {
        try post("token/refresh/", #"{"refresh":"\#(token)"}"#)
    }

    /// Number of valid refresh tokens of an account.
    func liveRefreshTokens(of name: String) throws -> Int64 {
        try DatabaseConnection(opening: "\(world.root)/database", busyTimeout: .seconds(5)).integer(
            """
            SELECT count(*) FROM token_blacklist_outstandingtoken AS token JOIN auth_user ON auth_user.id = user_id
            WHERE username = '\(name)'
                AND NOT EXISTS (SELECT * FROM token_blacklist_blacklistedtoken WHERE token_id = token.id)
            """)
    }
}

extension [String] {
    /// The refresh requests among the requests of a server.
    var refreshes: [String] { filter { $0.hasPrefix("POST token/refresh/") } }
}
