import Platform
import Synchronization

/// The connections of a server, and what they take of its limits: their number, the bytes of messages in progress, and
/// the number of bodies that arrive at once.
final class Connections: Sendable {
    enum Phase {
        /// No complete request has arrived.
        case waiting
        /// A body is arriving.
        case receiving
        case answering
        case sending
    }

    private struct Entry {
        var phase = Phase.waiting
        /// When the phase began; for `receiving`, when the body began to arrive.
        var since = monotonicNow()
        /// Bytes of the body and of the response.
        var size = 0
    }

    private struct State {
        var all: [Int32: Entry] = [:]
        var size: Int { all.values.reduce(0) { $0 + $1.size } }

        /// Shuts the oldest of these connections down. Its thread then ends.
        func shutDownOldest(where isCandidate: (Int32, Entry) -> Bool) -> Int32? {
            let oldest = all.filter { isCandidate($0.key, $0.value) }.min { $0.value.since < $1.value.since }
            if let oldest { shutdownSocket(oldest.key) }
            return oldest?.key
        }
    }

    private let state = Monitor(State())
    private let isEnding = Atomic(false)

    /// Whether the server is about to end, so that no connection is kept.
    var areEnding: Bool { isEnding.load(ordering: .relaxed) }

    var count: Int { state.change { $0.all.count } }

    func open(_ socket: Int32) { state.change { $0.all[socket] = Entry() } }

    /// Call it before the descriptor is closed: its number may then belong to another connection.
    func closed(_ socket: Int32) { state.change { $0.all[socket] = nil } }

    /// The next request has been answered, or a new phase of it begins.
    func enter(_ phase: Phase, _ socket: Int32) {
        state.change { state in
            guard var entry = state.all[socket] else { return }
            (entry.phase, entry.since) = (phase, monotonicNow())
            if phase == .waiting { entry.size = 0 }
            state.all[socket] = entry
        }
    }

    /// Begins to receive a body. If too many clients send one, the slowest is shut down.
    ///
    /// - Returns: `false` if no client is slow.
    func beginBody(_ socket: Int32) -> Bool {
        let hasRoom = state.change { state in
            state.all.values.count { $0.phase == .receiving } < ListenerSettings.mostBodies
                || Self.shutDownSlowest(&state, besides: socket, where: { $0.phase == .receiving })
        }
        if hasRoom { enter(.receiving, socket) }
        return hasRoom
    }

    /// Counts bytes of a message. If all messages in progress are too large, the slowest are shut down.
    ///
    /// - Returns: `false` if no client is slow.
    func add(_ size: Int, _ socket: Int32) -> Bool {
        state.change { state in
            while state.size + size > ListenerSettings.mostReceived {
                guard Self.shutDownSlowest(&state, besides: socket, where: { $0.size > 0 }) else { return false }
            }
            state.all[socket]?.size += size
            return true
        }
    }

    /// Shuts down the connection whose message has been in transfer for longest, if that is at least a second.
    private static func shutDownSlowest(
        _ state: inout State, besides socket: Int32, where isCandidate: (Entry) -> Bool
    ) -> Bool {
        let latest = monotonicNow() - .seconds(1)
        let slowest = state.shutDownOldest { other, entry in
            other != socket && (entry.phase == .receiving || entry.phase == .sending) && entry.since < latest
                && isCandidate(entry)
        }
        // Its thread has not ended yet, but it receives and sends nothing more.
        if let slowest { state.all[slowest] = Entry() }
        return slowest != nil
    }

    /// Waits until there are fewer than `most` connections. One without a complete request makes room.
    ///
    /// - Returns: `false` if all connections have a request.
    func makeRoom(for most: Int) -> Bool {
        while count >= most {
            let hasCandidate = state.change { state in
                // A connection with unread bytes may have a complete request.
                state.shutDownOldest { $1.phase == .waiting && !isReadable($0) } != nil
            }
            guard hasCandidate else { return false }
            _ = state.wait(atMost: .seconds(1)) { $0.all.count < most ? true : nil }
        }
        return true
    }

    /// Ends the connections without a complete request and without unread bytes, and others after their request.
    func endIdle() {
        isEnding.store(true, ordering: .relaxed)
        state.change { state in
            for (socket, entry) in state.all where entry.phase == .waiting && !isReadable(socket) {
                shutdownSocket(socket)
            }
        }
    }

    /// Waits until all connections are closed.
    func waitForEnd(atMost time: Duration) {
        _ = state.wait(atMost: time) { $0.all.isEmpty ? true : nil }
    }
}
