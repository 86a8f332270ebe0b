internal import Platform

/// Limits how many threads do work of one kind at once, and how many wait for that.
package final class WorkLimit: Sendable {
    private let state = Monitor((running: 0, waiting: 0))
    private let most: Int
    private let places: Int

    /// - Parameters:
    ///   - most: the number of threads that work at once.
    ///   - places: the number of threads that may wait.
    package init(_ most: Int, places: Int) {
        self.most = most
        self.places = places
    }

    /// Does the work when fewer than `most` other threads do.
    ///
    /// - Returns: `nil` if no place is free.
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

/// The limits of a server whose clients send requests at the same time.
package struct WorkLimits: Sendable {
    /// Password hashes.
    package let hashing: WorkLimit
    /// Requests to other servers, which share one connection.
    package let fetching: WorkLimit
    /// Requests and lists of more than 64 KiB: parsed, they take 25 times as much memory.
    package let large: WorkLimit

    /// - Parameter processors: the number that this process may use.
    package init(processors: Int) {
        hashing = WorkLimit(min(processors, 8), places: 64)
        fetching = WorkLimit(1, places: 64)
        large = WorkLimit(min(processors, 8), places: 256)
    }

    static let largeSize = 64 << 10
}
