package import AccountServer
import CLibevent
import LibC
import Platform
import Transport

/// Serves the local accounts over HTTP.
///
/// One thread runs the event loop and is the only one that uses the database. One `WorkerPool` hashes passwords. A
/// second one sends requests to other servers, so that their delays never block a password login.
package final class HTTPListener {
    enum Completion: Sendable {
        case hash(PasswordJob.Completion)
        case fetch(FetchJob.Completion)
        case delayed
    }

    private let settings: ListenerSettings
    let base: OpaquePointer
    let http: OpaquePointer
    let socket: OpaquePointer
    private let hashers: WorkerPool<Completion>
    private let fetchers: WorkerPool<Completion>
    let connections: Connections
    /// Further connections would use the last descriptors.
    private var mostConnections = Int.max
    private var routes: ParseRoutes?
    private var controls: TestControls?
    private var database: (path: String, identity: FileIdentity?)?
    private var failure: ListenerError?
    private var events: [OpaquePointer] = []
    private(set) var paused: [UInt64: Paused] = [:]
    /// The requests that a fault delays, and when each of them goes on.
    private var delayed: [UInt64: Duration] = [:]
    private var lastID: UInt64 = 0
    private var lastDate: (seconds: Int64, text: String) = (.min, "")
    /// The requests to try again when the database may be unlocked.
    private var locked: [() -> Void] = []
    private var lastReport: (text: String, time: Duration)?
    /// `nil`: no signal to end has arrived.
    var shutdown: Shutdown?
    private var isChildOver: () -> Bool = { false }

    /// The port that the server listens on.
    package let port: Int
    private let gate: RequestGate

    /// A request that waits for a worker.
    struct Paused {
        let exchange: Exchange
        /// Whether it waits for another server; otherwise for a password hash.
        let isFetch: Bool
        let start: Duration
        let resume: (Completion) throws(TransportError) -> Step
    }

    /// Binds the port; requests are answered only after `run`.
    package init(_ settings: ListenerSettings) throws(ListenerError) {
        self.settings = settings
        guard let base = Self.newBase(), let http = evhttp_new(base),
            let hashers = WorkerPool<Completion>(
                threads: settings.hashingThreads, mostWaiting: ListenerSettings.mostHashesWaiting),
            let fetchers = WorkerPool<Completion>(
                threads: settings.fetchingThreads, mostWaiting: ListenerSettings.mostFetchesWaiting)
        else { throw .resources }
        self.base = base
        self.http = http
        self.hashers = hashers
        self.fetchers = fetchers
        guard let port = UInt16(exactly: settings.port),
            let socket = evhttp_bind_socket_with_handle(http, settings.address.text, port)
        else { throw .bind(address: settings.address, port: settings.port, reason: Errno.current.description) }
        self.socket = socket
        connections = Connections(patience: .seconds(ListenerSettings.patience), log: settings.log)
        self.port = Self.boundPort(socket)
        let address = settings.address.isWildcard ? [] : [settings.address.host]
        gate = RequestGate(
            port: self.port, allowedOrigins: settings.allowedOrigins, allowedHosts: address + settings.allowedHosts)
    }

    private static func newBase() -> OpaquePointer? {
        let configuration = event_config_new()
        defer { event_config_free(configuration) }
        // One `epoll_ctl` per request instead of four.
        event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST.rawValue))
        return event_base_new_with_config(configuration)
    }

    deinit {
        for event in events { event_free(event) }
        evhttp_free(http)
        event_base_free(base)
    }

    /// The origin of the server's URLs, also of those in e-mails. A server on all addresses is reached by its first
    /// allowed host, and without one at least from this machine.
    package private(set) lazy var origin: String = {
        guard settings.address.isWildcard else { return "http://\(settings.address.host):\(port)" }
        guard let host = settings.allowedHosts.first else { return "http://127.0.0.1:\(port)" }
        return host.hasPort ? "http://\(host)" : "http://\(host):\(port)"
    }()

    /// Registers the event handlers of requests.
    ///
    /// - Parameters:
    ///   - database: the path of the database that `routes` use; `nil` if it is in memory.
    ///   - controls: `nil`: the server has no test controls.
    package func prepare(
        _ routes: ParseRoutes, database: String?, controls: TestControls? = nil
    ) throws(ListenerError) {
        self.routes = routes
        self.controls = controls
        self.database = database.map { ($0, FileIdentity(path: $0)) }
        configure()
        let this = Unmanaged.passUnretained(self).toOpaque()
        evhttp_set_gencb(http, requestReceived, this)
        evhttp_set_bevcb(http, connectionOpened, this)
        evconnlistener_set_error_cb(evhttp_bound_socket_get_listener(socket), acceptFailed)
        try add(hashers.signal, EV_READ | EV_PERSIST, hashDone, this)
        try add(fetchers.signal, EV_READ | EV_PERSIST, fetchDone, this)
        var second = timeval(tv_sec: 1, tv_usec: 0)
        try add(-1, EV_PERSIST, secondPassed, this, every: &second)
    }

    /// From then on SIGINT and SIGTERM end `run`, so call this before the URL of the server is shown.
    package func endOnSignals() throws(ListenerError) {
        let this = Unmanaged.passUnretained(self).toOpaque()
        try add(SIGINT, EV_SIGNAL | EV_PERSIST, stopRequested, this)
        try add(SIGTERM, EV_SIGNAL | EV_PERSIST, stopRequested, this)
    }

    /// From then on `run` ends when a child process has ended and `isOver` returns true, so call this before the process
    /// is started.
    package func endWithChild(_ isOver: @escaping () -> Bool) throws(ListenerError) {
        isChildOver = isOver
        try add(SIGCHLD, EV_SIGNAL | EV_PERSIST, childEnded, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Answers requests until the end that `endOnSignals` or `endWithChild` has set.
    ///
    /// It returns at most five seconds after a signal, see `Shutdown`. Threads that still hash or wait for another
    /// server end with the process, which does not wait for them.
    ///
    /// - Throws: `ListenerError` `databaseGone`.
    package func run() throws(ListenerError) {
        // Only now: the files of the database are open.
        let descriptors = freeDescriptors()
        if descriptors >= 0 { mostConnections = max(1, descriptors - ListenerSettings.reservedDescriptors) }
        event_base_dispatch(base)
        if let failure { throw failure }
    }

    private func configure() {
        // libevent's messages concern single connections, and standard error belongs to authctl.
        event_set_log_callback { _, _ in }
        evhttp_set_max_headers_size(http, ListenerSettings.largestHeader)
        evhttp_set_max_body_size(http, ListenerSettings.largestBody)
        let methods = [
            EVHTTP_REQ_GET, EVHTTP_REQ_POST, EVHTTP_REQ_PUT, EVHTTP_REQ_DELETE, EVHTTP_REQ_HEAD, EVHTTP_REQ_OPTIONS,
        ]
        evhttp_set_allowed_methods(http, methods.reduce(0) { $0 | UInt16($1.rawValue) })
    }

    private func add(
        _ number: Int32, _ kind: Int32, _ callback: @escaping event_callback_fn, _ context: UnsafeMutableRawPointer,
        every interval: UnsafePointer<timeval>? = nil
    ) throws(ListenerError) {
        guard let event = event_new(base, number, Int16(kind), callback, context) else { throw .resources }
        events.append(event)
        guard event_add(event, interval) == 0 else { throw .resources }
    }

    private static func boundPort(_ socket: OpaquePointer) -> Int {
        // An IPv6 address is cut off; its port is in the same place.
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(evhttp_bound_socket_get_fd(socket), $0, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

// MARK: - Requests

extension HTTPListener {
    func handle(_ request: OpaquePointer) {
        let exchange = Exchange(request)
        let start = monotonicNow()
        track(exchange)
        let origins = exchange.headers(named: "origin")
        if let refusal = gate.refusal(
            target: exchange.target, hosts: exchange.headers(named: "host"), origins: origins)
        {
            return finish(exchange, .refusal(refusal), start)
        }
        let isPreflight = !origins.isEmpty && exchange.method.rawValue == "OPTIONS"
        if let controls {
            let request = exchange.httpRequest(origin: origin)
            if controls.areAddressed(by: request) {
                return advance(exchange, start) { () throws(TransportError) in
                    .answer(try controls.answer(to: request))
                }
            }
            if !isPreflight, let fault = controls.fault(of: request) {
                return delay(exchange, start, request, fault)
            }
        }
        if isPreflight { return finish(exchange, .preflight, start) }
        advance(exchange, start) { [self] () throws(TransportError) in
            try begin(exchange.httpRequest(origin: origin))
        }
    }

    private func begin(_ request: HTTPRequest) throws(TransportError) -> Step {
        guard let routes else { return .answer(.failure) }
        return try routes.begin(request)
    }

    /// Pauses the request for the delay of the fault. Other requests go on.
    private func delay(_ exchange: Exchange, _ start: Duration, _ request: HTTPRequest, _ fault: Fault) {
        let id = pause(exchange, start, isFetch: false) { [self] _ throws(TransportError) in
            if let response = fault.response { return .answer(response) }
            return try begin(request)
        }
        guard fault.delay > .zero else { return resume(id, .delayed) }
        delayed[id] = start + fault.delay
        after(fault.delay, delayPassed)
    }

    /// One delay has passed. libevent's clock is coarse, so it is the one that ends first, even if some of it is left.
    func resumeDelayed() {
        guard let next = delayed.min(by: { $0.value < $1.value }) else { return }
        delayed[next.key] = nil
        resume(next.key, .delayed)
    }

    /// Runs a request until its response or its next pause.
    private func advance(
        _ exchange: Exchange, _ start: Duration, _ step: @escaping () throws(TransportError) -> Step
    ) {
        do throws(TransportError) {
            switch try step() {
            case .answer(let response): finish(exchange, response, start)
            case .hash(let job, let resume):
                let id = pause(exchange, start, isFetch: false) { completion throws(TransportError) in
                    guard case .hash(let completion) = completion else { return .answer(.failure) }
                    return try resume(completion)
                }
                if !hashers.submit(id, { .hash(job.run()) }) { refuse(exchange, .unavailable) }
            case .fetch(let job, let resume):
                let id = pause(exchange, start, isFetch: true) { completion throws(TransportError) in
                    guard case .fetch(let completion) = completion else { return .answer(.failure) }
                    return try resume(completion)
                }
                if !fetchers.submit(id, { .fetch(job.run()) }) { self.resume(id, .fetch(.noAnswer)) }
            }
        } catch {
            if error.kind == .storage(.locked), retryLater(exchange, start, step) { return }
            report(error.message)
            finish(exchange, error.isTemporary ? .unavailable : .failure, start)
        }
    }

    /// Tries a step again while another process locks the database. Waiting in SQLite would block all other requests.
    ///
    /// - Returns: `false` if the request has waited long enough.
    private func retryLater(
        _ exchange: Exchange, _ start: Duration, _ step: @escaping () throws(TransportError) -> Step
    ) -> Bool {
        let now = monotonicNow()
        let since = exchange.lockedSince ?? now
        guard now - since < ListenerSettings.lockPatience else { return false }
        exchange.lockedSince = since
        if let connection = exchange.connection { self.connection(connection)?.watchForDisconnect() }
        if locked.isEmpty { after(ListenerSettings.lockPause, retryTimePassed) }
        locked.append { [self] in
            if !exchange.isOver { advance(exchange, start, step) }
        }
        return true
    }

    func retryLocked() {
        let waiting = locked
        locked = []
        for retry in waiting { retry() }
    }

    private func report(_ text: String) {
        let now = monotonicNow()
        if let lastReport, lastReport.text == text, now - lastReport.time < .seconds(60) { return }
        lastReport = (text, now)
        settings.report?(text)
    }

    /// - Returns: the id under which the worker reports completion.
    private func pause(
        _ exchange: Exchange, _ start: Duration, isFetch: Bool,
        resume: @escaping (Completion) throws(TransportError) -> Step
    ) -> UInt64 {
        lastID += 1
        exchange.job = lastID
        if let connection = exchange.connection { self.connection(connection)?.watchForDisconnect() }
        paused[lastID] = Paused(exchange: exchange, isFetch: isFetch, start: start, resume: resume)
        return lastID
    }

    /// Does nothing if the request has been resumed before.
    func resume(_ id: UInt64, _ completion: Completion) {
        guard let waiting = paused.removeValue(forKey: id) else { return }
        advance(waiting.exchange, waiting.start) { () throws(TransportError) in try waiting.resume(completion) }
    }

    func collectHashes() { collect(from: hashers) }

    func collectFetches() { collect(from: fetchers) }

    private func collect(from workers: WorkerPool<Completion>) {
        for (id, completion) in workers.collect() { resume(id, completion) }
    }

    /// Sends an error to a request that waits.
    func refuse(_ exchange: Exchange, _ response: HTTPResponse) {
        finish(exchange, response, cancelJob(of: exchange)?.start ?? monotonicNow())
    }

    /// - Returns: the request if it waited for a job.
    @discardableResult
    private func cancelJob(of exchange: Exchange) -> Paused? {
        guard let job = exchange.job else { return nil }
        hashers.cancel(job)
        fetchers.cancel(job)
        return paused.removeValue(forKey: job)
    }

    private func finish(_ exchange: Exchange, _ response: HTTPResponse, _ start: Duration) {
        var response = response
        if let origin = exchange.headers["Origin"],
            response.status != RequestGate.Refusal.foreignOrigin.status
        {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
        }
        if let log = settings.log {
            let milliseconds = (monotonicNow() - start).milliseconds
            let path = controls?.masked(String(exchange.path)) ?? String(exchange.path)
            log("\(exchange.method.rawValue) \(path) \(response.status) \(milliseconds) ms")
        }
        guard !exchange.isOver, let connection = exchange.connection.flatMap({ self.connection($0) }) else { return }
        connection.sendingBegins()
        // The last response before the end, unless the next request has arrived already.
        if shutdown != nil, !connection.hasPipelinedRequest { response.headers["Connection"] = "close" }
        response.headers["Date"] = date()
        exchange.answer(response)
        connection.sendNow()
    }

    /// The value of `Date`, formatted once per second. libevent would format it for each response.
    private func date() -> String {
        let seconds = WallClock.system.now().seconds
        if lastDate.seconds != seconds {
            lastDate = (seconds, "\(UTCTime(secondsSince1970: seconds).textWithWeekday) GMT")
        }
        return lastDate.text
    }
}

// MARK: - Connections

extension HTTPListener {
    private func connection(_ connection: OpaquePointer) -> Connection? {
        evhttp_connection_get_bufferevent(connection).flatMap { connections[$0] }
    }

    private func track(_ exchange: Exchange) {
        guard let handle = exchange.connection, let connection = connection(handle) else { return }
        connection.begin(exchange)
        exchange.whenSent(responseSent, Unmanaged.passUnretained(connection).toOpaque())
        evhttp_connection_set_closecb(handle, connectionClosed, Unmanaged.passUnretained(self).toOpaque())
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
        // Without BEV_OPT_CLOSE_ON_FREE: evhttp closes the descriptor even while a `Connection` holds a reference.
        guard let stream = bufferevent_socket_new(base, -1, 0) else { return nil }
        connections.open(stream)
        if connections.count >= mostConnections {
            evconnlistener_disable(evhttp_bound_socket_get_listener(socket))
            if connections.shutDownLongestIdle() { after(.zero, acceptPauseEnded) }
        }
        return stream
    }

    func resumeAccepting() {
        if shutdown?.hasClosedSocket != true { evconnlistener_enable(evhttp_bound_socket_get_listener(socket)) }
    }

    func sweep() {
        connections.sweep()
        endIfDatabaseIsGone()
        // Retries `accept`: file descriptors may be available again.
        resumeAccepting()
    }
}

// MARK: - Time

extension HTTPListener {
    /// Calls `callback` once.
    func after(_ duration: Duration, _ callback: @escaping event_callback_fn) {
        let (seconds, attoseconds) = duration.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
        // libevent measures from its cached time, which may be old.
        event_base_update_cache_time(base)
        event_base_once(base, -1, Int16(EV_TIMEOUT), callback, Unmanaged.passUnretained(self).toOpaque(), &time)
    }

    /// Stops the server if the database file was removed or replaced: further accounts would be acknowledged and lost.
    private func endIfDatabaseIsGone() {
        guard let database, FileIdentity(path: database.path) != database.identity else { return }
        failure = .databaseGone(path: database.path)
        event_base_loopbreak(base)
    }

    /// Requests in progress are dropped: the process that sent them has ended.
    func endIfChildIsOver() {
        if isChildOver() { event_base_loopbreak(base) }
    }
}

extension TransportError {
    /// Whether the database may be usable again without a new start.
    fileprivate var isTemporary: Bool {
        switch kind {
        case .storage(.locked), .storage(.noSpace), .storage(.notWritten): true
        default: false
        }
    }
}
