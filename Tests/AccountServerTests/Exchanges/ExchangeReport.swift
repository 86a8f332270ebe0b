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

    var totals: [String] {
        RecordedExchange.versions.map { "\($0): \((byVersion[$0] ?? Counts()).text)" }
    }

    var text: String {
        let endpoints = byEndpoint.sorted { ($1.value.run, $0.key) < ($0.value.run, $1.key) }
        return (totals + endpoints.map { "\($0.key): \($0.value.text)" }).joined(separator: "\n")
    }
}
