internal import Platform

/// Limits how many threads do work of one kind at the same time, and how many more threads may wait.
package final class WorkLimit: Sendable {
    private let state = Monitor((running: 0, waiting: 0))
    private let most: Int
    private let places: Int

    /// - Parameters:
    ///   - most: the maximum number of threads that work at the same time.
    ///   - places: the maximum number of threads that wait.
    package init(_ most: Int, places: Int) {
        self.most = most
        self.places = places
    }

    /// Runs `work` as soon as fewer than `most` other threads are working.
    ///
    /// - Returns: `nil` if the maximum number of threads is already waiting.
    package func run<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result? {
        let hasPlace = state.change { state in
            guard state.waiting < places || state.running < most else { return false }
            state.waiting += 1
            return true
        }
        guard hasPlace else { return nil }
        state.wait { state -> Void? in
            guard state.running < most else { return nil }
            (state.running, state.waiting) = (state.running + 1, state.waiting - 1)
            return ()
        }
        defer { state.change { $0.running -= 1 } }
        return try work()
    }
}

/// The limits of a server whose clients send parallel requests.
package struct WorkLimits: Sendable {
    /// The limit for password hashing.
    package let hashing: WorkLimit
    /// The limit for requests to other servers. These requests share one connection.
    package let fetching: WorkLimit
    /// The limit for requests and lists of more than 64 KiB, which take 25 times their size in memory when parsed.
    package let large: WorkLimit

    /// - Parameter processors: the number of processors that this process may use.
    package init(processors: Int) {
        hashing = WorkLimit(min(processors, 8), places: 64)
        fetching = WorkLimit(1, places: 64)
        large = WorkLimit(min(processors, 8), places: 256)
    }

    static let largeSize = 64 << 10
}
