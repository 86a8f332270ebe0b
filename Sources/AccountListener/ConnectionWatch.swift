import CLibevent
import Platform

/// Cuts clients that take too long to send a request.
///
/// libevent's own time-out is for silence between two reads, so a byte a second would hold a connection for ever. Here
/// each connection has so many seconds for a whole request, and again from each answer on.
final class ConnectionWatch {
    private let patience: Duration
    /// Since when each connection owes a request; those with a request under way have none. A reference is held to
    /// each, so that one that libevent has let go can still be looked at.
    private var owing: [OpaquePointer: Duration] = [:]
    private var busy: Set<OpaquePointer> = []

    init(patience: Duration) {
        self.patience = patience
    }

    var count: Int { owing.count + busy.count }

    func opened(_ connection: OpaquePointer) {
        bufferevent_incref(connection)
        owing[connection] = monotonicNow()
    }

    func requestCame(on connection: OpaquePointer) {
        guard owing.removeValue(forKey: connection) != nil else { return }
        busy.insert(connection)
    }

    func answered(on connection: OpaquePointer) {
        guard busy.remove(connection) != nil else { return }
        owing[connection] = monotonicNow()
    }

    /// libevent is about to let go of a connection that sent a request before.
    func closed(_ connection: OpaquePointer) {
        let wasOwing = owing.removeValue(forKey: connection) != nil
        let wasBusy = busy.remove(connection) != nil
        if wasOwing || wasBusy { bufferevent_decref(connection) }
    }

    /// Drops what libevent has let go, and cuts what is late: its end is read as if the client had closed.
    func sweep() {
        let now = monotonicNow()
        for connection in Array(owing.keys) + Array(busy) where isReleased(connection) {
            owing[connection] = nil
            busy.remove(connection)
            bufferevent_decref(connection)
        }
        for (connection, since) in owing where now - since > patience {
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
