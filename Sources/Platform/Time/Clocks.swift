import LibC

/// The clock for the time of day.
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

    package static func fixed(_ time: Instant) -> WallClock { WallClock(now: { time }) }
}

/// The time since an unspecified start; changes to the system clock do not affect it.
///
/// `ContinuousClock` is not used, because it links the concurrency library.
package func monotonicNow() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Sleeps for the whole duration, even if a signal arrives. Use it only if there is no event to wait for.
package func pause(_ duration: Duration) {
    let end = monotonicNow() + duration
    while case let left = end - monotonicNow(), left > .zero {
        let (seconds, attoseconds) = left.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero and clamped to `Int64`.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, isStillTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isTooLong || isStillTooLong ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration as text: `10 s` for whole seconds, otherwise `300 ms`; `0 ms` for zero.
    package var text: String {
        let milliseconds = milliseconds
        let isWholeSeconds = milliseconds != 0 && milliseconds % 1000 == 0
        return isWholeSeconds ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}
