import Platform
import Synchronization

/// A few plain threads for work that would hold up the event loop: hashing a password takes tens of milliseconds, asking
/// another server as long as that one likes.
///
/// What comes out waits in a queue, and a byte in a pipe tells the event loop to collect it.
final class WorkerPool<Completion: Sendable>: Sendable {
    typealias Work = @Sendable () -> Completion

    private struct State {
        var waiting: [(id: UInt64, work: Work)] = []
        var done: [(id: UInt64, completion: Completion)] = []
    }

    private let state = Mutex(State())
    private let mostWaiting: Int
    /// A byte for each piece of work that waits.
    private let work: Pipe
    /// A byte for each that is done.
    private let results: Pipe

    /// - Parameter mostWaiting: how much work may wait for a thread.
    /// - Returns: `nil` if the system has no pipe or no thread left.
    init?(threads: Int, mostWaiting: Int = .max) {
        guard let work = Pipe(), let results = Pipe() else { return nil }
        self.mostWaiting = mostWaiting
        self.work = work
        self.results = results
        let started = (0..<threads).compactMap { _ in NativeThread { [self] in run() } }
        guard !started.isEmpty else { return nil }
    }

    /// Readable when there is something to collect.
    var signal: Int32 { results.reader }

    /// - Returns: whether it will be done; not if too much waits already.
    func submit(_ id: UInt64, _ job: @escaping Work) -> Bool {
        let isTaken = state.withLock { state in
            guard state.waiting.count < mostWaiting else { return false }
            state.waiting.append((id, job))
            return true
        }
        if isTaken { work.wake() }
        return isTaken
    }

    /// What has been done since the last call, in the order in which it was done; only after `signal`.
    func collect() -> [(id: UInt64, completion: Completion)] {
        results.drain(64)
        return state.withLock { state in
            defer { state.done = [] }
            return state.done
        }
    }

    /// The life of a thread; it ends with the process.
    private func run() {
        while true {
            work.drain()
            guard let next = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { continue }
            let completion = next.work()
            state.withLock { $0.done.append((next.id, completion)) }
            results.wake()
        }
    }
}
