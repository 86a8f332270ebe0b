import CommandTestSupport

@testable import AuthBackends

extension BackendContract {
    static let lossKinds: [(TransportError.Kind, AuthError.Reason)] = [
        (.connect, .connect), (.timeout, .timeout), (.invalidResponse, .invalidResponse), (.proxy, .proxy),
    ]

    // MARK: - Lost responses

    @Test(arguments: cases)
    func `a lost response leaves the outcome of a change uncertain, unless the change is idempotent`(
        test: ContractCase
    ) throws {
        for (kind, reason) in Self.lossKinds {
            let error = try Self.error(of: test, TransportError(kind, "it broke", hint: "fix it", wasSent: true))
            if test.backend.uncertain.contains(test.operation) {
                expect(error.reason, .outcomeUnknown)
                #expect(error.message.contains("it broke"))
                #expect(!error.nextSteps.isEmpty)
            } else {
                expect(error, AuthError(reason, "it broke", next: "fix it"))
            }
        }
    }

    @Test(arguments: cases)
    func `a failure before a request is sent is not reported as an unknown outcome`(test: ContractCase) throws {
        for (kind, reason) in Self.lossKinds {
            // A retry of a transport around this one would succeed.
            let error = try Self.error(of: test, TransportError(kind, "it broke", wasSent: false, isFinal: true))
            expect(error, AuthError(reason, "it broke"))
        }
    }

    @Test(arguments: cases)
    func `DNS, TLS, redirect, storage and configuration errors are reported unchanged`(test: ContractCase) throws {
        let kinds: [(TransportError.Kind, AuthError.Reason)] = [
            (.dns, .dns), (.tls, .tls), (.redirect, .redirect), (.unavailable, .internal), (.unusableSetting, .usage),
            (.storage(.unreadable), .unreadable), (.storage(.unsafe), .unsafe), (.storage(.corrupt), .corrupt),
            (.storage(.newerVersion), .newerVersion), (.storage(.locked), .locked), (.storage(.noSpace), .noSpace),
            (.storage(.notWritten), .notWritten),
        ]
        for (kind, reason) in kinds {
            let error = try Self.error(of: test, TransportError(kind, "it broke", hint: "fix it", wasSent: true))
            expect(error, AuthError(reason, "it broke", next: "fix it"))
        }
    }

    private static func error(of test: ContractCase, _ fault: TransportError) throws -> AuthError {
        try failure { _ = try test.run(ContractTransport(test, failing: test.mainStep, [.failure(fault)])) }
    }

    // MARK: - Retries

    @Test(arguments: cases)
    func `only an idempotent operation is retried after status 503`(test: ContractCase) throws {
        let busy = ContractTransport.Fault.success(HTTPResponse(status: 503))
        try expectRetries(of: test, busy, isRepeated: test.backend.repeated.contains(test.operation))
    }

    /// A password login is not repeated, because the lost attempt may count towards a lockout.
    @Test(arguments: cases)
    func `only an idempotent operation is retried after a lost response`(test: ContractCase) throws {
        let lost = ContractTransport.Fault.failure(TransportError(.timeout, "no response", wasSent: true))
        try expectRetries(of: test, lost, isRepeated: test.backend.repeated.contains(test.operation))
    }

    @Test(arguments: cases)
    func `every operation is retried if no part of the request was sent`(test: ContractCase) throws {
        let unsent = ContractTransport.Fault.failure(TransportError(.connect, "no connection", wasSent: false))
        try expectRetries(of: test, unsent, isRepeated: true)
    }

    /// Makes the main request of an operation fail, and checks whether the request is repeated.
    private func expectRetries(of test: ContractCase, _ fault: ContractTransport.Fault, isRepeated: Bool) throws {
        let transport = ContractTransport(test, failing: test.mainStep, [fault])
        let run = {
            _ = try test.run(transport) { inner in
                RetryingTransport(inner, timeLimit: .seconds(30), retryAfter: { _ in nil }, pause: { _ in })
            }
        }
        if isRepeated {
            try run()
            #expect(transport.isDone)
            expect(transport.received.count, test.steps.count + 1)
        } else {
            #expect(throws: BackendError.self) { try run() }
            expect(transport.received.count, test.mainStep + 1)
        }
    }
}
