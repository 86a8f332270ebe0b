import CLibevent
import CProcess
import Platform

extension HTTPListener {
    func connection(_ connection: OpaquePointer) -> Connection? {
        evhttp_connection_get_bufferevent(connection).flatMap { connections[$0] }
    }

    func track(_ exchange: Exchange) {
        guard let handle = exchange.connection, let connection = connection(handle) else { return }
        connection.begin(exchange)
        noteMemory(of: connection)
        exchange.whenSent(responseSent, Unmanaged.passUnretained(connection).toOpaque())
    }

    /// The client closed the connection: the work for its request is not started, and a result is discarded.
    func closed(_ connection: OpaquePointer) {
        guard let stream = evhttp_connection_get_bufferevent(connection) else { return }
        if let connection = connections[stream] { noteMemory(of: connection) }
        if let exchange = connections[stream]?.exchange {
            cancelJob(of: exchange)
            exchange.abandon()
        }
        connections.closed(stream)
    }

    func newConnection() -> OpaquePointer? {
        // Without BEV_OPT_CLOSE_ON_FREE: evhttp closes the descriptor even while a `Connection` holds a reference.
        guard let stream = bufferevent_socket_new(base, -1, 0) else { return nil }
        if connections.count + 1 >= mostConnections {
            evconnlistener_disable(evhttp_bound_socket_get_listener(socket))
            connections.shutDownOldest()
            resumeAccepting(after: .milliseconds(1))
        }
        connections.open(stream, listener: Unmanaged.passUnretained(self).toOpaque())
        // Not later in the event loop: clients that connect until then would be reset.
        closePort()
        return stream
    }

    /// Does nothing if a timer runs already: each of several timers would shut down connections.
    private func resumeAccepting(after pause: Duration) {
        if isAcceptPauseEnding { return }
        isAcceptPauseEnding = true
        after(pause, acceptPauseEnded)
    }

    func endAcceptPause() {
        isAcceptPauseEnding = false
        resumeAccepting()
    }

    /// Accepts connections again if there is room for one. If one is waiting, the oldest of the others makes room.
    private func resumeAccepting() {
        guard shutdown?.hasClosedSocket != true else { return }
        connections.forgetReleased()
        if connections.count < mostConnections {
            evconnlistener_enable(evhttp_bound_socket_get_listener(socket))
        } else if isReadable(evhttp_bound_socket_get_fd(socket)) {
            connections.shutDownOldest()
            resumeAccepting(after: .milliseconds(1))
        } else {
            resumeAccepting(after: .milliseconds(20))
        }
    }

    func sweep() {
        connections.sweep()
        returnMemory()
        routes?.removeDiscardedMails()
        endIfDatabaseIsGone()
        // Retries `accept`: file descriptors may be available again.
        if connections.count < mostConnections { resumeAccepting() }
    }

    private func noteMemory(of connection: Connection) {
        if connection.size > ListenerSettings.largeSize { hasUsedMuchMemory = true }
    }

    /// The C library keeps what large requests and responses have used.
    private func returnMemory() {
        let isInUse = connections.size > ListenerSettings.largeSize
        if hasUsedMuchMemory, !isInUse { return_freed_memory() }
        hasUsedMuchMemory = isInUse
    }
}
