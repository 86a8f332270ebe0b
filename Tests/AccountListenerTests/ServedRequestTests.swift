import Expectations
import JSON
import LibC
import Platform
import Transport

@testable import AccountListener
@testable import AccountServer

/// Requests to an account server in memory over connections to its listener.
@Suite struct ServedRequestTests {
    private let service: HTTPService
    private let controls: TestControls
    private let port: Int

    init() throws {
        let listener = try HTTPListener(ListenerSettings(port: 0))
        var settings = ServerSettings(
            database: nil, baseURL: "\(listener.origin)/parse", applicationID: "test-app", passwordCost: .minimum)
        let database = GuardedDatabase(try AccountDatabase.open(nil, busyTimeout: .zero))
        controls = TestControls(origin: listener.origin, settings, database: database)
        settings.clock = controls.wallClock
        settings.mail = controls.recording(nil)
        let routes = ParseRoutes(settings, database: database)
        service = HTTPService(
            settings: ListenerSettings(port: 0), gate: RequestGate(port: listener.port, allowedOrigins: []),
            origin: listener.origin, routes: routes, controls: controls)
        port = listener.port
        listener.prepare(routes, database: nil, controls: controls)
        // The thread ends with the process.
        nonisolated(unsafe) let running = listener
        #expect(NativeThread.start(stackSize: 512 << 10) { try? running.run() })
    }

    @Test func `the listener passes a request of every route on to the route`() throws {
        for route in Route.table {
            let path = route.path.map { $0 == ":app" ? "test-app" : $0.hasPrefix(":") ? "x" : $0 }.joined(
                separator: "/")
            let answer = try ask("\(route.method.rawValue) /parse/\(path)", "{}")
            #expect(answer.status > 0 && answer.status != 501, "\(route.method.rawValue) \(path)")
            #expect(!answer.body.contains("<pre>Cannot"), "\(route.method.rawValue) \(path)")
        }
    }

    @Test func `every test control works over HTTP`() throws {
        let user = try ask("POST /parse/users", #"{"username":"ada","password":"pw","email":"a@b.example"}"#).json
        let id = try #require(user?["objectId"]?.string)
        let path = controls.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        let copy = try #require(try ask("POST \(path)/snapshots").json?["id"]?.string)
        for (request, body, expected) in [
            ("PATCH users/\(id)", #"{"emailVerified":true}"#, "200 {}"),
            ("GET mails?to=a@b.example", "", "200 {\"items"),
            ("GET mails", "", "200 {\"items"), ("POST clock", #"{"advanceSeconds":1}"#, "200 {\"time"),
            ("POST snapshots", "", "201 {\"id"), ("POST snapshots/\(copy)/restore", "", "200 {}"),
            ("PUT faults", #"[{"route":"GET /health","status":503}]"#, "200 {}"), ("DELETE users", "", "200 {}"),
            ("PUT users", "", "405 "), ("PATCH users/none", #"{"emailVerified":true}"#, "404 "),
            ("GET none", "", "404 "),
        ] {
            let answer = try ask(request.replacing(" ", with: " \(path)/"), body)
            #expect("\(answer.status) \(answer.body)".hasPrefix(expected), "\(request): \(answer)")
        }
        try expect(ask("GET /parse/health").status, 503)
        try expect(ask("POST /parse/login", #"{"username":"ada","password":"pw"}"#).status, 404)
    }

    @Test func `a client that reads nothing of its response is cut off, and its response is released`() throws {
        for number in 1...3 {
            let text = String(repeating: "x", count: 1_000_000)
            let body = #"{"username":"u\#(number)","password":"pw","ACL":{"*":{"read":true}},"text":"\#(text)"}"#
            try expect(ask("POST /parse/users", body).status, 201)
        }
        var pair: [Int32] = [0, 0]
        expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair), 0)
        defer { close(pair[0]) }
        service.connections.open(pair[1])
        #expect(ClientConnection.serve(pair[1], by: service))
        try send(request("GET /parse/users", ""), to: pair[0])
        // The time begins with the response, because a busy machine takes seconds to list the users.
        var response = pollfd(fd: pair[0], events: Int16(POLLIN), revents: 0)
        expect(poll(&response, 1, 30_000), 1)
        let start = monotonicNow()
        service.connections.waitForEnd(atMost: .seconds(20))
        #expect(monotonicNow() - start < .seconds(15))
        // Nothing is queued any more.
        #expect(service.connections.queue(ListenerSettings.mostQueued * 2))
    }

    @Test func `the responses that clients have not read are limited in all, but small ones do not count`() {
        let connections = Connections()
        #expect(connections.queue(40 << 20) && !connections.queue(25 << 20) && connections.queue(24 << 20))
        #expect(connections.queue(ListenerSettings.smallResponse) && !connections.queue(1 << 20))
        connections.unqueue(ListenerSettings.smallResponse)
        connections.unqueue(24 << 20)
        #expect(connections.queue(20 << 20))
    }

    // MARK: - A client

    private func request(_ line: String, _ body: String) -> String {
        """
        \(line) HTTP/1.1\r\nHost: localhost:\(port)\r\nX-Parse-Application-Id: test-app\r
        Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)
        """
    }

    private func send(_ text: String, to socket: Int32) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
            try #require(count > 0)
            rest = rest.dropFirst(count)
        }
    }

    private func ask(_ line: String, _ body: String = "") throws -> (status: Int, body: String, json: JSONValue?) {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) } == 0
        }
        try #require(isConnected)
        try send(request(line, body), to: client)
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while case let count = read(client, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
        let response = parts.count == 2 ? parts[1] : ""
        return (Int(text.dropFirst(9).prefix(3)) ?? 0, response, try? JSONValue(parsing: response.utf8))
    }
}
