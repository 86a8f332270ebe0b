import Synchronization

/// The sandboxes of a test, retained until their invariants are checked.
final class SandboxList: Sendable {
    @TaskLocal static var current: SandboxList?

    private let sandboxes = Mutex<[Sandbox]>([])

    var all: [Sandbox] { sandboxes.withLock { $0 } }

    func add(_ sandbox: Sandbox) {
        sandboxes.withLock { $0.append(sandbox) }
    }
}
