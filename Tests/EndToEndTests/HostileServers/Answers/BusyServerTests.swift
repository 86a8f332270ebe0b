import Foundation
import TestSupport
import Testing

/// Servers that respond with `Retry-After` or fail. Idempotent requests are retried within the time limit; others are
/// not.
@Suite(.keepsSecrets, .mostlyWaits) struct BusyServerTests {
    private struct Case {
        let status: String
        /// The value of `Retry-After`, if there is one.
        let asked: String?
        /// The seconds that the client reads there. The range allows for the time that passes before a date is read.
        let read: ClosedRange<Int>?
        let operation: Operation
        let kind: ServerKind

        var number: Int { Int(status.prefix(3)) ?? 0 }
        var fields: [String] { asked.map { ["Retry-After: \($0)"] } ?? [] }
        var body: String { #"{"error":"busy"}"# }
    }

    private static let statuses = ["429 Too Many Requests", "503 Service Unavailable"]

    private static func cases(_ asked: String?, _ read: ClosedRange<Int>?) -> [Case] {
        statuses.flatMap { status in
            ServerKind.allCases.flatMap { kind in
                // For all kinds except Parse, one idempotent operation and one other.
                (kind == .parse ? Operation.common : [.whoami, .login])
                    .map { Case(status: status, asked: asked, read: read, operation: $0, kind: kind) }
            }
        }
    }

    private static func date(in seconds: Double) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(timeIntervalSinceNow: seconds))
    }

    /// - Parameters:
    ///   - answers: the server's responses, in the order of the requests.
    ///   - end: checks the end of a run, and returns the expected number of requests.
    private func expect(
        _ cases: [Case], _ answers: (Case) -> [ScriptedServer.Answer], then end: (Case, OperationRun) throws -> Int
    ) throws {
        let server = try ScriptedServer(cases.map { .init(["*": answers($0)]) })
        var counts: [Int] = []
        try run(cases, atOnce: 16) { number, one in
            try OperationRun(
                one.operation, at: server.url("/api", host: "localhost", listener: number),
                name: "\(one.kind), \(one.status), \(one.asked ?? "nothing asked")", kind: one.kind)
        } then: { _, one, run in
            counts.append(try end(one, run))
        }
        let requests = server.requests
        for (number, one) in cases.enumerated() {
            // After a success, `whoami` also requests the expiry of a Parse session.
            let times = requests.to(number).filter { !$0.target.hasSuffix("/sessions/me") }.map(\.time)
            #expect(times.count == counts[number], "\(one)")
            let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
            let shortest = one.asked == "1" ? 1 : 0.05
            #expect(pauses.allSatisfy { $0 >= shortest }, "\(one): \(pauses)")
        }
    }

    @Test func `idempotent requests are retried after Retry-After`() throws {
        let cases = Self.cases("1", 1...1) + Self.cases(Self.date(in: 2), 0...2)
        try expect(cases) {
            [.answer($0.status, $0.fields, $0.body), $0.operation.goodAnswer(of: $0.kind)]
        } then: { one, run in
            guard one.operation.isIdempotent else {
                let error = try run.failure(9, "rate-limited")
                #expect(one.read?.contains(error.number("retryAfter") ?? -1) == true)
                #expect(error.number("http") == one.number)
                return 1
            }
            try run.success()
            return 2
        }
    }

    @Test func `idempotent requests are tried three times if Retry-After is in the past`() throws {
        try expect(Self.cases(Self.date(in: -3600), 0...0)) {
            [.answer($0.status, $0.fields)]
        } then: { one, run in
            let error = try run.failure(9, "rate-limited")
            #expect(error.number("retryAfter") == 0)
            return one.operation.isIdempotent ? 3 : 1
        }
    }

    @Test func `a Retry-After beyond the time limit fails at once`() throws {
        let cases = Self.cases("1000000000", nil) + Self.cases("31", nil)
        try expect(cases) {
            [.answer($0.status, $0.fields, $0.body)]
        } then: { one, run in
            let error = try run.failure(9, "rate-limited")
            #expect(error.number("retryAfter") == (one.asked == "31" ? 31 : 1_000_000_000))
            #expect(error.flag("retryable") == true)
            return 1
        }
    }

    @Test func `repeated Retry-After values use no more than the time limit`() throws {
        let server = try ScriptedServer(["*": [.answer("429 Too Many Requests", ["Retry-After: 2"])]])
        let run = try OperationRun(.whoami, at: server.url("/parse", host: "localhost"), ["--timeout", "3.9"])
        let error = try run.failure(9, "rate-limited")
        #expect(error.number("retryAfter") == 2)
        #expect(server.requests.count == 2)
    }

    @Test func `a busy server without Retry-After is reported by its status`() throws {
        let cases = ["-5", "soon", nil].flatMap { Self.cases($0, nil) }
        try expect(cases) {
            [.answer($0.status, $0.fields, $0.body)]
        } then: { one, run in
            let error = try run.failure(9, one.number == 429 ? "rate-limited" : "server-fault")
            #expect(error.isNull("retryAfter"))
            return one.operation.isIdempotent && one.number == 503 ? 3 : 1
        }
    }

    @Test(arguments: [
        ("text/html", "<html><head><title>Sorry</title></head><body>canary</body></html>"),
        ("application/json", #"{"code":1,"error":"Internal server error."}"#),
    ])
    func `idempotent requests are tried three times at a failing server`(type: String, body: String) throws {
        let statuses = [500, 502, 503, 504, 520]
        let cases = statuses.flatMap { status in
            ServerKind.allCases.flatMap { kind in
                // For all kinds except Parse, one status of each sort.
                kind != .parse && [504, 520].contains(status)
                    ? []
                    : kind.operations.map {
                        Case(status: "\(status) Sorry", asked: nil, read: nil, operation: $0, kind: kind)
                    }
            }
        }
        let isPage = type == "text/html"
        try expect(cases) {
            [.answer($0.status, ["Content-Type: \(type)"], body)]
        } then: { one, run in
            // For a signup, allauth also responds with a server error if it cannot send the mail.
            let isFault = isPage || one.kind == .allauth
            let isUnsure =
                one.operation == .signup && ([502, 504].contains(one.number) || isFault && one.number != 503)
            if isUnsure {
                let error = try run.failure(8, "outcome-unknown")
                #expect(error.string("hint")?.contains("authctl login") == true)
            } else {
                let error = try run.failure(9, "server-fault")
                #expect(error.number("http") == one.number)
            }
            return one.operation.isIdempotent ? 3 : 1
        }
    }

    @Test(arguments: ServerKind.allCases)
    func `mixed failures and dropped connections count as one series of three tries`(kind: ServerKind) throws {
        let server = try ScriptedServer(["*": [.answer("503 No"), [.reset], .answer("503 No"), [.reset], [.reset]]])
        try OperationRun(.whoami, at: server.url("/api", host: "localhost"), kind: kind).failure(9, "server-fault")
        #expect(server.requests.count == 3)
    }
}
