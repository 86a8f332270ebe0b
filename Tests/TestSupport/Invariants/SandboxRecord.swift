import Synchronization

/// Records which programs ran in a sandbox and which files the test wrote, to check the invariants afterwards.
final class SandboxRecord: Sendable {
    struct Run {
        let words: [String]
        let outputPath: String
        let errorPath: String
    }

    private struct State {
        var runs: [Run] = []
        var written: Set<String> = []
    }

    private let state = Mutex(State())

    /// Every start of a program, in order.
    var runs: [Run] { state.withLock { $0.runs } }

    /// The paths of files that the test wrote itself.
    var written: Set<String> { state.withLock { $0.written } }

    func add(_ run: Run) {
        state.withLock { $0.runs.append(run) }
    }

    func addWritten(_ path: String) {
        state.withLock { _ = $0.written.insert(path) }
    }
}

/// The sandboxes of a test, retained until their invariants are checked.
final class SandboxList: Sendable {
    @TaskLocal static var current: SandboxList?

    private let sandboxes = Mutex<[Sandbox]>([])

    var all: [Sandbox] { sandboxes.withLock { $0 } }

    func add(_ sandbox: Sandbox) {
        sandboxes.withLock { $0.append(sandbox) }
    }
}
