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
    /// - Parameter isWanted: whether a client still waits for the result, asked before the work and, while the thread
    ///   waits, every quarter of a second.
    /// - Returns: `nil` if no place is free, or the work is not wanted any more.
    package func run<Result, Failure: Error>(
        while isWanted: () -> Bool = { true }, _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard isWanted(), enter(while: isWanted) else { return nil }
        defer { state.change { $0.running -= 1 } }
        return isWanted() ? try work() : nil
    }

    private func enter(while isWanted: () -> Bool) -> Bool {
        let hasPlace = state.change { state in
            guard state.waiting < places || state.running < most else { return false }
            state.waiting += 1
            return true
        }
        while hasPlace {
            let isFirst = state.wait(atMost: .milliseconds(250)) { state -> Bool? in
                guard state.running < most else { return nil }
                (state.running, state.waiting) = (state.running + 1, state.waiting - 1)
                return true
            }
            if isFirst == true { return true }
            guard isWanted() else {
                state.change { $0.waiting -= 1 }
                return false
            }
        }
        return false
    }
}

/// The limits of a server whose clients send requests at the same time.
package struct WorkLimits: Sendable {
    /// Password hashes.
    package let hashing: WorkLimit
    /// Requests to other servers.
    package let fetching: WorkLimit
    /// Requests and lists of more than 64 KiB: parsed, they take 25 times as much memory.
    package let large: WorkLimit

    /// - Parameter processors: the number that this process may use.
    package init(processors: Int) {
        hashing = WorkLimit(min(processors, 8), places: 64)
        fetching = WorkLimit(4, places: 64)
        large = WorkLimit(min(processors, 8), places: 256)
    }

    static let largeSize = 64 << 10
}
