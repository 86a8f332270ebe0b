package import Platform

/// The settings of the listener.
package struct ListenerSettings: Sendable {
    package var address = IPAddress.loopback
    /// 0 means any free port.
    package var port: Int
    /// Names that requests may have in `Host`, in addition to loopback. A name without a port is accepted with the
    /// server's port.
    package var allowedHosts: [String] = []
    /// Origins that may send cross-origin requests.
    package var allowedOrigins: [String] = []
    /// The number of connections; fewer if the process may not open as many files.
    package var mostConnections = 256
    /// Called after every request: `POST /parse/login 200 45 ms`, without query, headers and body.
    package var log: (@Sendable (String) -> Void)?
    /// Called with a database error. A repeated error is reported at most once a minute, unless another error came
    /// between.
    package var report: (@Sendable (String) -> Void)?

    package init(port: Int) { self.port = port }

    /// The maximum size of the request line and headers, in bytes.
    static let largestHeader = 32 << 10
    /// The maximum body size in bytes; one more than the account server accepts, so that it sends its own 413.
    static let largestBody = (1 << 20) + 1
    /// The time for the head of a request, for a body and for a response, and for an idle connection. Each 16 KiB of a
    /// body or a response adds one second.
    static let patience = Duration.seconds(10)
    /// How long the server reads and discards the rest of a request after the last response of its connection.
    static let lingerTime = Duration.seconds(2)
    /// The maximum number of connections that wait to be accepted; as in Node.js.
    static let mostUnaccepted: Int32 = 511
    /// The descriptors that connections leave free for files, such as e-mails.
    static let reservedDescriptors = 8
    /// Bytes of the stack of a connection's thread, for JSON of 512 levels.
    #if DEBUG
        static let stackSize = 2 << 20
    #else
        static let stackSize = 512 << 10
    #endif
    /// How long the server accepts connections after the signal to end, and how long requests may then take.
    static let (acceptTime, shutdownTimeout) = (Duration.milliseconds(100), Duration.seconds(5))
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
