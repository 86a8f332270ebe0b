import CLibevent
import Platform

/// Closes connections whose clients take too long to send a request.
///
/// libevent's own timeout applies to each read, so a client that sends one byte per second could hold a connection
/// forever. Here each connection has `patience` for a whole request, restarted after each response.
final class ConnectionWatch {
    private let patience: Duration
    /// The start of each wait for a request; connections whose request is in progress are in `busy`. The reference
    /// count of each connection is raised, so that it can be inspected after libevent has released it.
    private var awaitingRequest: [OpaquePointer: Duration] = [:]
    private var busy: Set<OpaquePointer> = []

    init(patience: Duration) {
        self.patience = patience
    }

    var count: Int { awaitingRequest.count + busy.count }

    func opened(_ connection: OpaquePointer) {
        bufferevent_incref(connection)
        awaitingRequest[connection] = monotonicNow()
    }

    func requestReceived(on connection: OpaquePointer) {
        guard awaitingRequest.removeValue(forKey: connection) != nil else { return }
        busy.insert(connection)
    }

    func answered(on connection: OpaquePointer) {
        guard busy.remove(connection) != nil else { return }
        awaitingRequest[connection] = monotonicNow()
    }

    /// libevent is about to free a connection that has sent a request.
    func closed(_ connection: OpaquePointer) {
        let wasAwaiting = awaitingRequest.removeValue(forKey: connection) != nil
        let wasBusy = busy.remove(connection) != nil
        if wasAwaiting || wasBusy { bufferevent_decref(connection) }
    }

    /// Forgets connections that libevent has freed and shuts down late ones; libevent then reads end-of-file from them.
    func sweep() {
        let now = monotonicNow()
        for connection in Array(awaitingRequest.keys) + Array(busy) where isReleased(connection) {
            awaitingRequest[connection] = nil
            busy.remove(connection)
            bufferevent_decref(connection)
        }
        for (connection, since) in awaitingRequest where now - since > patience {
            shutdownSocket(bufferevent_getfd(connection))
        }
    }

    /// libevent clears the callbacks when it frees a connection.
    private func isReleased(_ connection: OpaquePointer) -> Bool {
        var reader: bufferevent_data_cb?
        bufferevent_getcb(connection, &reader, nil, nil, nil)
        return reader == nil
    }
}
