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
        all[stream] = Connection(stream, listener: listener, log: log) { [unowned self] in
            size > ListenerSettings.mostReceived
        }
    }

    var count: Int { all.count }

    /// The bytes of all requests that have arrived without a response yet.
    var size: Int { all.values.reduce(0) { $0 + $1.size } }

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

    /// Shuts down the connection that has waited longest for a request or for the rest of one. Its descriptor is free
    /// after the next round of the event loop.
    func shutDownOldest() {
        // The descriptor of a connection that libevent has freed may belong to another connection now.
        forgetReleased()
        var oldest: Connection?
        for connection in all.values where connection.isWaiting {
            if let oldest, oldest.since <= connection.since { continue }
            // The rest of its request may have arrived already.
            if !connection.isReadable { oldest = connection }
        }
        oldest?.shutDown()
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
    fileprivate var isWaiting: Bool {
        switch state {
        case .idle, .receiving, .rejected: true
        case .answering, .sending, .shutDown: false
        }
    }

    fileprivate var isReceiving: Bool {
        if case .receiving = state { true } else { false }
    }
}
