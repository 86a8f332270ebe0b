import Platform

/// How text output shows times: relative to now on a terminal, RFC 3339 elsewhere.
struct TimeStyle: Sendable {
    /// `nil` for absolute times.
    let now: Instant?

    init(now: Instant?) {
        self.now = now
    }

    init(_ context: Context) {
        now = context.world.output.isTerminal ? context.world.clock.now() : nil
    }

    /// The text for a time, such as "2 hours ago", "in 11 months" or "2026-11-20T19:25:25Z"; empty for `nil`.
    func text(_ time: Instant?) -> String {
        guard let time else { return "" }
        guard let now else { return time.text }
        let seconds = time.seconds - now.seconds
        guard abs(seconds) >= 60 else { return "just now" }
        let amount = Self.amount(abs(seconds))
        return seconds < 0 ? "\(amount) ago" : "in \(amount)"
    }

    /// The time in its largest unit, rounded down: 90 minutes become 1 hour.
    private static func amount(_ seconds: Int64) -> String {
        let units: [(seconds: Int64, name: String)] = [
            (365 * 86400, "year"), (30 * 86400, "month"), (86400, "day"), (3600, "hour"), (60, "minute"),
        ]
        let unit = units.first { seconds >= $0.seconds } ?? (60, "minute")
        let count = seconds / unit.seconds
        return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
    }
}

extension Context {
    /// The maximum width of a table; `nil` if the output is not a terminal, or if the terminal's width is unknown.
    var tableWidth: Int? { world.output.isTerminal ? world.terminalWidth() : nil }
}
