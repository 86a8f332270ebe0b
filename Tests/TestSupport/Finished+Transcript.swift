import Foundation

extension Finished {
    /// The run as text: command line, stdout, stderr, and the signal or a nonzero exit code.
    ///
    /// Texts that differ between runs are replaced: the sandbox path by `/sandbox`, a loopback port by `PORT`, a time
    /// by `TIME`.
    package func transcript(in world: Sandbox) -> String {
        let own = words.firstIndex(of: BuiltBinary.path).map { Array(words[($0 + 1)...]) }
        var lines = own.map { ["$ " + (["authctl"] + $0).map(Self.quoted).joined(separator: " ")] } ?? []
        if !stdout.isEmpty { lines.append(Self.withoutLastLineEnd(stdout)) }
        if !stderr.isEmpty {
            if !stdout.isEmpty { lines.append("--- stderr") }
            lines.append(Self.withoutLastLineEnd(stderr))
        }
        if let exitCode, exitCode != 0 { lines.append("exit \(exitCode)") }
        if let signal { lines.append("signal \(signal)") }
        return Self.normalized(lines.joined(separator: "\n"), in: world)
    }

    static func normalized(_ text: String, in world: Sandbox) -> String {
        withoutPorts(text.replacing(world.root, with: "/sandbox"))
            .replacing(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z| UTC)?/, with: "TIME")
    }

    /// Replaces each loopback port with `PORT`.
    package static func withoutPorts(_ text: String) -> String {
        text.replacing(/(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}/) { "\($0.1):PORT" }
            .replacing(/port \d{4,5}/, with: "port PORT")
    }

    private static func quoted(_ word: String) -> String {
        word.wholeMatch(of: /[A-Za-z0-9_\/.:=@%+,-]+/) != nil ? word : "'\(word)'"
    }

    private static func withoutLastLineEnd(_ text: String) -> String {
        text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}
