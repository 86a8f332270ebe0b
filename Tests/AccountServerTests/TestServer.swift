import Foundation
import JSON
import Platform
import Transport

@testable import AccountServer

/// An embedded server, by default with a new database, cheap password hashes and a clock that stands still.
struct TestServer {
    let folder: TestFolder
    let transport: EmbeddedTransport
    var database: String { folder.path("accounts.db") }

    init(
        in folder: TestFolder? = nil, clock: WallClock = .fixed(TestServer.start), cost: PasswordCost = .minimum,
        randomness: Randomness = .system, busyTimeout: Duration = .seconds(10),
        adjust: (inout ServerSettings) -> Void = { _ in }
    ) throws {
        let folder = folder ?? TestFolder()
        self.folder = folder
        var settings = ServerSettings(
            database: folder.database(), baseURL: "local:/parse", applicationID: "test-app", clock: clock,
            randomness: randomness, passwordCost: cost, busyTimeout: busyTimeout)
        adjust(&settings)
        transport = EmbeddedTransport(settings)
    }

    /// 2026-01-02T03:04:05.678Z
    static let start = Instant(milliseconds: 1_767_323_045_678)

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil,
        headers: HTTPHeaders = [:]
    ) throws -> Answer {
        Answer(try transport.send(.test(method, path, body, token: token, headers: headers)))
    }

    @discardableResult
    func signUp(_ username: String, password: String = "pw", email: String? = nil) throws -> Answer {
        var body: JSONObject = ["username": .string(username), "password": .string(password)]
        if let email { body["email"] = .string(email) }
        return try send(.post, "/users", JSONValue.object(body).text)
    }

    func logIn(_ username: String, password: String = "pw") throws -> Answer {
        let body: JSONValue = ["username": .string(username), "password": .string(password)]
        return try send(.post, "/login", body.text)
    }
}

extension HTTPRequest {
    static func test(
        _ method: Method, _ path: String, _ body: String? = nil, token: String? = nil, headers: HTTPHeaders = [:]
    ) -> HTTPRequest {
        var all: HTTPHeaders = ["X-Parse-Application-Id": "test-app"]
        if body != nil { all["Content-Type"] = "application/json" }
        if let token { all["X-Parse-Session-Token"] = token }
        for field in headers.fields { all[field.name] = field.value }
        return HTTPRequest(method, "local:/parse" + path, headers: all, body: body.map { Array($0.utf8) })
    }
}

extension ParseRoutes {
    /// Parse routes on a new database connection, with the work limits of `authctl serve` on 8 processors.
    convenience init(serving settings: ServerSettings, busyTimeout: Duration = .seconds(10)) throws {
        var settings = settings
        settings.limits = WorkLimits(processors: 8)
        let connection = try AccountDatabase.open(settings.database, busyTimeout: busyTimeout)
        self.init(settings, database: GuardedDatabase(connection))
    }

    /// Answers a request, and counts the password hashes that the routes compute or compare.
    ///
    /// - Parameter interrupt: called before each hash or comparison, after the database has been read.
    func run(
        _ request: HTTPRequest, interrupt: @escaping @Sendable () -> Void = {}
    ) throws -> (answer: Answer, hashes: Int) {
        let hashes = Monitor(0)
        var settings = settings
        settings.willHash = {
            hashes.change { $0 += 1 }
            interrupt()
        }
        let routes = ParseRoutes(settings, database: database)
        return (Answer(try routes.answer(to: request)), hashes.change { $0 })
    }
}

/// A response with its parsed body.
struct Answer {
    let response: HTTPResponse
    let json: JSONValue?

    init(_ response: HTTPResponse) {
        self.response = response
        json = try? JSONValue(parsing: response.body)
    }

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    var code: Int64? { json?["code"]?.integer }
    var token: String? { json?["sessionToken"]?.string }
    var id: String? { json?["objectId"]?.string }
    /// Status and body, such as `404 {"code":101,...}`, for comparison with tables of expected responses.
    var line: String { "\(status) \(text)" }
    /// The names of the members, in their order in the body.
    var keys: [String] { json.map { $0.object?.names.sorted { position($0) < position($1) } ?? [] } ?? [] }

    private func position(_ name: String) -> String.Index {
        text.range(of: "\"\(name)\":")?.lowerBound ?? text.endIndex
    }
}

/// A temporary folder that is deleted when the last reference is released.
final class TestFolder: Sendable {
    let path: String

    init() {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("accounts-\(UUID().uuidString)")
        // `try!`: without a temporary folder, no test can run.
        try! FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var place: PrivateFolder { PrivateFolder(path: path) }

    func database(in subfolder: String? = nil) -> FileLocation {
        FileLocation(folder: subfolder.map { place.subfolder($0) } ?? place, name: "accounts.db")
    }

    func path(_ name: String) -> String { path + "/" + name }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return (attributes[.posixPermissions] as? Int) ?? -1
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }
}
