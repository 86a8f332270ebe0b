package import AuthModel
import Synchronization

/// A response for one call to a fake with a script.
package struct Step: Sendable {
    fileprivate let call: String
    fileprivate let result: any Sendable
    fileprivate let replacement: Session?
    fileprivate let isPassedOn: Bool

    /// A call that scripts can answer: `.logIn(.success(…))` is a step.
    package struct Call<Value: Sendable>: Sendable {
        fileprivate let name: String

        init(_ name: String) {
            self.name = name
        }

        /// - Parameter isPassedOn: whether the fake also calls `begin` of the sink of a streamed request.
        package func callAsFunction(
            _ result: Result<Value, AuthError>, replacement: Session? = nil, isPassedOn: Bool = false
        ) -> Step {
            Step(call: name, result: result, replacement: replacement, isPassedOn: isPassedOn)
        }
    }
}

/// The responses to calls. The test fails on a call that is not the next step, and on unused steps.
package final class Script: Sendable {
    private let fake: String
    private let journal: Journal
    private let steps: Mutex<[Step]>

    package init(_ steps: [Step] = [], _ journal: Journal = Journal(), of fake: String = "backend") {
        self.fake = fake
        self.steps = Mutex(steps)
        self.journal = journal
    }

    /// Records the line and the session of a call, and returns its response.
    func reply<Value>(
        _ call: Step.Call<Value>, _ line: String, _ session: Session? = nil,
        receive: (_ isPassedOn: Bool, Value) -> Void = { _, _ in }
    ) throws(BackendError) -> Reply<Value> {
        journal.add("\(fake): \(line)\(session.map { " \($0.token.reveal())" } ?? "")")
        let next = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let next, next.call == call.name, let result = next.result as? Result<Value, AuthError> else {
            throw .unscripted
        }
        let value: Value
        switch result {
        case .success(let scripted): value = scripted
        case .failure(let error):
            var failure = BackendError(error)
            failure.replacement = next.replacement
            throw failure
        }
        receive(next.isPassedOn, value)
        return Reply(value, replacement: next.replacement)
    }

    deinit {
        for step in steps.withLock({ $0 }) { complain("unused step of the \(fake): \(step)") }
    }
}

extension BackendError {
    static var unscripted: BackendError {
        complain("a call that is not in the script")
        return BackendError(.internal, "not in the script")
    }
}
