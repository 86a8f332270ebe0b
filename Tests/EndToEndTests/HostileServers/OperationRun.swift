import Foundation
import TestSupport
import Testing

/// One run of the program with `--json`, in a home folder of its own that holds a session for the server it asks.
///
/// Whatever is secret has the word "canary" in it, but for the password.
final class OperationRun {
    static let token = "r:canary-kept"
    static let clientKey = "canary-client-key"
    static let appID = "shop"

    let operation: Operation
    private let kind: ServerKind
    let world: Sandbox
    private let name: String
    private let program: RunningProgram
    /// All files, before it began.
    let before: [String: [UInt8]]
    private let start = ContinuousClock.now

    /// - Parameters:
    ///   - url: the base URL, in normal form: the session is bound to it.
    ///   - name: of the case, for messages.
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
            operation.words + connection + words, input: operation.input,
            environment: ["AUTHCTL_CLIENT_KEY": Self.clientKey].merging(environment) { $1 }, under: under)
    }

    /// Waits for its end, and holds it to what is promised of a failure.
    ///
    /// - Returns: the error.
    @discardableResult
    func failure(
        _ exit: Int32, _ reasons: String..., anyOf more: [String] = [], within limit: Duration = .seconds(15),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        let result = finished(within: limit, sourceLocation)
        let comment: Comment = "\(name): \(result.exitCode ?? -1) \(result.everything)"
        #expect(result.exitCode == exit, comment, sourceLocation: sourceLocation)
        let error = try #require(stateOrError(of: result), comment, sourceLocation: sourceLocation)
        #expect(error.number("exit") == Int(exit), comment, sourceLocation: sourceLocation)
        #expect((reasons + more).contains(error.string("reason") ?? ""), comment, sourceLocation: sourceLocation)
        let kept = operation == .logout ? before.filter { $0.key != world.sessionFile() } : before
        #expect(world.snapshot() == kept, comment, sourceLocation: sourceLocation)
        return error
    }

    /// Waits for its end, which has to be a good one.
    @discardableResult
    func success(
        within limit: Duration = .seconds(15), sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        let result = finished(within: limit, sourceLocation)
        let comment: Comment = "\(name): \(result.exitCode ?? -1) \(result.everything)"
        #expect(result.exitCode == 0, comment, sourceLocation: sourceLocation)
        // With a token of Django's go all devices of the account.
        let warns = kind == .restAuth && operation == .logout
        #expect(result.errorLines.count == (warns ? 1 : 0), comment, sourceLocation: sourceLocation)
        return try result.document()
    }

    /// Waits for the end of a command that tells what became of a session, whatever that is.
    func state(_ exit: Int32, sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONDocument {
        let result = finished(within: .seconds(15), sourceLocation)
        #expect(result.exitCode == exit, "\(name): \(result.everything)", sourceLocation: sourceLocation)
        return try result.document()
    }

    func send(_ signal: Int32) { program.send(signal) }

    /// Waits for its end, whatever that is.
    func end() -> Finished { program.wait() }

    /// What holds for every run: it ends in time, of itself, shows no secret, and leaves a session that can be read.
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

    /// The one error object: on standard error with nothing on standard output, but for a state that was found.
    private func stateOrError(of result: Finished) -> JSONDocument? {
        guard !result.output.isEmpty else { return try? result.error() }
        guard operation.isIdempotent, result.stderr.isEmpty else { return nil }
        return try? result.document().object("error")
    }
}

/// Makes runs and looks at their ends, some at a time: those that wait leave the processor to others.
///
/// Each case comes with its number, counted from 0.
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
