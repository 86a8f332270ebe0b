package import Platform

/// Parses `Retry-After`.
///
/// The value is a number of seconds or a date. Source: RFC 9110, sections 10.2.3 and 5.6.7. No server sends the two
/// obsolete date formats there.
package enum RetryAfter {
    /// The largest pause in seconds: 31 years. Larger values are reduced to it.
    package static let longest = 1_000_000_000

    /// Whole seconds from now, 0 to `longest`; `nil` if the value is neither a number nor a date.
    package static func seconds(_ value: String, now: Instant) -> Int? {
        let words = value.split { $0 == " " || $0 == "\t" }
        if let word = words.first, words.count == 1 {
            guard word.isASCIIDigits else { return nil }
            // `Int` fails for a number that is too long.
            return min(Int(word) ?? longest, longest)
        }
        return date(words).map { date in
            // Rounded up: a request that comes too early is rejected again.
            min(max(Int((date.milliseconds - now.milliseconds + 999) / 1000), 0), longest)
        }
    }

    /// The date in a header field; `nil` if it is malformed.
    package static func date(_ value: String) -> Instant? { date(value.split(separator: " ")) }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func date(_ words: [Substring]) -> Instant? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard words.count == 6, words[0].hasSuffix(","), words[5] == "GMT" else { return nil }
        let parts = words[4].split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(words[1], digits: 2), let month = months.firstIndex(where: { $0 == words[2] }),
            let year = number(words[3], digits: 4), parts.count == 3, let hour = number(parts[0], digits: 2),
            let minute = number(parts[1], digits: 2), let second = number(parts[2], digits: 2)
        else { return nil }
        let time = UTCTime(
            year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second)
        return time.map { Instant(seconds: $0.secondsSince1970) }
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.isASCIIDigits else { return nil }
        return Int64(text)
    }
}

extension HTTPResponse {
    /// The seconds of `Retry-After`; `nil` if it is missing or malformed.
    package func retryAfter(now: Instant) -> Int? {
        headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: now) }
    }
}
