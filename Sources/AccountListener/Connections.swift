import CLibevent
import Platform

/// All connections. Closes those whose clients take too long.
///
/// libevent's own timeouts apply to each read, so a client that sends one byte per second could hold a connection
/// forever. Here each connection has `patience` for a whole request, and again for reading the response.
final class Connections {
    private let patience: Duration
    private let log: ((String) -> Void)?
    private var all: [OpaquePointer: Connection] = [:]

    init(patience: Duration, log: ((String) -> Void)?) {
        self.patience = patience
        self.log = log
    }

    func open(_ stream: OpaquePointer, listener: UnsafeMutableRawPointer) {
        all[stream] = Connection(stream, listener: listener, log: log)
    }

    var count: Int { all.count }

    subscript(stream: OpaquePointer) -> Connection? { all[stream] }

    /// libevent is about to free a connection.
    ///
    /// Forgotten before the descriptor is closed, because its number may be reused by another connection.
    func closed(_ stream: OpaquePointer) {
        all[stream] = nil
    }

    /// libevent has freed all connections.
    func forgetAll() {
        all = [:]
    }

    /// Forgets connections that libevent has freed, and shuts down late ones.
    func sweep() {
        forgetReleased()
        let now = monotonicNow()
        for connection in all.values where now - connection.since > patience {
            // A request that is being answered has time limits of its own.
            if case .answering = connection.state { continue }
            connection.shutDown()
        }
    }

    /// Shuts down the connection that has waited longest for a request, or else for the rest of one.
    ///
    /// - Returns: whether there was one. Its descriptor is free in the next round of the event loop.
    func shutDownLongestIdle() -> Bool {
        let now = monotonicNow()
        let idle = all.values.filter { connection in
            switch connection.state {
            case .idle, .rejected: true
            case .receiving: now - connection.since > .seconds(1)
            case .answering, .sending, .shutDown: false
            }
        }
        let longest = idle.min { one, other in
            one.isReceiving == other.isReceiving ? one.since < other.since : !one.isReceiving
        }
        longest?.shutDown()
        return longest != nil
    }

    /// Whether no request is in progress, and nothing has arrived for `duration`.
    func areQuiet(for duration: Duration) -> Bool {
        forgetReleased()
        let now = monotonicNow()
        return all.values.allSatisfy { connection in
            switch connection.state {
            case .idle: now - connection.since >= duration && !connection.isReadable
            case .rejected: now - connection.since >= duration
            case .shutDown: true
            case .receiving, .answering, .sending: false
            }
        }
    }

    var answering: [Exchange] { all.values.compactMap(\.exchange) }

    /// The connections with a part of a request.
    var receiving: [Connection] { all.values.filter(\.isReceiving) }

    /// Do not call it between `open` and the end of `accept`: libevent sets the callbacks of a new stream last.
    func forgetReleased() {
        for (stream, connection) in all where connection.isReleased { all[stream] = nil }
    }
}

extension Connection {
    fileprivate var isReceiving: Bool {
        if case .receiving = state { true } else { false }
    }
}
