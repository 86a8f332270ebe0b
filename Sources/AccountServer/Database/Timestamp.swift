internal import Platform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A point in time to the millisecond, as the database and Parse keep it.
struct Timestamp: Equatable, Comparable {
    /// Since 1970-01-01 UTC.
    let milliseconds: Int64

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    init(now clock: WallClock) {
        milliseconds = Int64((clock.now().timeIntervalSince1970 * 1000).rounded(.down))
    }

    static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    func adding(_ duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// `2026-01-02T03:04:05.678Z`: always milliseconds, always Z. Reckoned in whole numbers, because formatting a
    /// `Date` may show a millisecond less than was stored.
    var text: String {
        let (days, ofDay) = milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = Self.date(daysSince1970: days)
        let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { $0.padded(to: 2) }
        let date = [year.padded(to: 4), month.padded(to: 2), day.padded(to: 2)]
        let milliseconds = (ofDay % 1000).padded(to: 3)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(milliseconds)Z"
    }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    private static func date(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let remainder = (self % divisor + divisor) % divisor
        return ((self - remainder) / divisor, remainder)
    }

    fileprivate func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
