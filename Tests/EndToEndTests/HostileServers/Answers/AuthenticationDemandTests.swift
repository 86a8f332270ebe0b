import TestSupport
import Testing

/// Servers or gateways that require authentication. authctl tries no credentials and fails at once.
@Suite(.keepsSecrets) struct AuthenticationDemandTests {
    private static let demands = [
        ["Basic realm=\"canary\""], ["Negotiate"], ["Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\""],
        ["\u{1}=,,\"", ""],
    ]

    private static let page = "<html><body>Please log in</body></html>"

    @Test(arguments: [
        ("401 Unauthorized", "application/json", #"{"error":"unauthorized"}"#, 5 as Int32, "forbidden"),
        ("401 Unauthorized", "text/html", page, 5, "forbidden"), ("401 Unauthorized", "", "", 5, "forbidden"),
        ("403 Forbidden", "application/json", #"{"error":"unauthorized"}"#, 5, "bad-app-key"),
        ("403 Forbidden", "text/html", page, 5, "forbidden"), ("403 Forbidden", "", "", 5, "forbidden"),
    ])
    func `a 401 or 403 of a gateway does not reject the session and is not retried`(
        status: String, type: String, body: String, exit: Int32, reason: String
    ) throws {
        // Parse servers respond in JSON. For gateway pages, two demands are enough.
        let demands = type == "application/json" ? Self.demands : [Self.demands[0], []]
        let cases = demands.flatMap { demand in Operation.common.map { (demand, $0) } }
        let server = try ScriptedServer(
            cases.map { demand, _ in
                let fields = demand.map { "WWW-Authenticate: \($0)" } + (type.isEmpty ? [] : ["Content-Type: \(type)"])
                return .init(["*": [.answer(status, fields, body)]])
            })
        try run(cases, atOnce: 4) { number, one in
            let url = server.url("/parse", host: "localhost", listener: number)
            return try OperationRun(one.1, at: url, name: "\(one.0)")
        } then: { _, _, run in
            try run.failure(exit, reason)
        }
        let requests = server.requests
        for number in cases.indices { #expect(requests.to(number).count == 1, "\(cases[number])") }
        #expect(!requests.contains { $0.has("Authorization") })
    }

    /// The JSON of a gateway differs from that of the server behind it.
    @Test(arguments: ServerKind.allCases)
    func `a gateway's 401 is forbidden for every kind of server`(kind: ServerKind) throws {
        let answers = [("text/html", Self.page), ("application/json", #"{"message":"Unauthorized"}"#)]
        let cases = answers.flatMap { answer in kind.operations.map { (answer, $0) } }
        let server = try ScriptedServer(
            cases.map { answer, _ in
                let fields = Self.demands[0].map { "WWW-Authenticate: \($0)" } + ["Content-Type: \(answer.0)"]
                return .init(["*": [.answer("401 Unauthorized", fields, answer.1)]])
            })
        try run(cases, atOnce: 4) { number, one in
            let url = server.url("/api", host: "localhost", listener: number)
            return try OperationRun(one.1, at: url, name: "\(one.0)", kind: kind)
        } then: { _, _, run in
            try run.failure(5, "forbidden")
        }
        let requests = server.requests
        for number in cases.indices { #expect(requests.to(number).count == 1, "\(cases[number])") }
    }
}
