package import Platform

/// Retries requests if that is safe: at most three attempts, within the time limit.
///
/// | Failure | not idempotent | idempotent |
/// |---|---|---|
/// | DNS, connection or proxy error, or timeout, before anything was sent | retry | retry |
/// | the proxy rejects the request, for example its credentials (status 4xx) | no | no |
/// | a part of the response reached the sink, or the request body cannot be read again | no | no |
/// | the request was sent, but no complete response arrived | no | retry |
/// | 429 or 503, with a valid `Retry-After` | no | retry after that time; return the response if the time is too long |
/// | 500, 502, 503, 504, 520 | no | retry |
/// | any other response; any other error, such as a TLS or redirect error | no | no |
///
/// An invalid response counts as incomplete, because a truncated response may look malformed. Source: RFC 9110,
/// sections 9.2.2 and 10.2.3; RFC 6585, section 4.
package struct RetryingTransport: HTTPTransport {
    private static let tries = 3
    private static let firstPause = Duration.milliseconds(100)

    private let inner: any HTTPTransport
    private let timeLimit: Duration
    /// The time on `clock` at which the shared time limit of all requests ends; `nil` without a shared limit.
    private var sharedDeadline: Duration?
    private let retryAfter: @Sendable (HTTPResponse) -> Int?
    private let clock: @Sendable () -> Duration
    private let jitter: @Sendable () -> Double
    private let pause: @Sendable (Duration) -> Void
    private let notice: @Sendable (String) -> Void

    /// - Parameters:
    ///   - timeLimit: the limit for a request without its own limit, including all attempts and pauses.
    ///   - retryAfter: returns the seconds in `Retry-After`; `nil` if the field is missing or malformed.
    ///   - clock: returns the time since an unspecified start.
    ///   - jitter: returns a number from 0 to 1, so that clients that failed together do not retry together.
    ///   - notice: called before each pause, with its length and reason.
    package init(
        _ inner: any HTTPTransport, timeLimit: Duration, retryAfter: @escaping @Sendable (HTTPResponse) -> Int?,
        clock: @escaping @Sendable () -> Duration = { monotonicNow() },
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        pause: @escaping @Sendable (Duration) -> Void = { Platform.pause($0) },
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.inner = inner
        self.timeLimit = timeLimit
        self.retryAfter = retryAfter
        self.clock = clock
        self.jitter = jitter
        self.pause = pause
        self.notice = notice
    }

    package func sharingTimeLimit() -> any HTTPTransport {
        var copy = self
        copy.sharedDeadline = clock() + timeLimit
        return copy
    }

    /// Sends the request. Each attempt gets the remaining time. The last response or error is the result.
    ///
    /// - Throws: `TransportError` of kind `timeout`, with nothing sent, if the time limit is zero or negative.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let start = clock()
        let limit = min(request.timeLimit ?? timeLimit, sharedDeadline.map { $0 - start } ?? .seconds(Int64.max))
        let deadline = start + limit
        guard limit > .zero else { throw TransportError(.timeout, "no time left to send the request") }
        var attempt = request
        attempt.timeLimit = limit
        for number in 1..<Self.tries {
            let outcome = outcome(of: attempt)
            guard let fault = fault(in: outcome, of: request, number),
                waited(for: fault, after: number, until: deadline)
            else {
                return try outcome.get()
            }
            let left = deadline - clock()
            guard left > .zero else { return try outcome.get() }
            attempt.timeLimit = left
            attempt.wantsNewConnection = true
        }
        return try inner.send(attempt)
    }

    /// A failure that a retry may fix.
    private struct Fault {
        let text: String
        /// The pause that the server requests with `Retry-After`.
        var asked: Duration?
    }

    private func outcome(of attempt: HTTPRequest) -> Result<HTTPResponse, TransportError> {
        do throws(TransportError) {
            return .success(try inner.send(attempt))
        } catch {
            return .failure(error)
        }
    }

    private func fault(
        in outcome: Result<HTTPResponse, TransportError>, of request: HTTPRequest, _ number: Int
    ) -> Fault? {
        let isRetried = request.isIdempotent && number < request.mostTries
        return switch outcome {
        case .success(let response): isRetried && request.isRepeatable ? fault(in: response) : nil
        case .failure(let error): Self.mayRetry(after: error, isRetried) ? Fault(text: error.message) : nil
        }
    }

    private func fault(in response: HTTPResponse) -> Fault? {
        let asked = [429, 503].contains(response.status) ? retryAfter(response) : nil
        guard asked != nil || [500, 502, 503, 504, 520].contains(response.status) else { return nil }
        return Fault(text: "the server responded with HTTP \(response.status)", asked: asked.map { .seconds($0) })
    }

    /// - Parameter isRetried: whether the request may be repeated after it was sent.
    private static func mayRetry(after error: TransportError, _ isRetried: Bool) -> Bool {
        if error.isFinal { return false }
        return switch error.kind {
        case .dns, .connect, .proxy, .timeout: !error.wasSent || isRetried
        case .invalidResponse: error.wasSent && isRetried
        case .tls, .redirect, .missingSlash, .unavailable, .unusableSetting, .stream, .outOfMemory, .storage: false
        }
    }

    /// - Returns: false, without waiting, if the pause would reach the deadline.
    private func waited(for fault: Fault, after number: Int, until deadline: Duration) -> Bool {
        let most = Self.firstPause * (1 << (number - 1))
        // The usual pause is the minimum, even for `Retry-After: 0`.
        let length = max(fault.asked ?? .zero, most * (0.5 + jitter() / 2))
        guard length < deadline - clock() else { return false }
        notice("retrying in \(length.text): \(fault.text)")
        pause(length)
        return true
    }
}

/// Parses `Retry-After`.
///
/// The value is a number of seconds or a date. Source: RFC 9110, sections 10.2.3 and 5.6.7.
package enum RetryAfter {
    /// The longest pause in seconds: 31 years. Larger values are clamped to it.
    package static let longest = 1_000_000_000

    /// Returns whole seconds from now, 0 to `longest`; `nil` if the value is neither a number nor a date.
    package static func seconds(_ value: String, now: Instant) -> Int? {
        let words = value.split { $0 == " " || $0 == "\t" }
        if let word = words.first, words.count == 1 {
            guard word.isASCIIDigits else { return nil }
            // `Int(word)` is `nil` if the number is too large.
            return min(Int(word) ?? longest, longest)
        }
        return date(words).map { date in
            // Round up, because a retry that is too early would be rejected again.
            min(max(Int((date.milliseconds - now.milliseconds + 999) / 1000), 0), longest)
        }
    }

    /// Parses the date in a header field; `nil` if the date is malformed.
    package static func date(_ value: String) -> Instant? { date(value.split(separator: " ")) }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, or an obsolete form: `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850, the years
    /// 1970 to 2069) or `Sun Nov  6 08:49:37 1994` (asctime).
    private static func date(_ words: [Substring]) -> Instant? {
        let dashed = words.count == 4 ? words[1].split(separator: "-", omittingEmptySubsequences: false) : []
        switch words.count {
        case 6 where words[0].hasSuffix(",") && words[5] == "GMT":
            return instant(words[1], words[2], year: number(words[3], digits: 4), words[4])
        case 4 where words[0].hasSuffix(",") && words[3] == "GMT" && dashed.count == 3:
            let year = number(dashed[2], digits: 2).map { $0 + ($0 < 70 ? 2000 : 1900) }
            return instant(dashed[0], dashed[1], year: year, words[2])
        case 5:
            let day = words[2].utf8.count == 1 ? "0\(words[2])" : words[2]
            return instant(day, words[1], year: number(words[4], digits: 4), words[3])
        default: return nil
        }
    }

    private static func instant(_ day: Substring, _ month: Substring, year: Int64?, _ time: Substring) -> Instant? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(day, digits: 2), let month = months.firstIndex(where: { $0 == month }), let year,
            parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2)
        else { return nil }
        let date = UTCTime(
            year: year, month: Int64(month) + 1, day: day, hour: hour, minute: minute, second: second)
        return date.map { Instant(seconds: $0.secondsSince1970) }
    }

    private static func number(_ text: Substring, digits: Int) -> Int64? {
        guard text.utf8.count == digits, text.isASCIIDigits else { return nil }
        return Int64(text)
    }
}

extension HTTPResponse {
    /// The seconds in `Retry-After`; `nil` if the field is missing or malformed.
    ///
    /// A date counts from the response's own `Date`, because the server's clock may differ from `now`.
    package func retryAfter(now: Instant) -> Int? {
        let sent = headers["Date"].flatMap { RetryAfter.date($0) }
        return headers["Retry-After"].flatMap { RetryAfter.seconds($0, now: sent ?? now) }
    }
}
