import Expectations
import Foundation
import JSON
import Platform
import SQLite
import Transport

@testable import AccountServer

/// Parse routes and test controls that share a new database and use cheap password hashes.
final class ControlledServer {
    static let origin = "http://127.0.0.1:4711"

    let folder: TestFolder?
    let controls: TestControls
    let database: DatabaseConnection
    private let routes: ParseRoutes

    /// - Parameter next: a mail outlet that also gets the recorded e-mails.
    init(isInMemory: Bool = false, next: (any MailOutlet)? = nil, time: SharedTime = SharedTime()) throws {
        folder = isInMemory ? nil : TestFolder()
        var settings = ServerSettings(
            database: folder?.database(), baseURL: "\(Self.origin)/parse", applicationID: "test-app",
            clock: WallClock { time.now }, passwordCost: .minimum)
        settings.throttle = Throttle(.loginsOnly)
        database = try AccountDatabase.open(settings.database, busyTimeout: .seconds(10))
        let shared = GuardedDatabase(database)
        controls = TestControls(origin: Self.origin, settings, database: shared)
        settings.clock = controls.wallClock
        settings.mail = controls.recording(next)
        routes = ParseRoutes(settings, database: shared)
    }

    /// Sends a request to the test controls. `path` is relative to the secret path of the test controls.
    func control(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, headers: HTTPHeaders = [:]
    ) throws -> Answer {
        let request = HTTPRequest(
            method, "\(controls.url)/\(path)", headers: headers, body: body.map { Array($0.utf8) })
        try #require(controls.areAddressed(by: request))
        return Answer(try controls.answer(to: request))
    }

    /// Sends a request directly to the Parse routes, without injected faults.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil
    ) throws -> Answer {
        Answer(try routes.answer(to: parseRequest(method, path, body, token: token)))
    }

    func fault(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) -> Fault? {
        controls.fault(of: parseRequest(method, path, body))
    }

    private func parseRequest(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, token: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest.test(method, path, body, token: token)
        request.url = "\(Self.origin)/parse\(path)"
        return request
    }

    func signUp(_ name: String, email: String? = nil) throws -> Answer {
        let email = email.map { #","email":"\#($0)""# } ?? ""
        return try send(.post, "/users", #"{"username":"\#(name)","password":"pw"\#(email)}"#)
    }

    func logIn(_ name: String) throws -> Answer {
        try send(.post, "/login", #"{"username":"\#(name)","password":"pw"}"#)
    }

    func me(_ token: String?) throws -> Answer { try send(.get, "/users/me", token: token) }

    func requestReset(_ email: String) throws -> Answer {
        try send(.post, "/requestPasswordReset", #"{"email":"\#(email)"}"#)
    }

    /// The recorded e-mails that match the query, the oldest first.
    func mails(_ query: String = "") throws -> [JSONObject] {
        let items = try #require(try control(.get, "mails\(query)").json?["items"]?.array)
        return items.compactMap(\.object)
    }

    func snapshot() throws -> String {
        let answer = try control(.post, "snapshots")
        expect(answer.status, 201)
        return try #require(answer.json?["id"]?.string)
    }
}
