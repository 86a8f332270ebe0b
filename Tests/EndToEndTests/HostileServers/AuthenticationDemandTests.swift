import TestSupport
import Testing

/// Servers, or gateways before them, that want another authentication: nothing is tried, and the end comes at once.
@Suite(.keepsSecrets) struct AuthenticationDemandTests {
    private static let demands = [
        ["Basic realm=\"canary\""], ["Digest realm=\"a\", nonce=\"b\", qop=\"auth\", algorithm=MD5"], ["Negotiate"],
        ["Negotiate abc="], ["NTLM"], ["Bearer error=\"invalid_token\""], ["Token"], ["Basic realm=\"a\"", "Bearer"],
        ["Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\""], ["\u{1}=,,\"", ""], [],
    ]

    private static let page = "<html><body>Please log in</body></html>"

    @Test(arguments: [
        ("401 Unauthorized", "application/json", #"{"error":"unauthorized"}"#, 4 as Int32, "token-refused"),
        ("401 Unauthorized", "text/html", page, 4, "token-refused"),
        ("401 Unauthorized", "", "", 4, "token-refused"),
        ("403 Forbidden", "application/json", #"{"error":"unauthorized"}"#, 5, "bad-app-key"),
        ("403 Forbidden", "text/html", page, 5, "forbidden"), ("403 Forbidden", "", "", 5, "forbidden"),
    ])
    func `a refusal is final`(status: String, type: String, body: String, exit: Int32, reason: String) throws {
        // JSON is what a Parse server says; of what gateways say, two are enough.
        let demands = type == "application/json" ? Self.demands : [Self.demands[0], []]
        let cases = demands.flatMap { demand in Deed.common.map { (demand, $0) } }
        let server = try ScriptedServer(
            cases.map { demand, _ in
                let fields = demand.map { "WWW-Authenticate: \($0)" } + (type.isEmpty ? [] : ["Content-Type: \(type)"])
                return .init(["*": [.answer(status, fields, body)]])
            })
        try attempt(cases, atOnce: 4) { number, one in
            let url = server.url("/parse", host: "localhost", listener: number)
            return try Attempt(one.1, at: url, name: "\(one.0)")
        } then: { _, _, attempt in
            try attempt.failure(exit, reason, within: .seconds(2))
        }
        let requests = server.requests
        for number in cases.indices { #expect(requests.to(number).count == 1, "\(cases[number])") }
        #expect(!requests.contains { $0.has("Authorization") })
    }
}
