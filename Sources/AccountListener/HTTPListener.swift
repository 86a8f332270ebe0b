package import AccountServer
import CProcess
import LibC
import Platform

/// Serves the local accounts over HTTP.
///
/// The thread that calls `run` accepts connections. Each connection has its own thread, see `ClientConnection`.
package final class HTTPListener {
    private let settings: ListenerSettings
    private let sockets: [ListeningSocket]
    private let gate: RequestGate
    private var mostConnections: Int
    private var service: HTTPService?
    private var database: (path: String, identity: FileIdentity?)?
    /// Watches SIGINT and SIGTERM (see `endOnSignals`), or SIGCHLD (see `endWithChild`).
    private var signals: SignalWatch?
    private var isChildOver: () -> Bool = { false }

    /// The port that the server listens on.
    package let port: Int

    /// Binds the port. Incoming connections wait in the backlog until `run` is called.
    package init(_ settings: ListenerSettings) throws(ListenerError) {
        self.settings = settings
        mostConnections = settings.mostConnections
        sockets = try Self.bind(settings)
        port = sockets[0].port
        let address = settings.address.isWildcard ? [] : [settings.address.host]
        gate = RequestGate(
            port: port, allowedOrigins: settings.allowedOrigins, allowedHosts: address + settings.allowedHosts)
    }

    private static func bind(_ settings: ListenerSettings) throws(ListenerError) -> [ListeningSocket] {
        let addresses = [settings.address, settings.otherAddress].compactMap(\.self)
        // A free port of the first address may be in use at the second one.
        for attempt in 1... {
            var (sockets, failure) = ([ListeningSocket](), ListenerError.resources)
            var isInUse = false
            for address in addresses where !isInUse {
                let port = sockets.first?.port ?? settings.port
                let waiting = ListenerSettings.mostUnaccepted
                if let socket = ListeningSocket(address, port: port, waitingConnections: waiting) {
                    sockets.append(socket)
                    continue
                }
                let error = Errno.current
                isInUse = ![EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code)
                failure = .bind(address: address, port: port, reason: error.description)
            }
            if !isInUse, !sockets.isEmpty { return sockets }
            for socket in sockets { close(socket.number) }
            guard isInUse, settings.port == 0, sockets.count == 1, attempt < 20 else { throw failure }
        }
        throw .resources
    }

    /// The origin of the server's URLs, including the links in e-mails. If the server listens on all addresses, the
    /// origin contains the first allowed host, or 127.0.0.1 if no host is allowed.
    package var origin: String {
        guard settings.address.isWildcard else { return "http://\(sockets[0].address.host):\(port)" }
        guard let host = settings.allowedHosts.first else { return "http://127.0.0.1:\(port)" }
        return host.hasPort ? "http://\(host)" : "http://\(host):\(port)"
    }

    /// - Parameters:
    ///   - database: the path of the database that `routes` use; `nil` for a database in memory.
    ///   - controls: the test controls; `nil` if the server has none.
    package func prepare(_ routes: ParseRoutes, database: String?, controls: TestControls? = nil) {
        service = HTTPService(
            settings: settings, gate: gate, origin: origin, routes: routes, controls: controls)
        self.database = database.map { ($0, FileIdentity(path: $0)) }
    }

    /// Makes SIGINT and SIGTERM end `run`. Call this before the URL of the server is shown.
    package func endOnSignals() throws(ListenerError) {
        try watch([SIGINT, SIGTERM])
    }

    /// Makes `run` end when `isOver`, called after each SIGCHLD, returns true. Call this before starting the child.
    package func endWithChild(_ isOver: @escaping () -> Bool) throws(ListenerError) {
        isChildOver = isOver
        // authctl may have inherited an ignored SIGCHLD, which would make the kernel discard the child's exit code.
        restoreDefaultActions(of: [SIGCHLD])
        try watch([SIGCHLD])
    }

    private func watch(_ numbers: [Int32]) throws(ListenerError) {
        guard let watch = SignalWatch(numbers) else { throw .resources }
        signals = consume watch
        unblock_signals(numbers, Int32(numbers.count))
    }

    /// Answers requests until SIGINT or SIGTERM arrives, or the child process has ended.
    ///
    /// After SIGINT or SIGTERM, the server accepts the pending connections, closes idle connections, and gives
    /// requests in progress five seconds to finish. Slower requests are cut off when the process exits. After the child
    /// process has ended, the server stops at once, because only the child sent requests.
    ///
    /// - Throws: `ListenerError.databaseGone`.
    package func run() throws(ListenerError) {
        guard let service else { return }
        // Count the free descriptors only now, when the files of the database are open.
        let free = freeDescriptors()
        if free >= 0 { mostConnections = max(1, min(mostConnections, free - ListenerSettings.reservedDescriptors)) }
        var nextSecond = monotonicNow() + .seconds(1)
        while true {
            if let signal = wait(until: nextSecond) {
                if signal != SIGCHLD { return end(service) }
                if isChildOver() { return }
            }
            accept(service)
            guard monotonicNow() >= nextSecond else { continue }
            nextSecond = monotonicNow() + .seconds(1)
            return_freed_memory()
            // If the file was removed or replaced, the server would acknowledge new accounts but lose them.
            if let database, FileIdentity(path: database.path) != database.identity {
                throw .databaseGone(path: database.path)
            }
        }
    }

    /// Waits for a connection or a signal.
    ///
    /// - Returns: the signal, if one arrived.
    private func wait(until end: Duration) -> Int32? {
        var waiting = ([signals?.wakeUp ?? -1] + sockets.map(\.number)).map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        let left = (end - monotonicNow()).milliseconds
        let count = poll(&waiting, nfds_t(waiting.count), Int32(max(0, left) + 1))
        return count > 0 && waiting[0].revents != 0 ? signals?.take() : nil
    }

    /// Accepts a connection of each address if one is waiting.
    private func accept(_ service: HTTPService) {
        for socket in sockets { accept(service, socket.number) }
    }

    private func accept(_ service: HTTPService, _ socket: Int32) {
        let client = LibC.accept(socket, nil, nil)
        guard client >= 0 else {
            // Without a free descriptor, the connection stays queued and `poll` returns at once. Avoid a busy loop.
            if [EMFILE, ENFILE, ENOMEM].contains(Errno.current.code) { pause(.milliseconds(10)) }
            return
        }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        sendWithoutDelay(client)
        limitUnsentBytes(client)
        let hasRoom = service.connections.makeRoom(for: mostConnections)
        service.connections.open(client)
        if hasRoom, ClientConnection.serve(client, by: service) { return }
        service.connections.closed(client)
        _ = ParseResponses.busy.bytes(isLast: true).withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
        // Read the request before `close`: closing a connection with unread bytes could discard the response.
        var unread = [UInt8](repeating: 0, count: 16 << 10)
        _ = recv(client, &unread, unread.count, Int32(MSG_DONTWAIT))
        close(client)
    }

    private func end(_ service: HTTPService) {
        let start = monotonicNow()
        while monotonicNow() < start + ListenerSettings.acceptTime {
            _ = wait(until: start + ListenerSettings.acceptTime)
            accept(service)
        }
        for socket in sockets { close(socket.number) }
        service.connections.endIdle()
        service.connections.waitForEnd(atMost: start + ListenerSettings.shutdownTimeout - monotonicNow())
        // A second signal must not end the process with a different exit code.
        signals?.discard()
    }
}
