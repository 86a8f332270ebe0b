package import Platform

package struct ListenerSettings: Sendable {
    package var address = IPAddress.loopback
    /// The address to listen on as well. One of both is enough if the system lacks the other.
    package var otherAddress: IPAddress?
    /// 0 means any free port.
    package var port: Int
    /// Accepted values of `Host` besides loopback and `address`. For a name without a port, only the server's port is
    /// accepted.
    package var allowedHosts: [String] = []
    /// Origins that may send cross-origin requests.
    package var allowedOrigins: [String] = []
    /// The maximum number of connections. It is lower if the process cannot open enough file descriptors.
    package var mostConnections = 256
    /// Receives a line for every request, such as `POST /parse/login 200 45 ms` (without the query). For a request with
    /// an invalid head or body, the line is like `rejected request 400`.
    package var log: (@Sendable (String) -> Void)?
    /// Called if a request fails because of a storage error or a lack of memory. A repeated error is reported at most
    /// once a minute, unless a different error occurred in between.
    package var report: (@Sendable (String) -> Void)?
    /// Receives a line for each `Host` and each `Origin` that is refused, once.
    package var warn: (@Sendable (String) -> Void)?

    package init(port: Int) { self.port = port }

    /// The maximum size of the request line and headers, in bytes.
    static let largestHeader = 32 << 10
    /// The maximum body size in bytes: one more than the account server accepts, so that the account server itself
    /// sends 413.
    static let largestBody = (1 << 20) + 1
    /// The maximum size in bytes of all responses together that clients have not read yet. Responses of at most
    /// `smallResponse` bytes do not count.
    static let mostQueued = 64 << 20
    static let smallResponse = 64 << 10
    /// The time limit for each request head, body and response, and for an idle connection. Each 16 KiB of a body or a
    /// response adds one second. A client that reads nothing of a response for this time is cut off.
    static let patience = Duration.seconds(10)
    /// The maximum time for which the server reads and discards input after the last response on a connection.
    static let lingerTime = Duration.seconds(2)
    /// The maximum number of connections waiting to be accepted (the backlog of `listen`). Node.js uses the same value.
    static let mostUnaccepted: Int32 = 511
    /// The number of file descriptors that connections leave free for other files, such as e-mail files.
    static let reservedDescriptors = 8
    /// The stack size of a connection's thread in bytes, enough for JSON nested 512 levels deep.
    #if DEBUG
        static let stackSize = 2 << 20
    #else
        static let stackSize = 512 << 10
    #endif
    /// How long after SIGINT or SIGTERM the server accepts connections, and how long requests may still take.
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
