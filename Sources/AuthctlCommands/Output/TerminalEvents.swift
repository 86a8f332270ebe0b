import AuthClient
import AuthModel
import JSON
import Platform
import Synchronization

/// Prints events to standard error while a command runs.
///
/// If the output is JSON, warnings are deferred, because documents may have a member for them.
final class TerminalEvents: Events {
    private struct State {
        var pendingWarnings: [String] = []
        /// All warnings and notes of connections so far, so that each is printed only once.
        var printed: [String] = []
        /// The activity that the progress notice shows, and the number of activities in it that have not ended.
        var activity: String?
        var inner = 0
    }

    let output: OutputStream
    let style: TextStyle
    let format: OutputFormat
    let isQuiet: Bool
    private let moves: Bool
    private let state = Mutex(State())
    private let notice: any ProgressNotices
    let hints: HintRenderer

    /// - Parameter moves: whether the terminal can redraw progress notices in place.
    init(
        output: OutputStream, style: TextStyle, format: OutputFormat, isQuiet: Bool, moves: Bool,
        notice: any ProgressNotices, hints: HintRenderer
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
        guard isNew(text) else { return }
        switch format {
        case .text where isQuiet: break
        case .text: write(style.message("warning", text, mark: style.warning))
        case .json: state.withLock { $0.pendingWarnings.append(text) }
        }
    }

    private func isNew(_ text: String) -> Bool {
        state.withLock { state in
            if state.printed.contains(text) { return false }
            state.printed.append(text)
            return true
        }
    }

    /// Notes a fact about the connections to the server, of which each thread of a bulk command has one.
    func noteOnce(_ text: String) {
        if isNew(text) { note(text) }
    }

    /// Warns about plain HTTP, even with `--quiet`.
    func warnOfPlainHTTP(_ server: String) {
        let text = "connection to '\(server)' is not encrypted"
        if isQuiet, format == .text {
            guard isNew(text) else { return }
            write(style.message("warning", text, mark: style.warning))
        } else {
            warn(text, next: nil)
        }
    }

    /// Even with `--quiet`, reports why a prompt is repeated or why a row of a bulk command failed.
    func reject(_ text: String) {
        guard format == .text || output.isTerminal else { return }
        write(style.message("error", text, mark: style.failure))
    }

    /// Even with `--quiet`, says what helps with the rows that were rejected.
    func suggest(_ step: NextStep) {
        guard format == .text || output.isTerminal else { return }
        write(style.message("hint", hints.hint(step), mark: style.strong))
    }

    func note(_ text: String, next step: NextStep?) {
        guard format == .text, !isQuiet else { return }
        let text = step.map { "\(text); \(hints.hint($0))" } ?? text
        write(style.message("note", text, mark: style.dim))
    }

    func inform(_ text: String, next step: NextStep?) {
        if format == .json { warn(text, next: step) } else { note(text, next: step) }
    }

    /// Even with `--quiet`, says what the command waits for, as a prompt does.
    func wait(for text: String) {
        guard format == .text || output.isTerminal else { return }
        write(style.message("note", text, mark: style.dim))
    }

    /// Shows the code even with `--quiet`, because the login cannot continue without it. The JSON document is one line.
    func show(_ code: DeviceCode, until end: Instant) throws(AuthError) {
        let line = format == .json ? code.json(until: end).text + "\n" : ""
        let text = """
            authctl: open \(style.strong(code.verificationURL.shown)) in a browser, on any device, and enter the code \
            \(style.strong(code.userCode.shown))
            authctl: or open \(code.completeURL.shown) there; the code expires in \(code.lifetimeText)

            """
        do throws(Errno) {
            try output.write(line + (format == .text || output.isTerminal ? text : ""))
        } catch {
            throw AuthError(.notWritten, "cannot show the code on standard error: \(error.description)")
        }
    }

    func began(_ activity: String) {
        guard moves, !isQuiet, format == .text else { return }
        let isFirst = state.withLock { state in
            if state.activity != nil { state.inner += 1 } else { state.activity = activity }
            return state.inner == 0
        }
        if isFirst { notice.begin(activity) }
    }

    /// Replaces the text of the current activity.
    func progressed(_ activity: String) {
        let isShown = state.withLock { state in
            if state.activity != nil { state.activity = activity }
            return state.activity != nil
        }
        if isShown { notice.update(activity) }
    }

    func ended() {
        let isLast = state.withLock { state in
            defer { state.inner = max(0, state.inner - 1) }
            if state.inner == 0 { state.activity = nil }
            return state.inner == 0
        }
        if isLast { notice.end() }
    }

    /// Returns and clears the pending warnings.
    func takeWarnings() -> [String] {
        state.withLock { state in
            defer { state.pendingWarnings = [] }
            return state.pendingWarnings
        }
    }

    func trace(_ line: String) {
        write("authctl: \(style.dim(line.shown))\n")
    }

    /// Writes text. Clears the line of a progress notice before the text, and shows the notice again after it.
    ///
    /// `try?`: if standard error cannot be written, there is no place to report that.
    private func write(_ text: String) {
        let activity = state.withLock { $0.activity }
        if activity != nil { notice.end() }
        try? output.write(text)
        if let activity { notice.begin(activity) }
    }
}

/// The events of one of several sessions that are checked together: only warnings are shown.
struct WarningsAlone: Events {
    let events: TerminalEvents

    func warn(_ text: String, next step: NextStep?) { events.warn(text, next: step) }
    func note(_ text: String, next step: NextStep?) {}
    func inform(_ text: String, next step: NextStep?) { events.inform(text, next: step) }
    func show(_ code: DeviceCode, until end: Instant) throws(AuthError) { try events.show(code, until: end) }
    func began(_ activity: String) {}
    func ended() {}
}

/// Shows that an operation is in progress.
package protocol ProgressNotices: Sendable {
    func begin(_ activity: String)
    func update(_ activity: String)
    func end()
}

extension DeviceCode {
    fileprivate var lifetimeText: String {
        let seconds = lifetime.components.seconds
        return seconds < 120 ? "\(seconds) seconds" : "\(seconds / 60) minutes"
    }

    /// The displayed values as JSON, for scripts. Omits the device code, a secret that would yield the token.
    fileprivate func json(until end: Instant) -> JSONValue {
        [
            "v": 1, "kind": "device-code", "userCode": .string(userCode), "verificationUri": .string(verificationURL),
            "verificationUriComplete": .string(completeURL), "expiresAt": .string(end.text),
            "interval": .integer(interval.components.seconds),
        ]
    }
}
