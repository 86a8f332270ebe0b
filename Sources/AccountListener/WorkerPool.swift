import Platform
import Synchronization

/// A few threads for work that would block the event loop: password hashes, which take tens of milliseconds, and
/// requests to other servers, which may take seconds.
///
/// Results wait in a queue; a byte in a pipe tells the event loop to collect them.
final class WorkerPool<Completion: Sendable>: Sendable {
    typealias Work = @Sendable () -> Completion

    private struct State {
        var waiting: [(id: UInt64, work: Work)] = []
        var done: [(id: UInt64, completion: Completion)] = []
    }

    private let state = Mutex(State())
    private let mostWaiting: Int
    /// Contains one byte for each waiting job.
    private let work: Pipe
    /// Contains one byte for each completed job.
    private let results: Pipe

    /// - Parameter mostWaiting: the maximum number of jobs that wait for a thread.
    /// - Returns: `nil` if no pipe or no thread could be created.
    init?(threads: Int, mostWaiting: Int = .max) {
        guard let work = Pipe(), let results = Pipe() else { return nil }
        self.mostWaiting = mostWaiting
        self.work = work
        self.results = results
        let started = (0..<threads).compactMap { _ in NativeThread { [self] in run() } }
        guard !started.isEmpty else { return nil }
    }

    /// Readable when there are results to collect.
    var signal: Int32 { results.reader }

    /// - Returns: whether the job was accepted; `false` if too many are waiting.
    func submit(_ id: UInt64, _ job: @escaping Work) -> Bool {
        let isTaken = state.withLock { state in
            guard state.waiting.count < mostWaiting else { return false }
            state.waiting.append((id, job))
            return true
        }
        if isTaken { work.wake() }
        return isTaken
    }

    /// Removes a job that no thread has started, and discards its closure.
    func cancel(_ id: UInt64) {
        // Its byte stays in the pipe: a thread that reads it finds no job.
        state.withLock { $0.waiting.removeAll { $0.id == id } }
    }

    /// The results since the last call, in order of completion. Call it only when `signal` is readable.
    func collect() -> [(id: UInt64, completion: Completion)] {
        results.drain(64)
        return state.withLock { state in
            defer { state.done = [] }
            return state.done
        }
    }

    /// The loop of a worker thread; it ends with the process.
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
