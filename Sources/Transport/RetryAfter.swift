package import Platform

/// Parses `Retry-After`.
///
/// The value is a number of seconds or a date. Source: RFC 9110, sections 10.2.3 and 5.6.7, which also requires two
/// obsolete date formats.
package enum RetryAfter {
    /// Seconds. Larger values are reduced to this one: 31 years.
    package static let longest = 1_000_000_000

    /// Whole seconds from now, 0 to `longest`; `nil` if the value is neither a number nor a date.
    package static func seconds(_ value: String, now: Instant) -> Int? {
        let words = value.split { $0 == " " || $0 == "\t" }
        if let word = words.first, words.count == 1 {
            guard word.isASCIIDigits else { return nil }
            // `Int` fails for a number that is too long.
            return min(Int(word) ?? longest, longest)
        }
        return date(words, now: now).map { date in
            // Rounded up: a request that comes too early is rejected again.
            min(max(Int((date.milliseconds - now.milliseconds + 999) / 1000), 0), longest)
        }
    }

    private static func date(_ words: [Substring], now: Instant) -> Instant? {
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT
        case 6 where words[5] == "GMT" && words[0].hasSuffix(","):
            return date(year: number(words[3], digits: 4), month: words[2], day: words[1], time: words[4])
        // Sunday, 06-Nov-94 08:49:37 GMT
        case 4 where words[3] == "GMT" && words[0].hasSuffix(","):
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            return date(year: fullYear(parts[2], now: now), month: parts[1], day: parts[0], time: words[2])
        // Sun Nov  6 08:49:37 1994
        case 5:
            return date(year: number(words[4], digits: 4), month: words[1], day: words[2], time: words[3])
        default:
            return nil
        }
    }

    private static func date(year: Int64?, month: Substring, day: Substring, time: Substring) -> Instant? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let year, let month = months.firstIndex(where: { $0 == month }),
            let day = number(day, digits: 2) ?? number(day, digits: 1), parts.count == 3,
            let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2)
        else { return nil }
        let time = UTCTime(
            year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second)
        return time.map { Instant(seconds: $0.secondsSince1970) }
    }

    /// Interprets a two-digit year as at most 50 years in the future.
    private static func fullYear(_ digits: Substring, now: Instant) -> Int64? {
        guard let short = number(digits, digits: 2) else { return nil }
        let current = UTCTime(secondsSince1970: now.seconds).year
        let ahead = (short - current % 100 + 100) % 100
        return current + (ahead > 50 ? ahead - 100 : ahead)
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
