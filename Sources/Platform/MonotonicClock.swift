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
package func pause(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
}
