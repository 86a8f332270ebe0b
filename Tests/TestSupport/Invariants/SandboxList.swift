import Synchronization

/// The sandboxes that a test makes; kept until it is looked through them.
final class SandboxList: Sendable {
    @TaskLocal static var current: SandboxList?

    private let sandboxes = Mutex<[Sandbox]>([])

    var all: [Sandbox] { sandboxes.withLock { $0 } }

    func add(_ sandbox: Sandbox) {
        sandboxes.withLock { $0.append(sandbox) }
    }
}
