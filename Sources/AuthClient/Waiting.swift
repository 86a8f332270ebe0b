import Platform

/// How time passes while somebody does something elsewhere.
package struct Waiting: Sendable {
    /// Time since some moment of the past.
    package let now: @Sendable () -> Duration
    package let pause: @Sendable (Duration) -> Void

    package init(
        now: @escaping @Sendable () -> Duration = { monotonicNow() },
        pause: @escaping @Sendable (Duration) -> Void = { Platform.pause($0) }
    ) {
        self.now = now
        self.pause = pause
    }
}
