import Platform
import Synchronization
import Transport

/// Records the response that a transport passes to `sink`.
final class RecordingSink: Sendable {
    private struct State {
        var heads: [HTTPResponse] = []
        var bytes: [UInt8] = []
    }

    private let state = Mutex(State())
    private let failure: Errno?
    private let limit: Int

    /// - Parameter failure: the error of each write that brings the total above `limit` bytes; `nil` if no write fails.
    init(failing failure: Errno? = nil, after limit: Int = 0) {
        self.failure = failure
        self.limit = limit
    }

    var heads: [HTTPResponse] { state.withLock { $0.heads } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }

    var sink: BodySink {
        BodySink(
            begin: { [self] response throws(Errno) in state.withLock { $0.heads.append(response) } },
            write: { [self] piece throws(Errno) in
                let count = state.withLock { state in
                    state.bytes += piece
                    return state.bytes.count
                }
                if let failure, count > limit { throw failure }
            })
    }

    /// A request whose response is passed to this sink.
    func request(
        _ url: String, _ method: HTTPRequest.Method = .get, holdsSuccess: Bool = false, stallLimit: Duration? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(method, url)
        request.reception = .streamed(sink, holdsSuccess: holdsSuccess)
        request.stallLimit = stallLimit
        return request
    }
}
