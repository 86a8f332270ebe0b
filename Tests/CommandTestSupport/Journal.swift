import Synchronization

/// What the stubs of a test were asked to do, in one order, since the order is often the promise.
package final class Journal: Sendable {
    private let entries = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { entries.withLock { $0 } }

    package func add(_ line: String) {
        entries.withLock { $0.append(line) }
    }
}
