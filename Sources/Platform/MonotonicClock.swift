#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Time since some moment of the past, which no change of the time of day touches.
///
/// `ContinuousClock` would tell the same but lives in the concurrency library, which would be linked for it.
package func monotonicNow() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// Does nothing for a while: only where there is no event to wait for.
///
/// A signal that does not end the process does not end the pause.
package func pause(_ duration: Duration) {
    let end = monotonicNow() + duration
    while case let left = end - monotonicNow(), left > .zero {
        let (seconds, attoseconds) = left.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }
}
