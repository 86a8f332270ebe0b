import Foundation
import Testing

/// The recorded responses of six Parse Servers, compared with the embedded server.
@Suite struct ExchangeTests {
    /// By endpoint with `EXCHANGE_REPORT=1` in the environment.
    private static let totals = [
        "8.2.2: 367 run, 324 same, 0 as 8.2.2, 43 intended",
        "7.1.0: 367 run, 321 same, 3 as 8.2.2, 43 intended",
        "6.5.11: 367 run, 312 same, 13 as 8.2.2, 42 intended",
        "5.6.0: 367 run, 305 same, 30 as 8.2.2, 32 intended",
        "4.10.20: 367 run, 284 same, 49 as 8.2.2, 34 intended",
        "3.10.0: 367 run, 280 same, 53 as 8.2.2, 34 intended",
    ]

    @Test func `the server answers as Parse Server did, except for the intended differences`() throws {
        let exchanges = try RecordedExchange.all()
        var report = ExchangeReport()
        var lines = IntendedDifferences.table.map { (line: $0, isUsed: false) }
        for version in RecordedExchange.versions {
            let replay = ExchangeReplay()
            for exchange in exchanges where exchange.answers.isEmpty || exchange.answers[version] != nil {
                guard let answer = try replay.run(exchange), case .exchange = exchange.kind else { continue }
                let verdict = verdict(answer.signature, exchange, version)
                report.count(exchange, version, verdict)
                guard verdict == .different else { continue }
                let index = lines.firstIndex { $0.line.covers(exchange.name) }
                if let index { lines[index].isUsed = true }
                #expect(
                    index != nil,
                    "\(exchange.name), \(version): \(exchange.answers[version] ?? ""), here \(answer.line.prefix(300))")
            }
            // A request with an unfilled placeholder may be rejected as recorded, and would prove nothing.
            #expect(replay.unfilled.isEmpty)
        }
        for (line, isUsed) in lines { #expect(isUsed, "'\(line.name)' no longer differs") }
        #expect(report.totals == Self.totals)
        if ProcessInfo.processInfo.environment["EXCHANGE_REPORT"] != nil { print(report.text) }
    }

    /// If the versions differ, 8.2.2 is the reference.
    private func verdict(
        _ signature: String, _ exchange: RecordedExchange, _ version: String
    ) -> ExchangeReport.Verdict {
        func agrees(_ version: String) -> Bool {
            guard let recorded = exchange.answers[version] else { return false }
            // A body too long for the recording: only the status is known.
            return recorded.hasSuffix("?")
                ? signature.hasPrefix(recorded.dropLast()) : signature == recorded
        }
        return agrees(version) ? .same : agrees("8.2.2") ? .asNewest : .different
    }

}
