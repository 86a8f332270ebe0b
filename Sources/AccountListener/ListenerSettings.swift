/// How a server listens.
package struct ListenerSettings: Sendable {
    /// 0: any free one.
    package var port: Int
    /// Origins whose pages may call.
    package var allowedOrigins: [String]
    /// Passwords hashed at once.
    package var hashingThreads: Int
    /// Other servers asked at once.
    package var fetchingThreads: Int
    /// Is told of every request: `POST /parse/login 200 45 ms`, without query, header and body.
    package var log: (@Sendable (String) -> Void)?

    package init(
        port: Int, allowedOrigins: [String] = [], hashingThreads: Int = 2, fetchingThreads: Int = 4,
        log: (@Sendable (String) -> Void)? = nil
    ) {
        self.port = port
        self.allowedOrigins = allowedOrigins
        self.hashingThreads = hashingThreads
        self.fetchingThreads = fetchingThreads
        self.log = log
    }

    /// Bytes of a request's line and headers.
    static let largestHeader = 32 << 10
    /// Bytes of a body; one more than the account server takes, so that its own answer says so.
    static let largestBody = (1 << 20) + 1
    /// Seconds that a client may take for a whole request, and that a kept connection may be silent.
    static let patience = 10
    /// Questions to other servers that may wait for a thread; those beyond count as asked in vain.
    static let mostFetchesWaiting = 64
    /// Seconds that what is under way has from the wish to end on, and those of them that other servers have to answer.
    static let (shutdownTimeout, fetchShutdownTimeout) = (5, 3)
}

/// Why a server could not be started.
package enum ListenerError: Error, Equatable {
    /// The port is taken, or may not be used.
    case bind(port: Int, reason: String)
    /// Another file stands in the place of the database, or none: what is written now would be lost.
    case databaseGone(path: String)
    /// The system has no memory, pipe or thread left.
    case resources
}
