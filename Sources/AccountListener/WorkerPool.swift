import Platform
import Synchronization

/// A few threads for work that would block the event loop: password hashes, which take tens of milliseconds, and
/// requests to other servers, which may take seconds.
///
/// Results wait in a queue; a byte in a pipe tells the event loop to collect them.
final class WorkerPool<Completion: Sendable>: Sendable {
    typealias Work = @Sendable () -> Completion

    // Not a pipe: the bytes of cancelled jobs would fill it, and then block the event loop.
    private let waiting = Monitor<[(id: UInt64, work: Work)]>([])
    private let done = Mutex<[(id: UInt64, completion: Completion)]>([])
    private let mostWaiting: Int
    /// Contains one byte for each completed job.
    private let results: Pipe

    /// - Parameter mostWaiting: the maximum number of jobs that wait for a thread.
    /// - Returns: `nil` if no pipe or no thread could be created.
    init?(threads: Int, mostWaiting: Int = .max) {
        guard let results = Pipe() else { return nil }
        self.mostWaiting = mostWaiting
        self.results = results
        let started = (0..<threads).compactMap { _ in NativeThread { [self] in run() } }
        guard !started.isEmpty else { return nil }
    }

    /// Readable when there are results to collect.
    var signal: Int32 { results.reader }

    /// - Returns: whether the job was accepted; `false` if too many are waiting.
    func submit(_ id: UInt64, _ job: @escaping Work) -> Bool {
        waiting.change { waiting in
            guard waiting.count < mostWaiting else { return false }
            waiting.append((id, job))
            return true
        }
    }

    /// Removes a job that no thread has started, and discards its closure.
    func cancel(_ id: UInt64) {
        waiting.change { $0.removeAll { $0.id == id } }
    }

    /// The results since the last call, in order of completion. Call it only when `signal` is readable.
    func collect() -> [(id: UInt64, completion: Completion)] {
        results.drain(64)
        return done.withLock { done in
            defer { done = [] }
            return done
        }
    }

    /// The loop of a worker thread; it ends with the process.
    private func run() {
        while true {
            let next = waiting.wait { $0.isEmpty ? nil : $0.removeFirst() }
            let completion = next.work()
            done.withLock { $0.append((next.id, completion)) }
            results.wake()
        }
    }
}
