import Synchronization

/// A value that a backend has learned from the server, kept for the rest of the process.
final class Remembered<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
