package import Platform

/// Why a request has no usable response.
package struct TransportError: Error, Equatable {
    package enum Kind: Sendable, Equatable {
        case dns, connect, tls, proxy, timeout
        /// An invalid response, for example truncated, too large or not HTTP.
        case invalidResponse
        /// A redirect that is invalid or must not be followed.
        case redirect
        /// A redirect that only adds a slash to the path, for a method other than GET. Django sends such redirects.
        case missingSlash
        /// The request cannot be sent, for example because libcurl is missing or the URL is invalid.
        case unavailable
        /// A user's setting, such as the proxy, is invalid. Nothing was sent.
        case unusableSetting
        /// The body of the request could not be read, or the body of the response could not be passed to the sink.
        /// `ByteSource` or `BodySink` has the cause.
        case stream
        /// The embedded server does not have enough memory.
        case outOfMemory
        /// The embedded server could not use its database.
        case storage(FileError.Kind)
    }

    package let kind: Kind
    /// A clause with a subject, in lowercase, without a final period and without secrets.
    package let message: String
    /// The next steps, the best one first.
    package let hints: [String]
    /// Whether the server may have received any byte of the request. If so, the outcome is unknown.
    package let wasSent: Bool
    /// Whether the request must not be retried, because a retry would fail again or pass bytes to the sink twice.
    package let isFinal: Bool

    /// - Parameter hint: the only next step; replaces `hints`.
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

    /// A copy of the error with `isFinal` set, so that the request is not retried.
    package var asFinal: TransportError {
        TransportError(kind, message, hints: hints, wasSent: wasSent, isFinal: true)
    }

    /// Converts a file error from the embedded server.
    package init(_ error: FileError) {
        self.init(.storage(error.kind), error.message, hints: error.hints)
    }
}
