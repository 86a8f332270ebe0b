import AccountServer
import CLibevent
import Platform
import Transport

extension HTTPListener {
    func handle(_ request: OpaquePointer) {
        let exchange = Exchange(request)
        let start = monotonicNow()
        track(exchange)
        let origins = exchange.headers(named: "origin")
        if let refusal = gate.refusal(hosts: exchange.headers(named: "host"), origins: origins) {
            return finish(exchange, .refusal(refusal), start)
        }
        let isPreflight = !origins.isEmpty && exchange.method.rawValue == "OPTIONS"
        if let controls {
            let request = exchange.httpRequest(origin: origin)
            if controls.areAddressed(by: request) {
                return advance(exchange, start) { () throws(TransportError) in
                    .answer(try controls.answer(to: request))
                }
            }
            if !isPreflight, let fault = controls.fault(of: request) {
                return delay(exchange, start, request, fault)
            }
        }
        if isPreflight { return finish(exchange, .preflight, start) }
        advance(exchange, start) { [self] () throws(TransportError) in
            try begin(exchange.httpRequest(origin: origin))
        }
    }

    private func begin(_ request: HTTPRequest) throws(TransportError) -> Step {
        try routes?.begin(request) ?? .answer(.failure)
    }

    /// Pauses the request for the delay of the fault. Other requests go on.
    private func delay(_ exchange: Exchange, _ start: Duration, _ request: HTTPRequest, _ fault: Fault) {
        let id = pause(exchange, start, isFetch: false) { [self] _ throws(TransportError) in
            if let response = fault.response { return .answer(response) }
            return try begin(request)
        }
        guard fault.delay > .zero else { return resume(id, .delayed) }
        delayed[id] = start + fault.delay
        after(fault.delay, delayPassed)
    }

    /// One delay has passed. libevent's clock is coarse, so it is the one that ends first, even if some of it is left.
    func resumeDelayed() {
        guard let next = delayed.min(by: { $0.value < $1.value }) else { return }
        delayed[next.key] = nil
        resume(next.key, .delayed)
    }

    /// Runs a request until its response or its next pause.
    private func advance(
        _ exchange: Exchange, _ start: Duration, _ first: @escaping () throws(TransportError) -> Step
    ) {
        var step = first
        let turn = monotonicNow()
        do throws(TransportError) {
            while true {
                switch try step() {
                case .answer(let response): return finish(exchange, response, start)
                case .next(let rest):
                    // A batch has a step for each of its requests.
                    step = rest
                    exchange.lockedSince = nil
                    if !interrupted.isEmpty || monotonicNow() - turn > ListenerSettings.longestTurn {
                        return advanceLater(exchange, start, rest)
                    }
                case .hash(let job, let resume):
                    let id = pause(exchange, start, isFetch: false) { completion throws(TransportError) in
                        guard case .hash(let completion) = completion else { return .answer(.failure) }
                        return try resume(completion)
                    }
                    if !hash(id, job) { refuse(exchange, .unavailable) }
                    return
                case .fetch(let job, let resume):
                    let id = pause(exchange, start, isFetch: true) { completion throws(TransportError) in
                        guard case .fetch(let completion) = completion else { return .answer(.failure) }
                        return try resume(completion)
                    }
                    if !fetchers.submit(id, { .fetch(job.run()) }) { self.resume(id, .fetch(.noAnswer)) }
                    return
                }
            }
        } catch {
            if error.kind == .storage(.locked), retryLater(exchange, start, step) { return }
            report(error.message)
            finish(exchange, error.response, start)
        }
    }

    /// - Returns: `false` if too many jobs of connected clients are waiting.
    private func hash(_ id: UInt64, _ job: PasswordJob) -> Bool {
        if hashers.submit(id, { .hash(job.run()) }) { return true }
        for waiting in paused.values where !waiting.isFetch && waiting.exchange.job != id {
            if let connection = waiting.exchange.connection, self.connection(connection)?.isClosedByPeer == true {
                // libevent notices the end of a connection only when it reads. If reading is paused, a response resumes it.
                refuse(waiting.exchange, .unavailable)
            }
        }
        return hashers.submit(id) { .hash(job.run()) }
    }

    /// Tries a step again while another process locks the database. Waiting in SQLite would block all other requests.
    ///
    /// - Returns: `false` if the request has waited long enough.
    private func retryLater(
        _ exchange: Exchange, _ start: Duration, _ step: @escaping () throws(TransportError) -> Step
    ) -> Bool {
        let now = monotonicNow()
        let since = exchange.lockedSince ?? now
        guard now - since < ListenerSettings.lockPatience else { return false }
        exchange.lockedSince = since
        if locked.isEmpty { after(ListenerSettings.lockPause, retryTimePassed) }
        locked.append(resuming(exchange, start, step))
        return true
    }

    func retryLocked() {
        let waiting = locked
        locked = []
        takeTurns(waiting)
    }

    /// Runs the rests of requests. Those that are left after the longest turn run later, after other requests.
    private func takeTurns(_ rests: [() -> Void]) {
        let turn = monotonicNow()
        for (index, rest) in rests.enumerated() {
            guard monotonicNow() - turn <= ListenerSettings.longestTurn else {
                // Before the rest of the request that took this turn.
                return interrupt { $0.insert(contentsOf: rests[index...], at: 0) }
            }
            rest()
        }
    }

    private func interrupt(_ change: (inout [() -> Void]) -> Void) {
        // Without a delay libevent would call it before it reads other requests.
        if interrupted.isEmpty { after(.milliseconds(1), turnEnded) }
        change(&interrupted)
    }

    /// Runs the rest of a request after other requests had their turn.
    private func advanceLater(
        _ exchange: Exchange, _ start: Duration, _ step: @escaping () throws(TransportError) -> Step
    ) {
        interrupt { $0.append(resuming(exchange, start, step)) }
    }

    func resumeInterrupted() {
        let waiting = interrupted
        interrupted = []
        takeTurns(waiting)
    }

    private func resuming(
        _ exchange: Exchange, _ start: Duration, _ step: @escaping () throws(TransportError) -> Step
    ) -> () -> Void {
        if let connection = exchange.connection { self.connection(connection)?.watchForDisconnect() }
        return { [self] in
            if !exchange.isOver { advance(exchange, start, step) }
        }
    }

    private func report(_ text: String) {
        let now = monotonicNow()
        if let lastReport, lastReport.text == text, now - lastReport.time < .seconds(60) { return }
        lastReport = (text, now)
        settings.report?(text)
    }

    /// - Returns: the id under which the worker reports completion.
    private func pause(
        _ exchange: Exchange, _ start: Duration, isFetch: Bool,
        resume: @escaping (Completion) throws(TransportError) -> Step
    ) -> UInt64 {
        lastID += 1
        exchange.job = lastID
        if let connection = exchange.connection { self.connection(connection)?.watchForDisconnect() }
        paused[lastID] = Paused(exchange: exchange, isFetch: isFetch, start: start, resume: resume)
        return lastID
    }

    /// Does nothing if the request has been resumed before.
    func resume(_ id: UInt64, _ completion: Completion) {
        guard let waiting = paused.removeValue(forKey: id) else { return }
        advance(waiting.exchange, waiting.start) { () throws(TransportError) in try waiting.resume(completion) }
    }

    func collectHashes() { collect(from: hashers) }

    func collectFetches() { collect(from: fetchers) }

    private func collect(from workers: WorkerPool<Completion>) {
        takeTurns(workers.collect().map { result in { [self] in resume(result.id, result.completion) } })
    }

    /// Sends an error to a request that waits.
    func refuse(_ exchange: Exchange, _ response: HTTPResponse) {
        finish(exchange, response, cancelJob(of: exchange)?.start ?? monotonicNow())
    }

    /// - Returns: the request if it waited for a job.
    @discardableResult
    func cancelJob(of exchange: Exchange) -> Paused? {
        guard let job = exchange.job else { return nil }
        hashers.cancel(job)
        fetchers.cancel(job)
        return paused.removeValue(forKey: job)
    }

    private func finish(_ exchange: Exchange, _ response: consuming HTTPResponse, _ start: Duration) {
        if exchange.method == .head, !response.body.isEmpty { response = response.withoutBody }
        if let origin = exchange.headers["Origin"], response.status != RequestGate.Refusal.foreignOrigin.status {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
        }
        if let log = settings.log {
            let milliseconds = (monotonicNow() - start).milliseconds
            let path = controls?.masked(String(exchange.path)) ?? String(exchange.path)
            log("\(exchange.method.rawValue) \(path) \(response.status) \(milliseconds) ms")
        }
        guard !exchange.isOver, let connection = exchange.connection.flatMap({ self.connection($0) }) else { return }
        if response.body.count > ListenerSettings.largeSize {
            hasUsedMuchMemory = true
            let isTooMuch = connections.size + response.body.count > ListenerSettings.mostReceived
            // Other methods may have changed something, so their clients must get the response.
            if isTooMuch, exchange.method == .get { response = .unavailable }
        }
        connection.sendingBegins(response.body.count)
        // The last response before the end, unless the next request has arrived already.
        if shutdown != nil, !connection.hasPipelinedRequest { response.headers["Connection"] = "close" }
        response.headers["Date"] = date()
        exchange.answer(response)
        connection.sendNow()
    }

    /// The value of `Date`, formatted once per second. libevent would format it for each response.
    private func date() -> String {
        let seconds = WallClock.system.now().seconds
        if lastDate.seconds != seconds {
            lastDate = (seconds, "\(UTCTime(secondsSince1970: seconds).textWithWeekday) GMT")
        }
        return lastDate.text
    }
}

extension TransportError {
    /// The response to a request that could not use the database.
    fileprivate var response: HTTPResponse {
        switch kind {
        case .storage(.locked): .unavailable
        case .storage(.noSpace): .noSpace
        default: .failure
        }
    }
}
