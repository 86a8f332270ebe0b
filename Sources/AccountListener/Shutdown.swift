import CLibevent
import Platform

/// The time between the signal and the end of the server.
///
/// First the server accepts the connections that wait in the queue of the port, and closes the port. Every request that
/// has begun to arrive gets its response, with `Connection: close`. After three seconds requests that wait for other
/// servers are answered as if those were unreachable, and after four seconds all requests get status 503. The server
/// ends after five seconds, or earlier when nothing is in progress.
struct Shutdown {
    let start = monotonicNow()
    fileprivate(set) var hasClosedSocket = false
    fileprivate(set) var hasFailedFetches = false
    fileprivate(set) var hasRefused = false
}

extension HTTPListener {
    func end() {
        guard shutdown == nil else { return }
        shutdown = Shutdown()
        closePort()
        // The event loop reads the requests that have arrived before.
        after(.milliseconds(1), shutdownTimePassed)
    }

    /// After the signal, closes the port as soon as all connections are accepted.
    func closePort() {
        guard let shutdown, !shutdown.hasClosedSocket else { return }
        // A connection that waits to be accepted would be reset.
        let isLate = monotonicNow() - shutdown.start > .seconds(1)
        guard isLate || !isReadable(evhttp_bound_socket_get_fd(socket)) else { return }
        evhttp_del_accept_socket(http, socket)
        self.shutdown?.hasClosedSocket = true
    }

    func continueShutdown() {
        closePort()
        guard var shutdown else { return }
        let elapsed = monotonicNow() - shutdown.start
        if !shutdown.hasFailedFetches, elapsed >= ListenerSettings.fetchShutdownTimeout {
            shutdown.hasFailedFetches = true
            for (id, waiting) in paused where waiting.isFetch { resume(id, .fetch(.noAnswer)) }
        }
        if !shutdown.hasRefused, elapsed >= ListenerSettings.answerTimeout {
            shutdown.hasRefused = true
            refuseAll()
        }
        self.shutdown = shutdown
        if elapsed >= ListenerSettings.shutdownTimeout
            || shutdown.hasClosedSocket && connections.areQuiet(for: ListenerSettings.quietTime)
        {
            event_base_loopexit(base, nil)
        } else {
            after(.milliseconds(shutdown.hasClosedSocket ? 20 : 1), shutdownTimePassed)
        }
    }

    private func refuseAll() {
        for exchange in connections.answering { refuse(exchange, .shuttingDown) }
        for connection in connections.receiving { connection.reject(.shuttingDown) }
    }
}
