import Synchronization

/// Records the calls to several stubs in one list, because tests often check the order of the calls.
package final class Journal: Sendable {
    private let entries = Mutex<[String]>([])
    private let others = Mutex<(line: String, body: @Sendable () -> Void)?>(nil)

    package init() {}

    package var lines: [String] { entries.withLock { $0 } }

    package func add(_ line: String) {
        entries.withLock { $0.append(line) }
        let others = others.withLock { others in
            guard let next = others, next.line == line else { return nil as (@Sendable () -> Void)? }
            others = nil
            return next.body
        }
        others?()
    }

    /// Runs `body` once, during the next call that the journal records as `line`, to simulate another process.
    package func during(_ line: String, _ body: @escaping @Sendable () -> Void) {
        others.withLock { $0 = (line, body) }
    }

    deinit {
        if let next = others.withLock({ $0 }) { complain("nothing was asked as '\(next.line)'") }
    }
}
