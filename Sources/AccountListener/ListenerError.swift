/// Why a server could not be started.
package enum ListenerError: Error, Equatable {
    /// The port is taken, or may not be used.
    case bind(port: Int, reason: String)
    /// Another file stands in the place of the database, or none: what is written now would be lost.
    case databaseGone(path: String)
    /// The system has no memory, pipe or thread left.
    case resources
}
