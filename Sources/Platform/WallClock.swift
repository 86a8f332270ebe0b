#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The time of day.
package struct WallClock: Sendable {
    package var now: @Sendable () -> Date

    package init(now: @escaping @Sendable () -> Date) {
        self.now = now
    }

    package static let system = WallClock(now: { Date() })

    package static func fixed(_ date: Date) -> WallClock { WallClock(now: { date }) }
}
