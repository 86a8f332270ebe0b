import AuthClient
import AuthModel
import JSON
import Platform
import Synchronization

/// Shows on standard error what happens before a command ends.
///
/// In JSON, warnings wait: they belong into the document, if it has a place for them.
final class TerminalEvents: Events {
    private struct State {
        var pendingWarnings: [String] = []
        /// All that anybody was warned of; once is enough.
        var warnings: [String] = []
        /// What is under way and shown.
        var activity: String?
    }

    private let output: OutputStream
    private let style: TextStyle
    private let format: OutputFormat
    private let isQuiet: Bool
    private let moves: Bool
    private let state = Mutex(State())
    private let notice: any WaitNotices
    private let hints: HintRenderer

    /// - Parameter moves: whether a line may be written over and over, as terminals that people look at can do.
    init(
        output: OutputStream, style: TextStyle, format: OutputFormat, isQuiet: Bool, moves: Bool,
        notice: any WaitNotices, hints: HintRenderer
    ) {
        self.output = output
        self.style = style
        self.format = format
        self.isQuiet = isQuiet
        self.moves = moves
        self.notice = notice
        self.hints = hints
    }

    func warn(_ text: String, next step: NextStep?) {
        let text = step.map { "\(text); \(hints.hint($0))" } ?? text
        let isNew = state.withLock { state in
            if state.warnings.contains(text) { return false }
            state.warnings.append(text)
            return true
        }
        guard isNew else { return }
        switch format {
        case .text: write("authctl: \(style.warning("warning")): \(text.shown)\n")
        case .json: state.withLock { $0.pendingWarnings.append(text) }
        }
    }

    func note(_ text: String) {
        if format == .text, !isQuiet { write("authctl: \(style.dim("note")): \(text.shown)\n") }
    }

    /// Without it nothing can go on, so it is shown in every case; to scripts as one line of JSON.
    func show(_ code: DeviceCode, until end: Instant) throws(AuthError) {
        let line = format == .json ? code.json(until: end).text + "\n" : ""
        let text = """
            authctl: open \(style.strong(code.verificationURL.shown)) in a browser, on any device, and enter the code \
            \(style.strong(code.userCode.shown))
            authctl: or open \(code.completeURL.shown) there; the code is good for \(code.lifetimeText)

            """
        do throws(Errno) {
            try output.write(line + (format == .text || output.isTerminal ? text : ""))
        } catch {
            throw AuthError(.notWritten, "cannot show the code on standard error: \(error.description)")
        }
    }

    func began(_ activity: String) {
        guard moves, !isQuiet, format == .text else { return }
        state.withLock { $0.activity = activity }
        notice.begin(activity)
    }

    func ended() {
        state.withLock { $0.activity = nil }
        notice.end()
    }

    /// The warnings that nobody has seen yet; they count as seen then.
    func takeWarnings() -> [String] {
        state.withLock { state in
            defer { state.pendingWarnings = [] }
            return state.pendingWarnings
        }
    }

    /// A line of the exchange with a server.
    func trace(_ line: String) {
        write("authctl: \(style.dim(line.shown))\n")
    }

    /// A standard error that cannot be written to leaves nobody to tell.
    ///
    /// The line of a notice is cleared first; the notice comes back if the call goes on.
    private func write(_ text: String) {
        let activity = state.withLock { $0.activity }
        if activity != nil { notice.end() }
        try? output.write(text)
        if let activity { notice.begin(activity) }
    }
}

/// Shows that a call is under way.
package protocol WaitNotices: Sendable {
    func begin(_ activity: String)
    func end()
}

extension DeviceCode {
    fileprivate var lifetimeText: String {
        let seconds = lifetime.components.seconds
        return seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
    }

    /// What is shown, for scripts. What Facebook is asked with stays here: who has it gets the token.
    fileprivate func json(until end: Instant) -> JSONValue {
        [
            "v": 1, "kind": "device-code", "userCode": .string(userCode), "verificationUri": .string(verificationURL),
            "verificationUriComplete": .string(completeURL), "expiresAt": .string(end.text),
            "interval": .integer(interval.components.seconds),
        ]
    }
}
