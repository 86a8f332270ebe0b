import Platform
import Synchronization

/// The open connections of the server, by socket.
final class Connections: Sendable {
    private struct Entry {
        /// Whether no request is in progress. A request is in progress from the arrival of its complete head until its
        /// response has been sent.
        var isIdle = true
        /// When the connection became idle, or when the current request arrived.
        var since = monotonicNow()
    }

    private let state = Monitor([Int32: Entry]())
    private let isEnding = Atomic(false)
    private let queued = Mutex(0)

    /// Whether the server is shutting down and closes each connection after the requests that have already arrived.
    var areEnding: Bool { isEnding.load(ordering: .relaxed) }

    private var count: Int { state.change { $0.count } }

    func open(_ socket: Int32) { state.change { $0[socket] = Entry() } }

    /// Removes a connection. Call this before closing the socket, because the system may reuse the descriptor.
    func closed(_ socket: Int32) { state.change { $0[socket] = nil } }

    /// Call this when a request head has arrived, and again when the response has been sent.
    func enter(isIdle: Bool, _ socket: Int32) {
        state.change { state in
            if state[socket] != nil { state[socket] = Entry(isIdle: isIdle) }
        }
    }

    /// Counts the bytes of a response that waits for its client. Call `unqueue` with the same number when it is sent.
    ///
    /// - Returns: `false` if the responses of all connections would exceed the limit.
    func queue(_ count: Int) -> Bool {
        guard count > ListenerSettings.smallResponse else { return true }
        return queued.withLock { queued in
            guard queued == 0 || queued + count <= ListenerSettings.mostQueued else { return false }
            queued += count
            return true
        }
    }

    func unqueue(_ count: Int) {
        if count > ListenerSettings.smallResponse { queued.withLock { $0 -= count } }
    }

    /// Shuts down the connections that have been idle longest, until there are fewer than `most` connections.
    ///
    /// - Returns: `false` if each remaining connection is busy with a request or has unread bytes.
    func makeRoom(for most: Int) -> Bool {
        while count >= most {
            let hasCandidate = state.change { state in
                // Skip connections with unread bytes, which may contain a complete request.
                let oldest = state.filter { $1.isIdle && !isReadable($0) }.min { $0.value.since < $1.value.since }
                // The shutdown makes the connection's thread end.
                if let oldest { shutdownSocket(oldest.key) }
                return oldest != nil
            }
            guard hasCandidate else { return false }
            _ = state.wait(atMost: .seconds(1)) { $0.count < most ? true : nil }
        }
        return true
    }

    /// Shuts down idle connections without unread bytes. All other connections end after the requests that have already
    /// arrived.
    func endIdle() {
        isEnding.store(true, ordering: .relaxed)
        state.change { state in
            for (socket, entry) in state where entry.isIdle && !isReadable(socket) { shutdownSocket(socket) }
        }
    }

    /// Waits until all connections are closed.
    func waitForEnd(atMost time: Duration) {
        _ = state.wait(atMost: time) { $0.isEmpty ? true : nil }
    }
}
