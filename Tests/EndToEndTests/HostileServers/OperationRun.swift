import Foundation
import TestSupport
import Testing

/// One run of authctl with `--json`, in its own sandbox with a session for the server.
///
/// Every secret contains the word "canary", except the password.
final class OperationRun {
    static let token = "r:canary-kept"
    static let clientKey = "canary-client-key"
    static let appID = "shop"

    let operation: Operation
    private let kind: ServerKind
    let world: Sandbox
    private let name: String
    private let program: RunningProgram
    /// All files before the run.
    let before: [String: [UInt8]]
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - url: the base URL in normal form, to which the session is bound.
    ///   - name: name of the case in messages.
    init(
        _ operation: Operation, at url: String, _ words: [String] = [], environment: [String: String?] = [:],
        name: String = "",
        world: Sandbox? = nil, kind: ServerKind = .parse, under: [String] = []
    ) throws {
        self.operation = operation
        self.kind = kind
        self.name = "\(operation.rawValue): \(name)"
        let world = try world ?? Sandbox()
        self.world = world
        try world.keepSession(for: url, kind)
        before = world.snapshot()
        let connection = ["--backend", kind.rawValue, "--server", url, "--json"] + kind.options
        program = try world.start(
            operation.words + connection + words, input: .password,
            environment: ["AUTHCTL_CLIENT_KEY": Self.clientKey].merging(environment) { $1 }, under: under)
    }

    /// Waits for the end of the run, and checks the exit code, the error and that no file has changed.
    ///
    /// - Returns: the error.
    @discardableResult
    func failure(
        _ exit: Int32, _ reasons: String..., within limit: Duration = .seconds(15),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        let result = finished(within: limit, sourceLocation)
        let comment: Comment = "\(name): \(result.exitCode ?? -1) \(result.everything)"
        #expect(result.exitCode == exit, comment, sourceLocation: sourceLocation)
        let error = try #require(stateOrError(of: result), comment, sourceLocation: sourceLocation)
        #expect(error.number("exit") == Int(exit), comment, sourceLocation: sourceLocation)
        #expect(reasons.contains(error.string("reason") ?? ""), comment, sourceLocation: sourceLocation)
        let kept =
            operation == .logout ? before.filter { !$0.key.hasPrefix("\(world.sessionFolder)/default~~") } : before
        #expect(world.snapshot() == kept, comment, sourceLocation: sourceLocation)
        return error
    }

    /// Waits for the end of the run, which must succeed.
    @discardableResult
    func success(
        within limit: Duration = .seconds(15), sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        let result = finished(within: limit, sourceLocation)
        let comment: Comment = "\(name): \(result.exitCode ?? -1) \(result.everything)"
        #expect(result.exitCode == 0, comment, sourceLocation: sourceLocation)
        // A logout with a Django key logs out all devices of the account, which causes a warning.
        let warns = kind == .restAuth && operation == .logout
        #expect(result.errorLines.count == (warns ? 1 : 0), comment, sourceLocation: sourceLocation)
        return try result.document()
    }

    /// Waits for the end of a command that reports the state of a session, and checks the exit code.
    func state(_ exit: Int32, sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONDocument {
        let result = finished(within: .seconds(15), sourceLocation)
        #expect(result.exitCode == exit, "\(name): \(result.everything)", sourceLocation: sourceLocation)
        return try result.document()
    }

    func send(_ signal: Int32) { program.send(signal) }

    /// Waits for the end of the run without any check.
    func end() -> Finished { program.wait() }

    /// Checks every run: it ends in time and without a signal, shows no secret, and leaves a readable session file.
    private func finished(within limit: Duration, _ sourceLocation: SourceLocation) -> Finished {
        let result = program.wait(atMost: .seconds(60))
        #expect(ContinuousClock.now - start < limit, "\(name) took too long", sourceLocation: sourceLocation)
        let comment: Comment = "\(name): \(result.everything)"
        #expect(result.signal == nil, comment, sourceLocation: sourceLocation)
        for secret in ["canary", Sandbox.password] {
            #expect(!result.everything.contains(secret), comment, sourceLocation: sourceLocation)
        }
        #expect(world.hasSoundSessions, comment, sourceLocation: sourceLocation)
        return result
    }

    /// The only error object. It is on standard error with an empty standard output, or in a document that reports a
    /// state.
    private func stateOrError(of result: Finished) -> JSONDocument? {
        guard !result.output.isEmpty else { return try? result.error() }
        guard operation.isIdempotent, result.stderr.isEmpty else { return nil }
        return try? result.document().object("error")
    }
}

/// Starts the runs and checks their results, a limited number at a time.
///
/// Each case is passed with its index.
func run<Case>(
    _ cases: [Case], atOnce: Int = 6, _ start: (Int, Case) throws -> OperationRun,
    then end: (Int, Case, OperationRun) throws -> Void
) rethrows {
    var running: [(Int, Case, OperationRun)] = []
    for (number, element) in cases.enumerated() {
        if running.count == atOnce {
            let (earliest, its, run) = running.removeFirst()
            try end(earliest, its, run)
        }
        running.append((number, element, try start(number, element)))
    }
    for (number, element, run) in running { try end(number, element, run) }
}
