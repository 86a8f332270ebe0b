import AuthClient
package import AuthModel
package import Platform

/// Records warnings, notes and device codes in the journal.
package struct RecordedEvents: Events {
    package let journal: Journal

    package init(journal: Journal = Journal()) {
        self.journal = journal
    }

    package func warn(_ text: String, next step: NextStep?) {
        let hint = AuthError(.internal, "", next: step).hints.map { "; \($0)" }.joined()
        journal.add("warning: \(text)\(hint)")
    }

    package func note(_ text: String, next step: NextStep?) {
        journal.add("note: \(text)" + (step.map { "; \($0.sentence): \($0.command.joined(separator: " "))" } ?? ""))
    }

    package func inform(_ text: String, next step: NextStep?) { note(text, next: step) }

    package func show(_ code: DeviceCode, until end: Instant) {
        journal.add("code: \(code.userCode) at \(code.verificationURL) until \(end.text)")
    }
    package func began(_ activity: String) {}
    package func ended() {}
}
