import AuthModel
import JSON
import Platform
import Synchronization
import Transport

/// Writes a response to standard output while it arrives.
///
/// In a pipe or file, the bytes are unchanged. On a terminal, JSON is indented, and control characters are escaped.
final class ResponseWriter: Sendable {
    private struct State {
        var body = TerminalBody()
        var failure: Errno?
    }

    private let output: OutputStream
    private let events: TerminalEvents
    private let includesHead: Bool
    private let state = Mutex(State())

    init(_ context: Context, includesHead: Bool) {
        output = context.world.output
        events = context.events
        self.includesHead = includesHead
    }

    /// The error that prevents further writes, if there is one.
    var failure: Errno? { state.withLock { $0.failure } }

    var sink: BodySink {
        BodySink(
            begin: { [self] response throws(Errno) in try begin(response) },
            write: { [self] bytes throws(Errno) in try write(bytes) })
    }

    /// Writes a complete response. On a terminal, an HTML error page is replaced by its title.
    func show(_ response: HTTPResponse) {
        // `try?`: `failure` contains the error.
        try? begin(response)
        if output.isTerminal, let title = response.pageTitle {
            let size = (response.body.count + 1023) / 1024
            let text = "HTML page of \(size) KiB with the title \"\(title.shown)\"; in a pipe, all of it is printed"
            try? attempt { () throws(Errno) in try output.write(text + "\n") }
            return
        }
        let outcome = response.body.withUnsafeBytes { bytes in Result { () throws(Errno) in try write(bytes) } }
        try? outcome.get()
    }

    /// Writes an item and a newline.
    ///
    /// - Returns: `false` if the write failed.
    func writeLine(_ item: [UInt8]) -> Bool {
        endNotice()
        let text = output.isTerminal ? Array(String(decoding: item, as: UTF8.self).escapedLines.utf8) : item
        // `try?`: `failure` contains the error.
        try? attempt { () throws(Errno) in try output.write(text + [UInt8(ascii: "\n")]) }
        return failure == nil
    }

    /// On a terminal, writes the rest of the body and ends its last line.
    func end() {
        guard output.isTerminal else { return }
        let rest = state.withLock { $0.body.end() }
        try? attempt { () throws(Errno) in try output.write(rest) }
    }

    private func begin(_ response: HTTPResponse) throws(Errno) {
        endNotice()
        state.withLock { $0.body = TerminalBody(isJSON: response.isJSON) }
        guard includesHead else { return }
        // Omit the reason phrase, which is optional (RFC 9112, section 4).
        let lines = ["HTTP/1.1 \(response.status)"] + response.headers.fields.map(\.line)
        let text = lines.map { (output.isTerminal ? $0.escapedLines : $0) + "\n" }.joined() + "\n"
        try attempt { () throws(Errno) in try output.write(text) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) {
        guard output.isTerminal else { return try attempt { () throws(Errno) in try output.writeBytes(bytes) } }
        let text = state.withLock { $0.body.shown(bytes) }
        try attempt { () throws(Errno) in try output.write(text) }
    }

    private func attempt(_ body: () throws(Errno) -> Void) throws(Errno) {
        if let failure { throw failure }
        do throws(Errno) {
            try body()
        } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }

    /// Ends the progress notice, which would otherwise mix with the body on the same terminal.
    private func endNotice() {
        if output.isTerminal { events.ended() }
    }
}

/// Turns the pieces of a body into text for a terminal.
struct TerminalBody {
    private var layout: JSONLayout?
    /// The start of a character whose other bytes are in the next piece.
    private var pending: [UInt8] = []
    private var endsLine = true

    init(isJSON: Bool = false) {
        layout = isJSON ? JSONLayout(.indented) : nil
    }

    mutating func shown(_ bytes: some Sequence<UInt8>) -> String {
        var bytes = pending + (layout?.laidOut(bytes) ?? Array(bytes))
        pending = Array(bytes.suffix(bytes.incompleteEnd))
        bytes.removeLast(pending.count)
        if let last = bytes.last { endsLine = last == UInt8(ascii: "\n") }
        return String(decoding: bytes, as: UTF8.self).escapedLines
    }

    /// The rest of the body, with a newline if the last line has none.
    mutating func end() -> String {
        let rest = String(decoding: pending, as: UTF8.self).escapedLines
        let needsNewline = !endsLine || !rest.isEmpty
        (pending, endsLine) = ([], true)
        return rest + (needsNewline ? "\n" : "")
    }
}

extension HTTPResponse {
    fileprivate var isJSON: Bool { mediaType.hasSuffix("/json") || mediaType.hasSuffix("+json") }

    private var mediaType: String { (headers["Content-Type"] ?? "").prefix { $0 != ";" && $0 != " " }.lowercased() }

    /// The text of the first `<title>` of an HTML error page, on one line, at most 200 characters.
    fileprivate var pageTitle: String? {
        guard mediaType == "text/html", status >= 400 else { return nil }
        let page = String(decoding: body.prefix(16_384), as: UTF8.self)
        let parts = page.split(separator: "<")
        guard let part = parts.first(where: { $0.prefix(6).lowercased() == "title>" }) else { return nil }
        let title = part.dropFirst(6).split(whereSeparator: \.isWhitespace).joined(separator: " ").start(200)
        return title.isEmpty ? nil : title
    }
}

extension [UInt8] {
    /// The number of bytes at the end that begin a UTF-8 character whose other bytes are missing.
    fileprivate var incompleteEnd: Int {
        for length in 1...3 where length <= count {
            let byte = self[count - length]
            if byte & 0xC0 == 0x80 { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return needed > length ? length : 0
        }
        return 0
    }
}

extension String {
    /// The text with escapes such as `\u{1b}` for characters that a terminal might interpret, except tab and newline.
    fileprivate var escapedLines: String { escaping { $0.mustBeEscaped && $0 != "\n" && $0 != "\t" } }
}
