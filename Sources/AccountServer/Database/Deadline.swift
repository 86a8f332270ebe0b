#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An end to asking again for a lock that one cannot wait for.
struct Deadline {
    private let end: Int64

    init(in timeout: Duration) {
        end = Self.now + timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
    }

    /// Waits two milliseconds; false, at once, when the time is over.
    func pause() -> Bool {
        guard Self.now < end else { return false }
        usleep(2000)
        return true
    }

    /// Milliseconds of a clock that nobody sets.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
