package import AccountServer
import CLibevent
import CProcess
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

    let settings: ListenerSettings
    let base: OpaquePointer
    let http: OpaquePointer
    let socket: OpaquePointer
    let hashers: WorkerPool<Completion>
    let fetchers: WorkerPool<Completion>
    let connections: Connections
    /// Further connections would use the last descriptors.
    var mostConnections = Int.max
    /// Whether a timer will end the pause in which no connections are accepted.
    var isAcceptPauseEnding = false
    /// Whether a large request or response was in memory since the last sweep.
    var hasUsedMuchMemory = false
    var routes: ParseRoutes?
    var controls: TestControls?
    private var database: (path: String, identity: FileIdentity?)?
    private var failure: ListenerError?
    private var events: [OpaquePointer] = []
    var paused: [UInt64: Paused] = [:]
    /// The requests that a fault delays, and when each of them goes on.
    var delayed: [UInt64: Duration] = [:]
    var lastID: UInt64 = 0
    var lastDate: (seconds: Int64, text: String) = (.min, "")
    /// The requests to try again when the database may be unlocked.
    var locked: [() -> Void] = []
    /// The rests of requests that have used the event loop for long enough.
    var interrupted: [() -> Void] = []
    var lastReport: (text: String, time: Duration)?
    /// `nil`: no signal to end has arrived.
    var shutdown: Shutdown?
    private var isChildOver: () -> Bool = { false }

    /// The port that the server listens on.
    package let port: Int
    let gate: RequestGate

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
        let descriptor = evhttp_bound_socket_get_fd(socket)
        // With libevent's limit of 128, some clients of a burst would wait for a second.
        listen(descriptor, ListenerSettings.mostUnaccepted)
        sendWithoutDelay(descriptor)
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
        // Their streams use the event base.
        connections.forgetAll()
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
        unblock_signals([SIGINT, SIGTERM], 2)
    }

    /// From then on `run` ends when a child process has ended and `isOver` returns true, so call this before the process
    /// is started.
    package func endWithChild(_ isOver: @escaping () -> Bool) throws(ListenerError) {
        isChildOver = isOver
        try add(SIGCHLD, EV_SIGNAL | EV_PERSIST, childEnded, Unmanaged.passUnretained(self).toOpaque())
        unblock_signals([SIGCHLD], 1)
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

extension HTTPListener {
    /// Calls `callback` once. Use at least one millisecond: libevent handles no other events before a shorter time ends.
    func after(_ duration: Duration, _ callback: @escaping event_callback_fn) {
        let (seconds, attoseconds) = duration.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
        // libevent measures from its cached time, which may be old.
        event_base_update_cache_time(base)
        event_base_once(base, -1, Int16(EV_TIMEOUT), callback, Unmanaged.passUnretained(self).toOpaque(), &time)
    }

    /// Stops the server if the database file was removed or replaced: further accounts would be acknowledged and lost.
    func endIfDatabaseIsGone() {
        guard let database, FileIdentity(path: database.path) != database.identity else { return }
        failure = .databaseGone(path: database.path)
        event_base_loopbreak(base)
    }

    /// Requests in progress are dropped: the process that sent them has ended.
    func endIfChildIsOver() {
        if isChildOver() { event_base_loopbreak(base) }
    }
}
