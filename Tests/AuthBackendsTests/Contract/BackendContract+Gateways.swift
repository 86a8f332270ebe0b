import CommandTestSupport

@testable import AuthBackends

/// A response from a proxy, a gateway, a load balancer or a captive portal instead of the server.
struct GatewayResponse: Sendable {
    let name: String
    let response: HTTPResponse
    let reason: AuthError.Reason
    /// Whether the server behind the gateway may have executed the request.
    var losesOutcome = false

    static let page = "<html><title>Gateway</title></html>"

    static let all: [GatewayResponse] = [
        GatewayResponse(
            name: "401 page with a challenge",
            response: HTTPResponse(
                status: 401, headers: ["WWW-Authenticate": "Basic realm=\"x\""], body: Array(page.utf8)),
            reason: .forbidden),
        GatewayResponse(name: "401 without a body", response: HTTPResponse(status: 401), reason: .forbidden),
        GatewayResponse(
            name: "401 JSON of another form",
            response: HTTPResponse(status: 401, body: Array(#"{"message":"Unauthorized"}"#.utf8)), reason: .forbidden),
        GatewayResponse(
            name: "401 list", response: HTTPResponse(status: 401, body: Array("[]".utf8)), reason: .forbidden),
        GatewayResponse(
            name: "403 page", response: HTTPResponse(status: 403, body: Array(page.utf8)), reason: .forbidden),
        GatewayResponse(
            name: "407 page", response: HTTPResponse(status: 407, body: Array(page.utf8)), reason: .invalidResponse),
        GatewayResponse(
            name: "413 page", response: HTTPResponse(status: 413, body: Array(page.utf8)), reason: .invalidFields),
        GatewayResponse(name: "429 without a body", response: HTTPResponse(status: 429), reason: .rateLimited),
        GatewayResponse(
            name: "502 page", response: HTTPResponse(status: 502, body: Array(page.utf8)), reason: .serverFault,
            losesOutcome: true),
        GatewayResponse(
            name: "503 page", response: HTTPResponse(status: 503, body: Array(page.utf8)), reason: .serverFault),
        GatewayResponse(
            name: "504 without a body", response: HTTPResponse(status: 504), reason: .serverFault, losesOutcome: true),
        GatewayResponse(
            name: "200 page",
            response: HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: Array(page.utf8)),
            reason: .invalidResponse),
    ]

    /// The expected reason of the error if the gateway sends this response to one step of an operation.
    func reason(for step: ContractStep, of test: ContractCase) -> AuthError.Reason {
        let isUncertain = step.role == .main && test.backend.uncertain.contains(test.operation)
        return losesOutcome && isUncertain ? .outcomeUnknown : reason
    }
}

extension BackendContract {
    /// `RequestContract` tests the operation `request`.
    @Test(arguments: overNetwork.filter { $0.operation != .request })
    func `a gateway's response never means an invalid session or a wrong password`(test: ContractCase) throws {
        for gateway in GatewayResponse.all {
            for (index, step) in test.steps.enumerated() where step.role != .optional {
                // After a rejected username, a rest-auth password change tries the e-mail address, so respond twice.
                let answers = [ContractTransport.Fault](repeating: .success(gateway.response), count: 2)
                let transport = ContractTransport(test, failing: index, answers)
                let error = try failure { _ = try test.run(transport) }
                expect(error.reason, gateway.reason(for: step, of: test), "\(step.request), \(gateway.name)")
                expect(error.server?.status, gateway.response.status)
            }
        }
    }

    @Test(arguments: overNetwork)
    func `an HTTP error status is reported without the text of a gateway's HTML page`(test: ContractCase) throws {
        for gateway in GatewayResponse.all where gateway.response.status != 200 {
            let transport = ContractTransport(test, failing: test.mainStep, [.success(gateway.response)])
            let error = try failure { _ = try test.run(transport) }
            #expect(!error.allTexts.contains("Gateway") && !error.snapshot().contains("<"), "\(gateway.name)")
        }
    }

    /// An HTTP-date in Retry-After is compared with the clock of the backend.
    @Test(arguments: overNetwork)
    func `the Retry-After time of an overloaded server is reported`(test: ContractCase) throws {
        for (status, time) in [(429, "30"), (503, "Mon, 01 Jun 2026 00:00:30 GMT")] {
            let busy = HTTPResponse(status: status, headers: ["Retry-After": time], body: Array("<html>".utf8))
            let transport = ContractTransport(test, failing: test.mainStep, [.success(busy)])
            let error = try failure { _ = try test.run(transport) }
            expect(error.reason, .rateLimited)
            expect(error.retryAfter, 30)
        }
    }

    /// The response has the server's own format, so it does not come from a gateway.
    @Test(arguments: overNetwork)
    func `a 500 error in the server's own format is not reported as an unknown outcome`(test: ContractCase) throws {
        let fault = test.backend.serverFault
        for (index, step) in test.steps.enumerated() where step.role != .optional {
            let response = HTTPResponse(status: fault.status, body: Array(fault.body.utf8))
            let transport = ContractTransport(test, failing: index, [.success(response)])
            try expect(failure { _ = try test.run(transport) }.reason, .serverFault, "\(step.request)")
        }
    }
}
