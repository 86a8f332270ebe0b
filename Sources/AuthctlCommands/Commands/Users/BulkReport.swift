import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform
import Synchronization

/// Reports each row of a bulk command while the command runs, and then prints a summary.
final class BulkReport: Sendable {
    fileprivate struct State {
        var counts: [BulkResult.State: Int] = [:]
        var lastProgress = Duration.zero
        /// The accounts that wait for the verification of their e-mail.
        var waiting = 0
        /// The new accounts whose logins need a second factor.
        var factors = 0
        /// The accounts that count as deleted without certainty.
        var presumed = 0
        /// The causes of errors, in the order of their first rows.
        var causes: [(text: String, count: Int)] = []
        var remedies: [NextStep] = []
    }

    /// The number of rows with the same cause that are printed one by one.
    private static let shownRows = 3

    private let context: Context
    private let jobs: Int
    /// The activity for progress messages, such as "creating accounts".
    private let activity: String
    /// The number of rows; `nil` if the number is unknown before the end of the input.
    private let total: Int?
    private let interval: Duration
    private let acceptable: Set<BulkResult.State>
    /// The states that the summary contains even with a count of 0.
    private let shown: Set<BulkResult.State>
    /// Members to add to the summary.
    private let members: JSONObject
    /// The number of accounts that a deletion does not touch, because they existed before.
    private let kept: Int
    /// The command that verifies the e-mails of the accounts that wait; `nil` if none can wait.
    private let verification: [String]?
    /// How to continue after an interruption, and what that does.
    private let continuation: String
    private let goal: String
    private let start: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - perMinute: the default of `--rate`; `nil` for no limit.
    ///   - acceptable: states that usually count as failures, but not in this run.
    init(
        _ context: Context, _ activity: String, _ options: BulkOptions, total: Int?, perMinute: Int? = nil,
        acceptable: Set<BulkResult.State> = [],
        shown: Set<BulkResult.State> = [.created, .existing, .skipped, .failed, .unknown], members: JSONObject = [:],
        kept: Int = 0, verification: [String]? = nil,
        continuation: String = "run the same command again", goal: String = "continue"
    ) {
        self.context = context
        self.activity = activity
        self.total = total
        jobs = options.jobs
        interval = options.interval ?? perMinute.map { .seconds(60) / $0 } ?? .zero
        self.acceptable = acceptable
        self.shown = shown
        self.members = members
        self.kept = kept
        self.verification = verification
        self.continuation = continuation
        self.goal = goal
        start = context.world.uptime()
        if let total, interval * total > .seconds(60) {
            context.events.note("\(total) rows at \(interval.perMinute)/min: \((interval * total).longText)")
        }
    }

    /// Counts the row. If the output is JSON, prints the row; otherwise prints only the error of a failed row, unless
    /// three rows before it failed for the same cause.
    func add(_ result: BulkResult) throws(AuthError) {
        try state.withLock { state throws(AuthError) in
            state.counts[result.state, default: 0] += 1
            if result.pending == .emailVerification { state.waiting += 1 }
            if [.secondFactor, .logInCode].contains(result.pending) { state.factors += 1 }
            if result.isPresumed { state.presumed += 1 }
            if context.printer.format == .json {
                try context.printer.announce(JSONLine(json: json(result)))
            } else if let error = result.error, result.state != .skipped, !acceptable.contains(result.state) {
                reject(result, error, &state)
            }
            let now = context.world.uptime()
            guard now - state.lastProgress > .milliseconds(200) else { return }
            state.lastProgress = now
            context.events.progressed(progress(state, now))
        }
    }

    private func reject(_ result: BulkResult, _ error: AuthError, _ state: inout State) {
        if let remedy = result.remedy, !state.remedies.contains(remedy) { state.remedies.append(remedy) }
        let isUnknown = result.state == .unknown && error.reason != .outcomeUnknown
        let message = ErrorReport(error, context.hints).rowText + (isUnknown ? "; the outcome is unknown" : "")
        // The name of the account does not distinguish causes.
        let text = result.name.count < 3 ? message : message.replacing(result.name, with: "…")
        let known = state.causes.firstIndex { $0.text == text }
        if known == nil, state.causes.count < 1000 { state.causes.append((text, 0)) }
        let index = known ?? state.causes.indices.last ?? 0
        state.causes[index].count += 1
        guard state.causes[index].count <= Self.shownRows || state.causes[index].text != text else { return }
        let name = result.name.isEmpty ? "" : " '\(result.name)'"
        context.events.reject("\(result.place)\(name): \(message)")
    }

    /// Prints the causes of the rows that were not printed, and the steps that help.
    private func rejectRest() {
        let (causes, remedies) = state.withLock { ($0.causes, $0.remedies) }
        for cause in causes where cause.count > Self.shownRows {
            let rest = cause.count - Self.shownRows
            context.events.reject("\(rest) more \(rest == 1 ? "row" : "rows"): \(cause.text)")
        }
        for remedy in remedies { context.events.suggest(remedy) }
    }

    private func warnOfPresumed(_ backend: BackendDescriptor) {
        let count = state.withLock { $0.presumed }
        guard count > 0 else { return }
        let needsKey = backend.has(.takesServer)
        let certainty = "; \(needsKey ? "with --admin-key-file" : "without passwords") it is certain"
        context.warn(
            "\(count) counted as deleted, because their login is refused after a deletion without an answer"
                + (needsKey && backend.adminKey == nil ? "" : certainty))
    }

    private func progress(_ state: State, _ now: Duration) -> String {
        let done = state.counts.values.reduce(0, +)
        let new = done - (state.counts[.skipped] ?? 0)
        let perRow = max(interval, new == 0 ? .zero : (now - start) / new)
        let left = total.map { " of \($0), \((perRow * ($0 - done)).longText) left" } ?? ""
        return "\(activity): \(done)\(left)"
    }

    /// Runs the work on several threads, each with its own connection.
    ///
    /// - Parameter isOne: whether the work is one row, whose error is that of the command.
    func run(_ work: some BulkWork, _ client: Client, isOne: Bool = false) throws(AuthError) -> Output {
        if isOne { return try runOne(work, client) }
        // Hashing a local password takes 19 MiB and a full CPU core. A single job keeps memory use below 50 MiB.
        let jobs = client.settings.backend.value.has(.takesServer) ? jobs : 1
        let context = context
        defer { warnOfPresumed(client.settings.backend.value) }
        return try run { isStopped throws(AuthError) in
            let workers = try (0..<jobs).map { _ throws(AuthError) in try context.makeWorker(client.settings) }
            try BulkRun(
                workers, interval: interval,
                waiting: Waiting(now: context.world.uptime, pause: context.world.pause), isStopped: isStopped,
                report: { result throws(AuthError) in try self.add(result) }, note: { context.events.note($0) }
            ).run(work)
        }
    }

    /// Does the work of one row, without waiting for a server that is not ready.
    private func runOne(_ work: some BulkWork, _ client: Client) throws(AuthError) -> Output {
        let worker = try context.makeWorker(client.settings)
        return try run { _ throws(AuthError) in
            guard var row = try work.next() else { return }
            let known = work.knownResult(of: row)
            let result = if let known { known } else { try work.send(&row, worker) }
            if let error = result.error { throw error }
            try add(result)
            try work.finish()
        }
    }

    /// Runs the work, and shows its progress on a terminal. A signal stops the work.
    ///
    /// - Parameter body: does the work. Its argument returns whether a signal has arrived.
    func run(
        _ body: (_ isStopped: @escaping @Sendable () -> Bool) throws(AuthError) -> Void
    ) throws(AuthError) -> Output {
        try noticingSignals { arrived throws(AuthError) in
            func summary() -> Output {
                rejectRest()
                return Output(
                    report: self, state: state.withLock { $0 }, duration: context.world.uptime() - start,
                    signal: arrived())
            }
            do throws(AuthError) {
                try context.events.during(activity) { () throws(AuthError) in try body { arrived() != nil } }
            } catch {
                guard !state.withLock({ $0.counts.isEmpty }) else { throw error }
                try context.printer.announce(summary())
                throw error.suggesting(afterwards: "\(continuation) to \(goal)")
            }
            return summary()
        }
    }

    private func json(_ result: BulkResult) -> JSONValue {
        let error = result.error?.suggesting([result.remedy].compactMap(\.self))
        return [
            "v": 1, "kind": "users.row", "row": .integer(Int64(result.row)),
            "state": .string(result.state.rawValue), "username": .string(result.name),
            "id": JSONValue(result.id), "pending": JSONValue(result.pending?.rawValue), "file": JSONValue(result.file),
            "error": JSONValue(error) { ErrorReport($0, context.hints).json },
        ]
    }

    struct Output: CommandOutput {
        fileprivate let report: BulkReport
        fileprivate let state: State
        let duration: Duration
        let signal: Int32?

        var hasNoRows: Bool { state.counts.isEmpty }

        func count(_ state: BulkResult.State) -> Int { self.state.counts[state] ?? 0 }

        var exitCode: Int32 {
            if let signal { return 128 + signal }
            let failures: [BulkResult.State] = [.failed, .unknown, .existing]
            return failures.contains { count($0) > 0 && !report.acceptable.contains($0) } ? Outcome.partial.exitCode : 0
        }

        func text(_ style: TextStyle) -> String {
            let words = BulkResult.State.allCases.filter { count($0) > 0 }.map { "\(count($0)) \($0.words)" }
            let list = words.isEmpty ? "no rows" : words.joined(separator: ", ")
            let end = signal == nil ? "" : "interrupted; to \(report.goal), \(report.continuation)\n"
            let waiting = state.waiting
            var waits = ""
            if let verification = report.verification, waiting > 0 {
                let subject =
                    waiting == 1 ? "1 account waits for its e-mail" : "\(waiting) accounts wait for their e-mail"
                waits = "\(subject); to verify, run: \(report.context.hints.commandLine(verification))\n"
            }
            if state.factors > 0 {
                let subject = state.factors == 1 ? "1 account requires" : "\(state.factors) accounts require"
                waits += "\(subject) a second factor at each login, so no session was created\n"
            }
            var lines = hasNoRows && report.kept > 0 ? "" : "\(list) in \(duration.shortText)\n"
            if report.kept > 0 {
                lines += "\(report.kept) kept: \(report.kept == 1 ? "it" : "they") existed before\n"
            }
            return lines + waits + end
        }

        var json: JSONValue {
            var object: JSONObject = ["v": 1, "kind": "users.summary"]
            for state in BulkResult.State.allCases where report.shown.contains(state) || count(state) > 0 {
                object[state.rawValue] = .integer(Int64(count(state)))
            }
            object["seconds"] = JSONValue(Double(duration.milliseconds) / 1000)
            if report.kept > 0 { object["kept"] = .integer(Int64(report.kept)) }
            for member in report.members.members { object[member.name] = member.value }
            if report.verification != nil { object["pending"] = .integer(Int64(state.waiting)) }
            return .object(object)
        }
    }
}

extension BulkResult.State {
    fileprivate var words: String {
        switch self {
        case .created: "created"
        case .existing: "already existed"
        case .changed: "changed"
        case .unchanged: "unchanged"
        case .deleted: "deleted"
        case .gone: "gone"
        case .loggedIn: "logged in"
        case .verified: "verified"
        case .refreshed: "refreshed"
        case .valid: "valid"
        case .skipped: "skipped"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }
}

extension Duration {
    /// How many times the duration fits in a minute, such as `20` or `0.5`. The duration must not be zero.
    fileprivate var perMinute: String {
        let tenths = Int((Duration.seconds(600) / self).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// The duration in seconds, such as `1.2 s`.
    fileprivate var shortText: String {
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// The rounded duration, such as `45 s`, `12 min` or `8 h 20 min`.
    fileprivate var longText: String {
        let seconds = milliseconds / 1000
        let minutes = (seconds + 59) / 60
        if seconds < 100 { return "\(seconds) s" }
        return minutes < 100 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }
}
