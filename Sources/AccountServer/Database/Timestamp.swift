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

    /// `2026-01-02T03:04:05.678Z`: always milliseconds, always Z.
    var text: String {
        let (seconds, fraction) = milliseconds.flooredDivision(by: 1000)
        return "\(UTCTime(secondsSince1970: seconds).text).\(fraction.padded(to: 3))Z"
    }
}
