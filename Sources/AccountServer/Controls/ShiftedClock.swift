import Platform
import Synchronization

/// A clock that tests move forward. It shows the time of another clock plus a shift, which is zero at first.
final class ShiftedClock: Sendable {
    private let clock: WallClock
    private let current = Mutex(Duration.zero)

    /// 100 years of 365 days. Sessions that start then still expire before the year 9999.
    static let longestShift = Duration.seconds(100 * 365 * 24 * 3600)

    init(_ clock: WallClock) {
        self.clock = clock
    }

    var shift: Duration {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    var now: Instant { clock.now().adding(shift) }
}
