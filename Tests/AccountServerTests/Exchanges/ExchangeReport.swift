/// The number of exchanges and their results, by endpoint and by version.
struct ExchangeReport {
    enum Verdict {
        case same
        /// The version differs from 8.2.2, and the embedded server responds like 8.2.2.
        case asNewest
        case different
    }

    struct Counts: Equatable {
        var same = 0
        var asNewest = 0
        var different = 0

        var run: Int { same + asNewest + different }
        var text: String { "\(run) run, \(same) same, \(asNewest) as 8.2.2, \(different) intended" }
    }

    private var byEndpoint: [String: Counts] = [:]
    private var byVersion: [String: Counts] = [:]
    private var skipped: [String: Int] = [:]

    mutating func count(_ exchange: RecordedExchange, _ version: String, _ verdict: Verdict) {
        for path in [\ExchangeReport.byEndpoint[exchange.endpoint], \.byVersion[version]] {
            var counts = self[keyPath: path] ?? Counts()
            switch verdict {
            case .same: counts.same += 1
            case .asNewest: counts.asNewest += 1
            case .different: counts.different += 1
            }
            self[keyPath: path] = counts
        }
    }

    mutating func skip(_ exchange: RecordedExchange, _ version: String) {
        if case .skipped(let reason) = exchange.kind { skipped[reason, default: 0] += 1 }
    }

    var totals: [String] {
        RecordedExchange.versions.map { "\($0): \((byVersion[$0] ?? Counts()).text)" }
            + ["skipped: \(skipped.values.reduce(0, +))"]
    }

    var text: String {
        let endpoints = byEndpoint.sorted { ($1.value.run, $0.key) < ($0.value.run, $1.key) }
        return
            (totals + endpoints.map { "\($0.key): \($0.value.text)" }
            + skipped.sorted { $0.key < $1.key }.map { "skipped, \($0.key): \($0.value)" })
            .joined(separator: "\n")
    }
}
