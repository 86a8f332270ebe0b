package import Platform

/// Why there is no answer.
package struct TransportError: Error, Equatable {
    package enum Kind: Sendable, Equatable {
        case dns, connect, tls, proxy, timeout
        /// An answer that can't be one: cut off, too large, not HTTP.
        case brokenAnswer
        /// The server sends the request on to where it must not go.
        case redirect
        /// There is nothing on this machine to send it with.
        case unavailable
        /// What it was to be sent with, as somebody set it, cannot be used; nothing was sent.
        case unusableSetting
        /// The embedded server could not use its database.
        case storage(FileError.Kind)
    }

    package let kind: Kind
    /// What happened, with its subject: no capital, no full stop, no secret.
    package let message: String
    package let hint: String?
    /// Whether any byte of the request may have reached the server: then its effect is unknown.
    package let wasSent: Bool
    /// Whether another try cannot end in another way.
    package let isFinal: Bool

    package init(
        _ kind: Kind, _ message: String, hint: String? = nil, wasSent: Bool = false, isFinal: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.hint = hint
        self.wasSent = wasSent
        self.isFinal = isFinal
    }
}

extension TransportError {
    /// A file that the embedded server could not use.
    package init(_ error: FileError) {
        self.init(.storage(error.kind), error.message, hint: error.hint)
    }
}
