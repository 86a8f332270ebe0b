import CommandTestSupport
import Platform

@testable import AuthBackends

/// The behavior that all backends share. Each test runs for all backends and operations to which it applies.
@Suite struct BackendContract {
    static let cases = ContractCase.all
    static let overNetwork = ContractCase.overNetwork

    static func cases(_ operations: ContractOperation...) -> [ContractCase] {
        cases.filter { operations.contains($0.operation) }
    }

    @Test(arguments: ContractBackend.all)
    func `the contract tests cover every ContractOperation that a backend supports`(contract: ContractBackend) {
        let backend = contract.make(ContractTransport(Self.cases[0]), Masker())
        let covered = Set(ContractOperation.allCases.filter { contract.steps($0, "ada") != nil })
        let offered = Set(ContractOperation.allCases.filter { $0.isOffered(by: backend) })
        expect(covered.union(contract.withoutRequest), offered)
        #expect(covered.isDisjoint(with: contract.withoutRequest))
    }

    @Test(arguments: cases)
    func `a backend operation sends the expected requests in order and succeeds`(test: ContractCase) throws {
        let transport = ContractTransport(test)
        _ = try test.run(transport)
        #expect(transport.isDone)
    }

    @Test(
        arguments: cases(
            .logIn, .secondFactor, .impersonate, .logInWithToken, .logInWithIdentity, .currentUser, .identities))
    func `a backend operation returns the user from the server's response`(test: ContractCase) throws {
        expect(test.backend.name(of: try test.run(ContractTransport(test)).user), "ada")
    }

    @Test(
        arguments: cases(.logIn, .secondFactor, .impersonate, .logInWithIdentity, .signUp).filter {
            $0.operation != .signUp || $0.backend.signUpStartsSession
        })
    func `a login or signup returns the session that the server issued`(test: ContractCase) throws {
        let session = try #require(try test.run(ContractTransport(test)).session)
        let given = ContractSample.tokens + [test.backend.session.token.reveal()]
        #expect(given.contains(session.token.reveal()))
    }

    /// Optional requests fetch details, such as the id of a new session, or revoke a session that is not needed.
    @Test(arguments: cases)
    func `a backend operation succeeds even if an optional request fails`(test: ContractCase) throws {
        for (index, step) in test.steps.enumerated() where step.role == .optional {
            for status in [404, 429, 500, 502] {
                let page = HTTPResponse(status: status, body: Array("<html>".utf8))
                let transport = ContractTransport(test, failing: index, [.success(page)])
                #expect(throws: Never.self, "\(step.request), \(status)") { try test.run(transport) }
            }
        }
    }
}
