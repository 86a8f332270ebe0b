package import Platform

/// The settings of the listener.
package struct ListenerSettings: Sendable {
    package var address: IPAddress
    /// 0 means any free port.
    package var port: Int
    /// Names beside those of loopback that requests may have in `Host`; with a port, or with that of the server.
    package var allowedHosts: [String]
    /// Origins that may send cross-origin requests.
    package var allowedOrigins: [String]
    /// The number of passwords hashed in parallel.
    package var hashingThreads: Int
    /// The number of parallel requests to other servers.
    package var fetchingThreads: Int
    /// Called after every request: `POST /parse/login 200 45 ms`, without query, headers and body.
    package var log: (@Sendable (String) -> Void)?
    /// Called with an error of the database, once until another one occurs or a minute has passed.
    package var report: (@Sendable (String) -> Void)?

    package init(
        address: IPAddress = .loopback, port: Int, allowedHosts: [String] = [], allowedOrigins: [String] = [],
        hashingThreads: Int, fetchingThreads: Int = 4, log: (@Sendable (String) -> Void)? = nil,
        report: (@Sendable (String) -> Void)? = nil
    ) {
        self.address = address
        self.port = port
        self.allowedHosts = allowedHosts
        self.allowedOrigins = allowedOrigins
        self.hashingThreads = hashingThreads
        self.fetchingThreads = fetchingThreads
        self.log = log
        self.report = report
    }

    /// The maximum size of the request line and headers, in bytes.
    static let largestHeader = 32 << 10
    /// The maximum body size in bytes; one more than the account server accepts, so that it sends its own 413.
    static let largestBody = (1 << 20) + 1
    /// The bytes that all requests and responses in progress may have; further large ones get status 503. Parsed, they
    /// take a multiple.
    static let mostReceived = 32 << 20
    /// Requests and responses of more bytes leave free memory that the system gets back.
    static let largeSize = 64 << 10
    /// Seconds for a whole request, and for an idle connection.
    static let patience = 10
    /// The maximum number of connections that wait to be accepted; as in Node.js.
    static let mostUnaccepted: Int32 = 511
    /// The maximum number of requests to other servers that wait for a thread; any more fail at once.
    static let mostFetchesWaiting = 64
    /// The maximum number of passwords that wait to be hashed; further requests get status 503.
    static let mostHashesWaiting = 64
    /// How long a request waits until another process unlocks the database, and the pause between its attempts.
    static let (lockPatience, lockPause) = (Duration.seconds(2), Duration.milliseconds(20))
    /// How long a request may use the event loop before others have their turn, if it consists of several steps.
    static let longestTurn = Duration.milliseconds(20)
    /// The descriptors kept free for other files than connections, such as e-mails.
    static let reservedDescriptors = 4
    /// After the signal to end: when requests that wait for other servers fail, when all others get status 503, and when
    /// the server ends.
    static let (fetchShutdownTimeout, answerTimeout, shutdownTimeout) = (
        Duration.seconds(3), Duration.seconds(4), Duration.seconds(5)
    )
    /// How long nothing must arrive before the server ends.
    static let quietTime = Duration.milliseconds(100)
}

/// Why the server cannot start or had to stop.
package enum ListenerError: Error, Equatable {
    /// The port is in use or not permitted, or the machine does not have the address.
    case bind(address: IPAddress, port: Int, reason: String)
    /// The database file was removed or replaced: further writes would be lost.
    case databaseGone(path: String)
    /// The system is out of memory, file descriptors or threads.
    case resources
}
