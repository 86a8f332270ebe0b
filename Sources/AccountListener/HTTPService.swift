import AccountServer
import Platform
import Transport

/// Answers the requests of all connections.
struct HTTPService: Sendable {
    let settings: ListenerSettings
    let gate: RequestGate
    /// The origin of the server's URLs.
    let origin: String
    let routes: ParseRoutes
    /// `nil` if the server has no test controls.
    let controls: TestControls?
    let connections = Connections()
    private let lastReport = Monitor((text: "", time: Duration.zero))
    /// The hosts and origins that were reported as refused.
    private let refusals = Monitor(Set<String>())

    /// Answers a request. The size of the response's body is queued in `connections`.
    ///
    /// - Parameter isAbandoned: whether the client is gone.
    func answer(_ head: RequestHead, _ body: [UInt8], isAbandoned: @escaping () -> Bool) -> HTTPResponse {
        let start = monotonicNow()
        let request = HTTPRequest(
            head.line.method, origin + head.line.target, headers: head.headers, body: body.isEmpty ? nil : body)
        let refusal = gate.refusal(
            hosts: head.headers.values("Host"), origins: head.headers.values("Origin"))
        if let refusal { warn(refusal.text) }
        var response = refusal.map { .refusal($0.status, $0.text) } ?? answer(request, isAbandoned)
        if head.line.isHead, !response.body.isEmpty { response = response.withoutBody }
        if !connections.queue(response.body.count) { response = ParseResponses.busy }
        if refusal == nil, let origin = head.headers["Origin"] {
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = "Origin"
        }
        if let log = settings.log {
            let path = String(head.line.target.prefix { $0 != "?" })
            let time = (monotonicNow() - start).milliseconds
            log("\(head.line.method.rawValue) \(controls?.masked(path) ?? path) \(response.status) \(time) ms")
        }
        return response
    }

    private func answer(_ request: HTTPRequest, _ isAbandoned: @escaping () -> Bool) -> HTTPResponse {
        let isPreflight = request.headers["Origin"] != nil && request.method == .options
        do throws(TransportError) {
            if let controls {
                if controls.areAddressed(by: request) { return try controls.answer(to: request) }
                if !isPreflight, let fault = controls.fault(of: request) {
                    pause(fault.delay)
                    if let response = fault.response { return response }
                }
            }
            return isPreflight ? .preflight : try routes.answer(to: request, isAbandoned: isAbandoned)
        } catch {
            report(error.message)
            return error.response
        }
    }

    /// The response to a request that is malformed, too large or not supported.
    func rejection(_ fault: RequestHead.Fault) -> HTTPResponse {
        let response = HTTPResponse.rejection(fault)
        settings.log?("rejected request \(response.status)")
        return response
    }

    /// Reports each refused host and origin once.
    private func warn(_ text: String) {
        // The limit bounds memory use.
        let isNew = refusals.change { $0.count < 100 && $0.insert(text).inserted }
        if isNew { settings.warn?("refused a request: \(text)") }
    }

    private func report(_ text: String) {
        let isNew = lastReport.change { last in
            let now = monotonicNow()
            guard last.text != text || now - last.time >= .seconds(60) else { return false }
            last = (text, now)
            return true
        }
        if isNew { settings.report?(text) }
    }
}

extension TransportError {
    /// The response to a request that failed because of a storage error or a lack of memory.
    fileprivate var response: HTTPResponse {
        switch kind {
        case .storage(.locked): ParseResponses.busy
        case .storage(.noSpace): ParseResponses.noSpace
        default: ParseResponses.failure(status: 500)
        }
    }
}
