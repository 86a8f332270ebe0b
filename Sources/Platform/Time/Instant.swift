/// A point in time, to the millisecond.
package struct Instant: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Clamped to the last whole second that milliseconds can represent, because files store whole seconds.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max / 1000 * 1000) : product
    }

    /// Whole seconds since 1970, rounded down: a displayed time must not lie in the future.
    package var seconds: Int64 { milliseconds.flooredDivision(by: 1000).quotient }

    package func adding(_ duration: Duration) -> Instant {
        Instant(milliseconds: milliseconds + duration.milliseconds)
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}

// MARK: - As RFC 3339 writes times

extension Instant {
    /// RFC 3339 with whole seconds and `Z`, which jq's `fromdate` reads: `2026-01-02T03:04:05Z`. Clamped to the years 1
    /// to 9999, because parsers accept only four digits.
    package var text: String {
        "\(UTCTime(secondsSince1970: min(max(seconds, Self.firstSecond), Self.lastSecond)).text)Z"
    }

    /// RFC 3339, always with milliseconds and `Z`: `2026-01-02T03:04:05.678Z`.
    package var textWithMilliseconds: String {
        let (seconds, fraction) = milliseconds.flooredDivision(by: 1000)
        return "\(UTCTime(secondsSince1970: seconds).text).\(fraction.padded(to: 3))Z"
    }

    /// Parses `2026-01-02T03:04:05Z`, with or without a fraction of a second, and with `Z` or an offset such as
    /// `+01:00`; `nil` for anything else.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        guard let year = rest.number(digits: 4), rest.skip("-"), let month = rest.number(digits: 2), rest.skip("-"),
            let day = rest.number(digits: 2), rest.skip("T"), let hour = rest.number(digits: 2), rest.skip(":"),
            let minute = rest.number(digits: 2), rest.skip(":"), let second = rest.number(digits: 2),
            let time = UTCTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second),
            let fraction = rest.fraction(), let offset = rest.zone(), rest.isEmpty
        else { return nil }
        self.init(milliseconds: (time.secondsSince1970 - offset) * 1000 + fraction)
    }

    /// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let (firstSecond, lastSecond): (Int64, Int64) = (-62_135_596_800, 253_402_300_799)
}

extension Substring.UTF8View {
    fileprivate mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func number(digits count: Int) -> Int64? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isASCIIDigit }) else { return nil }
        removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Parses `.678` as milliseconds and ignores further digits; 0 without a fraction, `nil` if the dot has no digit.
    fileprivate mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var milliseconds = number(digits: 1).map({ $0 * 100 }) else { return nil }
        var weight: Int64 = 10
        while let digit = number(digits: 1) {
            milliseconds += digit * weight
            weight /= 10
        }
        return milliseconds
    }

    /// The offset from UTC in seconds: `Z` or `+01:00`.
    fileprivate mutating func zone() -> Int64? {
        if skip("Z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
    }
}
