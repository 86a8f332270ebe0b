/// A point in time with a resolution of one millisecond.
package struct Instant: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Clamps `seconds` to the range of `milliseconds`. The maximum is a whole second: stored times have no fractions.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max / 1000 * 1000) : product
    }

    /// Whole seconds since 1970, rounded down, so that the current time is not displayed as a future time.
    package var seconds: Int64 { milliseconds.flooredDivision(by: 1000).quotient }

    package func adding(_ duration: Duration) -> Instant {
        Instant(milliseconds: milliseconds + duration.milliseconds)
    }

    package static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }
}

// MARK: - RFC 3339

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

    /// Parses `.678` as milliseconds and ignores further digits; 0 without a dot, `nil` if no digit follows the dot.
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

    /// Parses `Z` or an offset such as `+01:00`, and returns the offset from UTC in seconds.
    fileprivate mutating func zone() -> Int64? {
        if skip("Z") { return 0 }
        let isAhead = skip("+")
        guard isAhead || skip("-"), let hours = number(digits: 2), hours < 24, skip(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isAhead ? 1 : -1)
    }
}

/// A time in UTC with a resolution of one second, in the Gregorian calendar.
///
/// Foundation's calendar is not used, because its first use looks up locale and time zone, which slows startup.
package struct UTCTime: Sendable, Equatable {
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64
    /// Seconds since midnight, 0 to 86,399.
    private let seconds: Int64

    package var hour: Int64 { seconds / 3600 }
    package var minute: Int64 { seconds / 60 % 60 }
    package var second: Int64 { seconds % 60 }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    package init(secondsSince1970: Int64) {
        let (days, ofDay) = secondsSince1970.flooredDivision(by: 86_400)
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        seconds = ofDay
    }

    /// Returns `nil` if the date or time is invalid. A leap second counts as the second before it.
    package init?(year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0..<24).contains(hour),
            (0..<60).contains(minute), (0...60).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        seconds = hour * 3600 + minute * 60 + min(second, 59)
        // Reject dates such as 31 April, which would become 1 May.
        guard UTCTime(secondsSince1970: secondsSince1970) == self else { return nil }
    }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    package var secondsSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era * 146_097 + dayOfEra - 719_468) * 86_400 + seconds
    }

    /// `2026-01-02T03:04:05`: RFC 3339 without a fraction or a zone.
    package var text: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))T\(timeOfDay)"
    }

    private var timeOfDay: String { "\(hour.padded(to: 2)):\(minute.padded(to: 2)):\(second.padded(to: 2))" }

    /// `Fri, 02 Jan 2026 03:04:05`, as in e-mails and in HTTP, which append different zone names. Sources: RFC 5322,
    /// section 3.3; RFC 9110, section 5.6.7.
    package var textWithWeekday: String {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        // 1970-01-01 was a Thursday.
        let weekday = weekdays[
            Int(secondsSince1970.flooredDivision(by: 86_400).quotient.flooredDivision(by: 7).remainder)]
        return "\(weekday), \(day.padded(to: 2)) \(names[Int(month) - 1]) \(year.padded(to: 4)) \(timeOfDay)"
    }
}

extension Int64 {
    /// Rounds the quotient down, so the remainder is never negative.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    /// The number, padded with leading zeros.
    package func padded(to width: Int) -> String {
        var digits = String(self)
        while digits.utf8.count < width { digits = "0" + digits }
        return digits
    }
}
