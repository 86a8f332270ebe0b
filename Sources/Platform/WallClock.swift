#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of day.
package struct WallClock: Sendable {
    package var now: @Sendable () -> Instant

    package init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    package static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    package static func fixed(_ moment: Instant) -> WallClock { WallClock(now: { moment }) }
}
