import Expectations
import JSON
import Transport

@testable import AccountServer

@Suite struct FaultTests {
    private let server: ControlledServer

    init() throws {
        server = try ControlledServer(isInMemory: true)
    }

    private func set(_ faults: String) throws {
        let answer = try server.control(.put, "faults", faults)
        expect(answer.line, "200 {}")
    }

    /// The status of the injected fault for each of `count` logins; 0 for a login without a fault, 200 for a fault that
    /// only delays the login.
    private func logIns(_ count: Int) -> [Int] {
        (0..<count).map { _ in server.fault(.post, "/login").map { $0.response?.status ?? 200 } ?? 0 }
    }

    @Test func `no request fails if the fault list is missing or empty`() throws {
        #expect(server.fault(.post, "/login") == nil)
        try set(#"[{"route":"POST /login","status":503}]"#)
        expect(server.fault(.post, "/login")?.response?.status, 503)
        try set("[]")
        #expect(server.fault(.post, "/login") == nil)
    }

    @Test func `an injected fault occurs only at its route`() throws {
        try set(#"[{"route":"PUT /users/*","status":500},{"route":"* /health","status":502}]"#)
        expect(server.fault(.put, "/users/abc")?.response?.status, 500)
        expect(server.fault(.get, "/health")?.response?.status, 502)
        for (method, path) in [
            (HTTPRequest.Method.get, "/users/abc"), (.put, "/users"), (.put, "/users/a/b"), (.put, "/login"),
        ] {
            #expect(server.fault(method, path) == nil)
        }
        try set(#"[{"route":"* *","status":500}]"#)
        expect(server.fault(.delete, "/sessions/1")?.response?.status, 500)
        let elsewhere = HTTPRequest(.post, "\(ControlledServer.origin)/login")
        #expect(server.controls.fault(of: elsewhere) == nil)
    }

    @Test func `an injected fault at a GET route matches a POST request whose _method member is GET`() throws {
        try set(#"[{"route":"GET /users/me","status":500}]"#)
        expect(server.fault(.post, "/users/me", #"{"_method":"GET"}"#)?.response?.status, 500)
        #expect(server.fault(.post, "/users/me", "{") == nil)
    }

    @Test func `an injected fault with a delay needs no status`() throws {
        try set(#"[{"route":"POST /login","delayMs":250}]"#)
        let fault = try #require(server.fault(.post, "/login"))
        #expect(fault.delay == .milliseconds(250) && fault.response == nil)
    }

    @Test func `faults with the same seed make the same requests fail`() throws {
        let faults = #"[{"route":"POST /login","rate":0.5,"status":503,"seed":7}]"#
        try set(faults)
        let first = logIns(200)
        #expect(first.count(where: { $0 == 503 }) > 60 && first.contains(0))
        try set(faults)
        expect(logIns(200), first)
        // The random numbers are part of the interface: a seed must select the same requests in every authctl version.
        expect(first.prefix(12), [503, 503, 0, 0, 503, 503, 503, 503, 503, 503, 503, 0])
        try set(#"[{"route":"POST /login","rate":0.5,"status":503,"seed":8}]"#)
        #expect(logIns(200) != first)
    }

    @Test func `the failures that a seed selects do not depend on other requests or other faults`() throws {
        let fault = #"{"route":"POST /login","rate":0.5,"status":503,"seed":7}"#
        try set("[\(fault)]")
        let expected = logIns(50)
        try set(#"[{"route":"* *","rate":0.3,"status":500,"seed":1},\#(fault)]"#)
        var mixed: [Int] = []
        for _ in 0..<50 {
            _ = server.fault(.get, "/users/me")
            mixed += logIns(1)
        }
        let isAlike = zip(expected, mixed).allSatisfy { $1 == 500 || $0 == $1 }
        #expect(isAlike && mixed.contains(500))
    }

    @Test func `an injected fault with rate 0 never occurs, and a fault with rate 1 always occurs`() throws {
        try set(
            #"[{"route":"POST /login","rate":0,"status":500},{"route":"POST /login","rate":1,"status":503}]"#)
        expect(Set(logIns(100)), [503])
    }

    @Test(arguments: [
        (500, #"{"code":1,"message":"Internal server error."}"#), (404, #"{"code":101,"error":"Object not found."}"#),
        (429, #"{"code":100,"error":"Too many requests."}"#), (403, #"{"error":"unauthorized"}"#),
        (503, #"{"error":"Service Unavailable"}"#), (418, #"{"error":"status 418"}"#),
    ])
    func `an injected fault has Parse Server's body for its status; other statuses get a default body`(
        status: Int, body: String
    ) throws {
        try set(#"[{"route":"POST /login","status":\#(status)}]"#)
        let response = try #require(server.fault(.post, "/login")?.response)
        expect(Answer(response).line, "\(status) \(body)")
        try set(#"[{"route":"GET /login","status":\#(status)}]"#)
        expect(server.fault(.head, "/login")?.response?.body, [])
    }

    @Test(arguments: [
        "", "{}", "[1]", "[{}]", #"[{"route":"POST /login"}]"#, #"[{"route":"/login","status":500}]"#,
        #"[{"route":"POST login","status":500}]"#, #"[{"route":1,"status":500}]"#,
        #"[{"route":"POST /login","status":200}]"#, #"[{"route":"POST /login","status":600}]"#,
        #"[{"route":"POST /login","status":"500"}]"#, #"[{"route":"POST /login","delayMs":-1}]"#,
        #"[{"route":"POST /login","delayMs":60001}]"#, #"[{"route":"POST /login","delayMs":1e300}]"#,
        #"[{"route":"POST /login","status":500,"rate":1.1}]"#, #"[{"route":"POST /login","status":500,"rate":-1}]"#,
        #"[{"route":"POST /login","status":500,"seed":1.5}]"#, #"[{"route":"POST /login","status":500,"delay":5}]"#,
    ])
    func `an invalid fault list is rejected, and the earlier list stays in effect`(faults: String) throws {
        try set(#"[{"route":"POST /login","status":503}]"#)
        let answer = try server.control(.put, "faults", faults)
        #expect(answer.status == 400 && answer.keys == ["error"])
        expect(logIns(1), [503])
    }

    @Test func `a fault list with too many faults is rejected`() throws {
        func list(_ count: Int) -> String {
            "[\(Array(repeating: #"{"route":"POST /login","status":500}"#, count: count).joined(separator: ","))]"
        }
        try set(list(FaultRule.mostRules))
        try expect(server.control(.put, "faults", list(FaultRule.mostRules + 1)).status, 400)
    }
}
