import CLibevent

extension HTTPListener {
    func connection(_ connection: OpaquePointer) -> Connection? {
        evhttp_connection_get_bufferevent(connection).flatMap { connections[$0] }
    }

    func track(_ exchange: Exchange) {
        guard let handle = exchange.connection, let connection = connection(handle) else { return }
        connection.begin(exchange)
        exchange.whenSent(responseSent, Unmanaged.passUnretained(connection).toOpaque())
    }

    /// The client closed the connection: the work for its request is not started, and a result is discarded.
    func closed(_ connection: OpaquePointer) {
        guard let stream = evhttp_connection_get_bufferevent(connection) else { return }
        if let exchange = connections[stream]?.exchange {
            cancelJob(of: exchange)
            exchange.abandon()
        }
        connections.closed(stream)
    }

    func newConnection() -> OpaquePointer? {
        if connections.count + 1 >= mostConnections { connections.forgetReleased() }
        // Without BEV_OPT_CLOSE_ON_FREE: evhttp closes the descriptor even while a `Connection` holds a reference.
        guard let stream = bufferevent_socket_new(base, -1, 0) else { return nil }
        connections.open(stream, listener: Unmanaged.passUnretained(self).toOpaque())
        if connections.count >= mostConnections {
            evconnlistener_disable(evhttp_bound_socket_get_listener(socket))
            if connections.shutDownLongestIdle() { after(.zero, acceptPauseEnded) }
        }
        // At once: clients could connect faster than the rest of the event loop runs.
        closePort()
        return stream
    }

    func resumeAccepting() {
        if shutdown?.hasClosedSocket != true { evconnlistener_enable(evhttp_bound_socket_get_listener(socket)) }
    }

    func sweep() {
        connections.sweep()
        routes?.removeDiscardedMails()
        endIfDatabaseIsGone()
        // Retries `accept`: file descriptors may be available again.
        resumeAccepting()
    }
}
