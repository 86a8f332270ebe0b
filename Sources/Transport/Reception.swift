package import Platform
import Synchronization

/// How the body of a response is received.
package enum Reception: Sendable, Equatable {
    /// The body is returned whole and decompressed, with at most `limit` bytes.
    case whole(limit: Int)
    /// The body is passed to the sink as it arrives, unchanged and of any size.
    ///
    /// A non-2xx response is returned with its body instead, because the request may be retried. If `holdsSuccess` is
    /// true, a 2xx response is returned too, so that the caller can read it first. `LibcurlTransport` returns a body of
    /// at most 1 MiB; it rejects a longer body of a 3xx response, and passes any other longer body to the sink.
    case streamed(BodySink, holdsSuccess: Bool)

    /// The sink; `nil` if the body is not streamed.
    package var sink: BodySink? {
        if case .streamed(let sink, _) = self { sink } else { nil }
    }
}

/// Receives the body of a response piece by piece.
package final class BodySink: Sendable {
    private let beginBody: @Sendable (HTTPResponse) throws(Errno) -> Void
    private let writePiece: @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void
    private let state = Mutex(State())

    private struct State {
        var hasBegun = false
        var count = 0
        var failure: Errno?
    }

    /// - Parameters:
    ///   - begin: receives the response without its body.
    ///   - write: receives the next bytes of the body.
    package init(
        begin: @escaping @Sendable (HTTPResponse) throws(Errno) -> Void,
        write: @escaping @Sendable (UnsafeRawBufferPointer) throws(Errno) -> Void
    ) {
        beginBody = begin
        writePiece = write
    }

    /// Whether `begin` was called. If so, the request must not be repeated.
    package var hasBegun: Bool { state.withLock { $0.hasBegun } }
    /// The number of bytes passed to `write`.
    package var count: Int { state.withLock { $0.count } }
    /// The error of `begin` or `write`; `nil` if neither failed.
    package var failure: Errno? { state.withLock { $0.failure } }

    /// Begins the body of a response. Returns `false` on failure.
    package func begin(_ response: HTTPResponse) -> Bool {
        state.withLock { $0.hasBegun = true }
        return attempt { () throws(Errno) in try beginBody(response) }
    }

    /// Writes the next bytes of the body. Returns `false` on failure.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { $0.count += bytes.count }
        return attempt { () throws(Errno) in try writePiece(bytes) }
    }

    private func attempt(_ body: () throws(Errno) -> Void) -> Bool {
        do throws(Errno) {
            try body()
            return true
        } catch {
            state.withLock { $0.failure = error }
            return false
        }
    }
}

extension BodySink: Equatable {
    package static func == (left: BodySink, right: BodySink) -> Bool { left === right }
}
