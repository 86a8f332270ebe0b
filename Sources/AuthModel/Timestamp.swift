import Platform

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Times as text, as RFC 3339 writes them.
package enum Timestamp {
    /// Whole seconds and `Z`, which jq's `fromdate` reads: `2026-01-02T03:04:05Z`. Years after 9999 are the last second
    /// before them, because no reader takes more digits.
    package static func text(_ date: Date) -> String {
        // A time shown must not lie in the future: fractions are cut.
        let seconds = min(max(date.timeIntervalSince1970.rounded(.down), earliest), latest)
        return "\(UTCTime(secondsSince1970: Int64(seconds)).text)Z"
    }

    /// Reads `2026-01-02T03:04:05Z`, with or without a fraction of a second, and with `Z` or `+01:00`; `nil` for
    /// anything else.
    package static func date(_ text: String) -> Date? {
        var rest = text.utf8[...]
        guard let year = rest.number(digits: 4), rest.skip("-"), let month = rest.number(digits: 2), rest.skip("-"),
            let day = rest.number(digits: 2), rest.skip("T"), let hour = rest.number(digits: 2), rest.skip(":"),
            let minute = rest.number(digits: 2), rest.skip(":"), let second = rest.number(digits: 2),
            let time = UTCTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second),
            let fraction = rest.fraction(), let offset = rest.zone(), rest.isEmpty
        else { return nil }
        return Date(timeIntervalSince1970: Double(time.secondsSince1970 - offset) + fraction)
    }

    /// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let (earliest, latest) = (-62_135_596_800.0, 253_402_300_799.0)
}

extension Substring.UTF8View {
    fileprivate mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: character) else { return false }
        removeFirst()
        return true
    }

    fileprivate mutating func number(digits count: Int) -> Int64? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// `.678`, or nothing, which is 0.
    fileprivate mutating func fraction() -> Double? {
        guard skip(".") else { return 0 }
        var (fraction, weight) = (0.0, 0.1)
        var isEmpty = true
        while let digit = number(digits: 1) {
            fraction += Double(digit) * weight
            weight /= 10
            isEmpty = false
        }
        return isEmpty ? nil : fraction
    }

    /// Seconds before UTC: `Z` or `+01:00`.
    fileprivate mutating func zone() -> Int64? {
        if skip("Z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
    }
}
