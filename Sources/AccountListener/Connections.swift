import Platform
import Synchronization

/// The connections of a server.
final class Connections: Sendable {
    private struct Entry {
        /// Whether the client has sent no complete head of a request.
        var isIdle = true
        /// When the connection became idle, or when its request arrived.
        var since = monotonicNow()
    }

    private let state = Monitor([Int32: Entry]())
    private let isEnding = Atomic(false)

    /// Whether the server is about to end, so that no connection is kept.
    var areEnding: Bool { isEnding.load(ordering: .relaxed) }

    private var count: Int { state.change { $0.count } }

    func open(_ socket: Int32) { state.change { $0[socket] = Entry() } }

    /// Call it before the descriptor is closed: its number may then belong to another connection.
    func closed(_ socket: Int32) { state.change { $0[socket] = nil } }

    /// Call it when the head of a request has arrived, and when the request has been answered.
    func enter(isIdle: Bool, _ socket: Int32) {
        state.change { state in
            if state[socket] != nil { state[socket] = Entry(isIdle: isIdle) }
        }
    }

    /// Waits until there are fewer than `most` connections, and shuts the oldest idle ones down.
    ///
    /// - Returns: `false` if all connections have a request.
    func makeRoom(for most: Int) -> Bool {
        while count >= most {
            let hasCandidate = state.change { state in
                // A connection with unread bytes may have a complete request.
                let oldest = state.filter { $1.isIdle && !isReadable($0) }.min { $0.value.since < $1.value.since }
                // Its thread then ends.
                if let oldest { shutdownSocket(oldest.key) }
                return oldest != nil
            }
            guard hasCandidate else { return false }
            _ = state.wait(atMost: .seconds(1)) { $0.count < most ? true : nil }
        }
        return true
    }

    /// Ends the idle connections without unread bytes. The others end after their request.
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
