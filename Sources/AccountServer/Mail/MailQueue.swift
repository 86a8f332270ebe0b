import Platform

/// Finds accounts and writes e-mails to them on a thread of its own, so that the time of a response does not tell
/// whether an address has an account.
package final class MailQueue: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isStarted = false
    }

    private let state = Monitor(State())
    /// Receives the error of an e-mail that was not written.
    let report: @Sendable (String) -> Void

    package init(report: @escaping @Sendable (String) -> Void) { self.report = report }

    /// Runs the job after all earlier ones. If no thread can be started, the e-mail of a later request starts one.
    func add(_ job: @escaping @Sendable () -> Void) {
        let isFirst = state.change { state in
            state.jobs.append(job)
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        let isStarted = NativeThread.start(stackSize: 1 << 20) { [state] in
            while true {
                state.wait { $0.jobs.first }()
                state.change { _ = $0.jobs.removeFirst() }
            }
        }
        state.change { $0.isStarted = isStarted }
    }

    /// Waits until the e-mails of all earlier requests are written.
    package func finish() { state.wait { $0.jobs.isEmpty ? () : nil } }
}
