#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Times as text, as RFC 3339 writes them in UTC.
package enum Timestamp {
    /// Whole seconds and `Z`, which jq's `fromdate` reads: `2026-01-02T03:04:05Z`.
    package static func text(_ date: Date) -> String {
        // The style rounds, and a time shown must not lie in the future: fractions are cut.
        Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
    }

    /// Reads a time with or without a fraction of a second; `nil` if it is none.
    package static func date(_ text: String) -> Date? {
        let hasFraction = text.utf8.contains(UInt8(ascii: "."))
        // `try?`: a text that is no time is a normal answer.
        return try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }
}
