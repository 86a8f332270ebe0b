package import Platform

/// Why there is no response.
package struct TransportError: Error, Equatable {
    package enum Kind: Sendable, Equatable {
        case dns, connect, tls, proxy, timeout
        /// An invalid response: truncated, too large, not HTTP.
        case invalidResponse
        /// A redirect that must not be followed.
        case redirect
        /// A redirect of another method than GET that only adds a slash to the path. Django sends it.
        case missingSlash
        /// The request cannot be sent from this machine.
        case unavailable
        /// A setting of the user, such as the proxy, is invalid; nothing was sent.
        case unusableSetting
        /// The body of the request could not be read, or the body of the response could not be passed on. `ByteSource` and
        /// `BodySink` know why.
        case stream
        /// The embedded server has not enough memory.
        case outOfMemory
        /// The embedded server could not use its database.
        case storage(FileError.Kind)
    }

    package let kind: Kind
    /// What happened, with its subject: no capital, no full stop, no secret.
    package let message: String
    /// The next steps, the best one first.
    package let hints: [String]
    /// Whether the server may have received any byte of the request: then the outcome is unknown.
    package let wasSent: Bool
    /// Whether a retry cannot succeed, or would pass bytes on a second time.
    package let isFinal: Bool

    /// - Parameter hint: the only next step; instead of `hints`.
    package init(
        _ kind: Kind, _ message: String, hint: String? = nil, hints: [String] = [], wasSent: Bool = false,
        isFinal: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.hints = hint.map { [$0] } ?? hints
        self.wasSent = wasSent
        self.isFinal = isFinal
    }
}

extension TransportError {
    /// The error, marked so that the request is not repeated.
    package var asFinal: TransportError {
        TransportError(kind, message, hints: hints, wasSent: wasSent, isFinal: true)
    }

    /// Converts a file error of the embedded server.
    package init(_ error: FileError) {
        self.init(.storage(error.kind), error.message, hints: error.hints)
    }
}
