import SQLite
import TestSupport

/// Commands of a user, mostly on a Django site, and access to the files that they write.
extension Sandbox {
    static let newPassword = "quite another one"

    /// A sandbox whose current profile `site` selects a server.
    convenience init(visiting server: DjangoServer, as name: String? = nil) throws {
        self.init()
        keep(server)
        let backend = server.url.hasSuffix("rest-auth") ? "rest-auth" : "allauth"
        let added = try run("profile", "add", "site", "--backend", backend, "--server", server.url)
        try #require(added.exitCode == 0, "\(added.everything)")
        try #require(try run("profile", "use", "site").exitCode == 0)
        if let name { try join(name) }
    }

    /// Signs up with an e-mail address that begins with the name. The signup also logs in.
    func join(_ name: String) throws {
        let signup = try signUp(name, "--email", "\(name)@example.com")
        try #require(signup.exitCode == 0, "\(signup.stderr)")
    }

    func logIn(_ name: String, _ more: String..., password: String) throws -> Finished {
        try start(["login", name, "--password-stdin"] + more, input: "\(password)\n").wait()
    }

    func changePassword() throws -> Finished {
        try run("password", "change", "--password-stdin", input: "\(Sandbox.password)\n\(Sandbox.newPassword)\n")
    }

    var siteFile: String { sessionFile("site") }

    /// The file of a signup or login that waits for a code.
    var pendingFile: String { sessionFile("site", in: "\(sessionFolder)/pending") }

    /// The stored tokens, read without authctl.
    func storedPair() throws -> (access: String, refresh: String?) {
        let text = try text(siteFile)
        let outside = text.firstMatch(of: /"accessToken":"([^"]+)"/)
        let access = try #require((outside ?? text.firstMatch(of: /"token":"([^"]+)"/))?.1)
        return (String(access), text.firstMatch(of: /"refreshToken":"([^"]+)"/).map { String($0.1) })
    }

    func files(holding text: String) -> [String] {
        snapshot().filter { String(decoding: $0.value, as: UTF8.self).contains(text) }.map(\.key).sorted()
    }
}

extension DjangoServer {
    typealias Answer = ServingProgram.Answer

    static var needed: Comment { "\(absence)" }

    /// Returns the result of `run`, and the requests that the server answered meanwhile: `POST login/ 200` for a path
    /// below the mount path, `GET /api/items/ 200` for another path.
    func requests<Value>(during run: () throws -> Value) rethrows -> (value: Value, asked: [String]) {
        let count = requests.count
        let value = try run()
        let asked = requests.dropFirst(count).map {
            $0.replacing(/\ \/((dj-)?rest-auth|_allauth\/app\/v1)\//, with: " ")
        }
        return (value, asked)
    }

    /// Sends a request with curl.
    ///
    /// - Parameter authorization: the complete value of the header field.
    func ask(_ method: String = "GET", _ path: String, _ body: String? = nil, authorization: String? = nil) throws
        -> Answer
    {
        var words = [
            "-s", "-S", "--max-time", "20", "-X", method, "-w", "\n%{http_code}", "-H", "Accept: application/json",
        ]
        if let authorization { words += ["-H", "Authorization: \(authorization)"] }
        if let body { words += ["-H", "Content-Type: application/json", "--data-binary", body] }
        let finished = try world.start(words + ["\(url)/\(path)"], program: ["/usr/bin/curl"]).wait()
        try #require(finished.exitCode == 0, "\(method) \(path): \(finished.stderr)\(log)")
        return Answer(finished)
    }

    /// Whether dj-rest-auth accepts an access token.
    func accepts(_ access: String) throws -> Bool {
        try ask("GET", "user/", authorization: "Bearer \(access)").status == 200
    }

    /// Sends a refresh token to dj-rest-auth and returns the status. If the site rotates refresh tokens, a successful
    /// refresh invalidates the token.
    func refresh(_ token: String?) throws -> Int {
        try ask("POST", "token/refresh/", #"{"refresh":"\#(#require(token))"}"#).status
    }

    /// The number of valid refresh tokens of an account.
    func liveRefreshTokens(of name: String) throws -> Int64 {
        try DatabaseConnection(opening: "\(world.root)/database", busyTimeout: .seconds(5)).integer(
            """
            SELECT count(*) FROM token_blacklist_outstandingtoken AS token JOIN auth_user ON auth_user.id = user_id
            WHERE username = '\(name)'
                AND NOT EXISTS (SELECT * FROM token_blacklist_blacklistedtoken WHERE token_id = token.id)
            """)
    }

    func mails(to address: String) -> [Mail] { mails.filter { $0.text.hasPrefix("To: \(address)\n") } }

    /// The newest e-mail to an address.
    func mail(to address: String) throws -> Mail { try #require(mails(to: address).last) }
}
