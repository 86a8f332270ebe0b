import TestSupport
import Testing

/// An encrypted answer that tells its length by its end, and that somebody on the way ends early: without its last
/// brace it is none, and without the farewell of TLS it can't be told from one that is whole.
@Suite(.keepsSecrets) struct CutOffTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

    @Test(arguments: ServerKind.allCases)
    func `half of it is none, and nothing is stored`(kind: ServerKind) throws {
        let deeds = kind.deeds.filter { $0 != .logout }
        let server = try ScriptedServer(
            deeds.map { deed in
                let half = deed.goodBody(of: kind).dropLast()
                return .init(
                    ["*": [[.send(Self.head + half), .pause(0.02), .close]]], certificate: TestAuthority.path("good"))
            })
        try attempt(deeds) { number, deed in
            let url = server.url("/api", scheme: "https", host: "localhost", listener: number)
            return try Attempt(deed, at: url, ["--ca-cert", TestAuthority.file], kind: kind)
        } then: { number, _, attempt in
            let error = try attempt.failure(8, "broken-answer")
            #expect(error.number("http") == 200)
            #expect(server.requests.to(number).count == 1)
        }
    }
}
