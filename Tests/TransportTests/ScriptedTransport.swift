import Synchronization
import Testing
import Transport

/// Returns its responses in order, repeats the last one, and records the requests.
final class ScriptedTransport: HTTPTransport {
    typealias Answer = Result<HTTPResponse, TransportError>

    private let answers: [Answer]
    /// The duration of each request.
    private let delay: Duration
    private let clock: HandClock
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ answers: [Answer], delay: Duration = .zero, clock: HandClock = HandClock()) {
        self.answers = answers
        self.delay = delay
        self.clock = clock
    }

    var received: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let index = requests.withLock {
            $0.append(request)
            return $0.count - 1
        }
        clock.advance(by: delay)
        return try answers[min(index, answers.count - 1)].get()
    }
}

extension ScriptedTransport.Answer {
    static func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> Self {
        .success(HTTPResponse(status: status, headers: headers))
    }

    static func redirect(_ status: Int = 302, to location: String) -> Self {
        .status(status, ["Location": location])
    }

    static func failure(_ kind: TransportError.Kind, wasSent: Bool) -> Self {
        .failure(TransportError(kind, "connection reset", wasSent: wasSent))
    }
}

/// A clock that advances only if `pause` or `advance` is called.
final class HandClock: Sendable {
    private let time = Mutex<Duration>(.seconds(1000))
    private let asked = Mutex<[Duration]>([])

    /// The requested pauses.
    var pauses: [Duration] { asked.withLock { $0 } }

    @Sendable func now() -> Duration {
        time.withLock { $0 }
    }

    @Sendable func pause(_ length: Duration) {
        asked.withLock { $0.append(length) }
        advance(by: length)
    }

    func advance(by length: Duration) {
        time.withLock { $0 += length }
    }
}
