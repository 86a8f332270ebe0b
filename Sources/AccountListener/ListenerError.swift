/// Why a server could not be started.
package enum ListenerError: Error, Equatable {
    /// The port is taken, or may not be used.
    case bind(port: Int, reason: String)
    /// The system has no memory, pipe or thread left.
    case resources
}
