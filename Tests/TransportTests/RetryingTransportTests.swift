import CommandTestSupport

@Suite struct RetryingTransportTests {
    private typealias Answer = ScriptedTransport.Answer

    let clock = HandClock()
    let notices = Journal()

    @Test(arguments: [TransportError.Kind.dns, .connect, .proxy, .timeout], [true, false])
    func `a request is tried three times if a DNS, connection, proxy or timeout error occurs before it is sent`(
        kind: TransportError.Kind, isIdempotent: Bool
    ) {
        expectThreeTries(isIdempotent: isIdempotent, .failure(kind, wasSent: false))
    }

    @Test(arguments: [TransportError.Kind.dns, .connect, .proxy, .timeout, .invalidResponse])
    func `an idempotent request without a response is tried three times`(kind: TransportError.Kind) {
        expectThreeTries(isIdempotent: true, .failure(kind, wasSent: true))
    }

    @Test(arguments: [TransportError.Kind.dns, .connect, .proxy, .timeout, .invalidResponse])
    func `a non-idempotent request is not repeated after it was sent`(kind: TransportError.Kind) {
        expectOneTry(isIdempotent: false, .failure(kind, wasSent: true))
    }

    @Test(
        arguments: [TransportError.Kind.tls, .redirect, .unavailable, .storage(.locked)],
        [(true, true), (true, false), (false, true), (false, false)])
    func `a request is not retried after an error of the kind tls, redirect, unavailable or storage`(
        kind: TransportError.Kind, request: (isIdempotent: Bool, wasSent: Bool)
    ) {
        expectOneTry(isIdempotent: request.isIdempotent, .failure(kind, wasSent: request.wasSent))
    }

    @Test func `an idempotent request is not retried if an invalid response arrived before the request was sent`() {
        expectOneTry(isIdempotent: true, .failure(.invalidResponse, wasSent: false))
    }

    @Test(arguments: [500, 502, 503, 504, 520], [nil, "soon"])
    func `an idempotent request is tried three times on status 500, 502-504 or 520`(status: Int, after: String?) {
        expectThreeTries(isIdempotent: true, .status(status, after.map { ["Retry-After": $0] } ?? [:]))
    }

    @Test(arguments: [500, 502, 503, 504, 520, 429], [nil, "1", "1000000000", "soon"])
    func `a non-idempotent request is not repeated on status 429 or a server error`(status: Int, after: String?) {
        expectOneTry(isIdempotent: false, .status(status, after.map { ["Retry-After": $0] } ?? [:]))
    }

    @Test(
        arguments: [
            200, 201, 204, 300, 301, 304, 400, 401, 403, 404, 408, 409, 418, 425, 499, 501, 505, 507, 511, 521, 599,
        ], [true, false])
    func `a status other than 429, 500, 502, 503, 504 or 520 causes no retry, even if Retry-After is set`(
        status: Int, isIdempotent: Bool
    ) {
        expectOneTry(isIdempotent: isIdempotent, .status(status, ["Retry-After": "1"]))
    }

    @Test(arguments: [nil, "soon"])
    func `a request is not retried on status 429 without a valid Retry-After`(after: String?) {
        expectOneTry(isIdempotent: true, .status(429, after.map { ["Retry-After": $0] } ?? [:]))
    }

    @Test(arguments: [429, 503])
    func `the pause before a retry has exactly the length of Retry-After`(status: Int) {
        let answer = Answer.status(status, ["Retry-After": "3"])
        let run = send(isIdempotent: true, answer)
        expect(run.requests.count, 3)
        expect(run.result, answer)
        expect(clock.pauses, [.seconds(3), .seconds(3)])
        expect(run.requests.map(\.timeLimit), [.seconds(30), .seconds(27), .seconds(24)])
    }

    @Test(arguments: [429, 503], ["0", "-5"])
    func `a Retry-After of 0 or less results in the usual pause before a retry`(status: Int, after: String) {
        expect(send(isIdempotent: true, .status(status, ["Retry-After": after])).requests.count, 3)
        expect(clock.pauses, [.milliseconds(75), .milliseconds(150)])
    }

    @Test(arguments: [429, 503], ["30", "31", "1000000000", "9223372036854775807"])
    func `a request is not retried if the pause would reach the time limit`(status: Int, after: String) {
        expectOneTry(isIdempotent: true, .status(status, ["Retry-After": after]))
        #expect(notices.lines.isEmpty)
    }

    @Test func `a request is not retried if the pause would exceed the remaining time after earlier pauses`() {
        let run = send(isIdempotent: true, .status(429, ["Retry-After": "20"]))
        expect(run.requests.count, 2)
        expect(clock.pauses, [.seconds(20)])
    }

    @Test func `a successful response ends the retries`() {
        let run = send(
            isIdempotent: true, .failure(.connect, wasSent: false), .status(503, ["Retry-After": "2"]), .status(200))
        expect(run.requests.count, 3)
        expect(run.result, .status(200))
        expect(clock.pauses, [.milliseconds(75), .seconds(2)])
    }

    @Test func `a non-idempotent request is retried only until an attempt has sent it`() {
        let run = send(isIdempotent: false, .failure(.dns, wasSent: false), .failure(.connect, wasSent: true))
        expect(run.requests.count, 2)
        expect(run.result, .failure(.connect, wasSent: true))
    }

    @Test(arguments: [(0, 50, 100), (0.5, 75, 150), (1, 100, 200)])
    func `retry pauses double, and jitter shortens each by at most half`(jitter: Double, first: Int, second: Int) {
        _ = send(isIdempotent: true, jitter: jitter, .status(500))
        expect(clock.pauses, [.milliseconds(first), .milliseconds(second)])
    }

    @Test func `each retry has the remaining time as its limit and requires a new connection`() {
        let run = send(isIdempotent: true, limit: .seconds(5), delay: .seconds(1), .failure(.timeout, wasSent: true))
        expect(run.requests.map(\.timeLimit), [.seconds(5), .milliseconds(3925), .milliseconds(2775)])
        var first = run.requests[0]
        first.timeLimit = .milliseconds(2775)
        first.wantsNewConnection = true
        expect(first, run.requests[2])
        expect(first.headers, ["X-Parse-Session-Token": "t"])
    }

    @Test(arguments: [Duration.seconds(5), .milliseconds(5050), .seconds(9)])
    func `no pause and no retry begins if the remaining time is shorter than the pause`(delay: Duration) {
        let failure = Answer.failure(.timeout, wasSent: true)
        let run = send(isIdempotent: true, limit: .milliseconds(5050), delay: delay, failure)
        expect(run.requests.count, 1)
        expect(run.result, failure)
        #expect(clock.pauses.isEmpty)
    }

    @Test func `no retry begins after a pause that took longer than the time limit`() {
        let run = send(isIdempotent: true, overslept: .seconds(40), .status(502))
        expect(run.requests.count, 1)
        expect(run.result, .status(502))
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `no request is sent if no time remains`(limit: Duration) throws {
        let run = send(isIdempotent: true, limit: limit, .status(200))
        #expect(run.requests.isEmpty)
        let error = try #require(throws: TransportError.self) { try run.result.get() }
        expect(error.kind, .timeout)
        #expect(!error.wasSent)
        error.expectMessage(in: "network/retries")
    }

    @Test(
        arguments: [ScriptedTransport.Answer.status(503, ["Retry-After": "1"]), .failure(.timeout, wasSent: true)],
        [1, 2])
    func `an idempotent request is sent at most as often as it allows`(answer: ScriptedTransport.Answer, tries: Int) {
        let run = send(isIdempotent: true, mostTries: tries, answer, answer)
        expect(run.requests.count, tries)
        expect(run.result, answer)
    }

    @Test func `each retry pause is announced with its reason`() {
        _ = send(
            isIdempotent: true, .failure(.connect, wasSent: false), .status(503, ["Retry-After": "3"]), .status(200))
        expect(clock.pauses, [.milliseconds(75), .seconds(3)])
        MessageFile("network/retries").expect(notices.lines.joined(separator: "\n"))
    }

    @Test func `a time limit shared by several requests covers their total time, but no other request`() throws {
        let inner = ScriptedTransport([Answer](repeating: .status(200), count: 6), delay: .seconds(12), clock: clock)
        let transport = RetryingTransport(inner, timeLimit: .seconds(30), retryAfter: { _ in nil }, clock: clock.now)
        let request = HTTPRequest(.get, "https://good.test/x")
        _ = try transport.send(request)
        let pages = transport.sharingTimeLimit()
        for _ in 1...3 { _ = try pages.send(request) }
        let error = #expect(throws: TransportError.self) { try pages.send(request) }
        expect(error?.kind, .timeout)
        expect(error?.wasSent, false)
        expect(inner.received.map(\.timeLimit), [30, 30, 18, 6].map { .seconds($0) })
        _ = try transport.send(request)
        expect(inner.received.last?.timeLimit, .seconds(30))
    }

    private func expectOneTry(
        isIdempotent: Bool, _ answer: ScriptedTransport.Answer, location: SourceLocation = #_sourceLocation
    ) {
        let run = send(isIdempotent: isIdempotent, answer)
        #expect(run.requests.count == 1, sourceLocation: location)
        #expect(run.result == answer, sourceLocation: location)
        #expect(clock.pauses.isEmpty, sourceLocation: location)
    }

    private func expectThreeTries(isIdempotent: Bool, _ answer: ScriptedTransport.Answer) {
        let run = send(isIdempotent: isIdempotent, answer)
        expect(run.requests.count, 3)
        expect(run.result, answer)
        expect(clock.pauses, [.milliseconds(75), .milliseconds(150)])
    }

    /// Sends one request through the retry policy, with a default time limit of 30 s.
    private func send(
        isIdempotent: Bool, mostTries: Int = 3, limit: Duration? = nil, delay: Duration = .zero,
        overslept: Duration = .zero,
        jitter: Double = 0.5, _ answers: ScriptedTransport.Answer...
    ) -> (requests: [HTTPRequest], result: ScriptedTransport.Answer) {
        let inner = ScriptedTransport(answers, delay: delay, clock: clock)
        let transport = RetryingTransport(
            inner, timeLimit: .seconds(30), retryAfter: { $0.headers["Retry-After"].flatMap { Int($0) } },
            clock: clock.now, jitter: { jitter }, pause: { [clock] in clock.pause($0 + overslept) },
            notice: notices.add)
        var request = HTTPRequest(
            .post, "https://good.test/x", headers: ["X-Parse-Session-Token": "t"], isIdempotent: isIdempotent)
        (request.timeLimit, request.mostTries) = (limit, mostTries)
        do throws(TransportError) {
            let response = try transport.send(request)
            return (inner.received, .success(response))
        } catch {
            return (inner.received, .failure(error))
        }
    }
}
