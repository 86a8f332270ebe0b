import CPseudoTerminal
import Foundation
import Synchronization

/// The home folder in which the program runs during a test. It is deleted when the last reference is released.
///
/// The program gets only `HOME`, `PATH`, `LANG`, `TERM` and the variables that the test sets, so the environment of
/// developers and CI has no effect.
package final class Sandbox: Sendable {
    /// The folder that contains the home folder and the output of programs.
    package let root: String
    package let home: String
    private let count = Atomic<Int>(0)
    private let ownVariables = Mutex<[String: String]>([:])
    private let kept = Mutex<[any AnyObject & Sendable]>([])
    let record = SandboxRecord()

    package static let password = "correct horse battery"

    package init() {
        // Symbolic links are resolved, because the program shows resolved paths in some messages.
        let temporary = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
        root = "\(temporary)/authctl-tests-\(UUID().uuidString)"
        home = "\(root)/home"
        // `try!`: without a temporary folder, no test can run.
        try! FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        chmod(root, 0o755)
        SandboxList.current?.add(self)
    }

    deinit {
        // `try?`: a leftover temporary folder does not fail the test.
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Retains a server that the programs use, so that it does not stop before the test ends.
    package func keep(_ server: any AnyObject & Sendable) {
        kept.withLock { $0.append(server) }
    }

    /// Sets an environment variable for programs that start later.
    package func set(_ variable: String, to value: String) {
        ownVariables.withLock { $0[variable] = value }
    }

    package var configurationFolder: String { "\(home)/.config/authctl" }
    package var configurationFile: String { "\(configurationFolder)/config.json" }
    package var sessionFolder: String { "\(configurationFolder)/sessions" }
    package var dataFolder: String { "\(home)/.local/share/authctl" }
    package var database: String { "\(dataFolder)/local.db" }

    /// The session file of a profile; if the profile has none, the path for a session of local accounts.
    package func sessionFile(_ profile: String = "default", in folder: String? = nil) -> String {
        let folder = folder ?? sessionFolder
        return contents(of: folder).first { $0.hasPrefix("\(folder)/\(profile)~~") && $0.hasSuffix(".json") }
            ?? "\(folder)/\(profile)~~\(Self.localHash).json"
    }

    /// The hash that stands for local accounts in the names of session files.
    package static let localHash = "100947a6abb71464"

    /// Runs the program and waits for it to end.
    @discardableResult
    package func run(
        _ words: String..., input: Input = .nothing, environment: [String: String?] = [:], under: [String] = [],
        folder: String? = nil
    ) throws -> Finished {
        try start(words, input: input, environment: environment, under: under, folder: folder).wait()
    }

    /// Runs a script that may call the program as `"$A"`.
    @discardableResult
    package func runScript(_ script: String, input: Input = .nothing) throws -> Finished {
        try start([], input: input, environment: ["A": BuiltBinary.path], program: ["/bin/bash", "-c", script]).wait()
    }

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - environment: variables to set, or to unset with `nil`.
    ///   - under: a wrapper command that gets the program's command line as its last arguments.
    ///   - terminal: the controlling terminal. Standard streams that are not redirected are connected to it.
    ///   - output: a descriptor for standard output; -1 closes standard output.
    package func start(
        _ words: [String], input: Input = .nothing, environment: [String: String?] = [:], under: [String] = [],
        folder: String? = nil, terminal: PseudoTerminal? = nil, output: Int32? = nil,
        program: [String] = [BuiltBinary.path]
    ) throws -> RunningProgram {
        let number = count.add(1, ordering: .relaxed).newValue
        let outputPath = "\(root)/stdout-\(number)"
        let errorPath = "\(root)/stderr-\(number)"
        let commandLine = under + program + words
        let streams = try Streams(
            input: input, outputPath: outputPath, errorPath: errorPath, terminal: terminal, output: output)
        let process = streams.start(
            commandLine, environment: variables(environment), folder: folder ?? home, terminal: terminal)
        guard process > 0 else { throw POSIXError(.EAGAIN) }
        record.add(.init(words: words, outputPath: outputPath, errorPath: errorPath))
        return RunningProgram(process: process, words: commandLine, outputPath: outputPath, errorPath: errorPath)
    }

    /// The `PATH` of programs. On macOS it includes the folder of Homebrew.
    private static let searchPath: String = {
        let system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        #if os(macOS)
            return "\(system):/opt/homebrew/bin"
        #else
            return system
        #endif
    }()

    private func variables(_ changes: [String: String?]) -> [String] {
        var values: [String: String?] = [
            "HOME": home, "PATH": Self.searchPath, "LANG": "C.UTF-8", "TERM": "xterm-256color",
        ]
        values.merge(ownVariables.withLock { $0 }) { $1 }
        values.merge(changes) { $1 }
        return values.compactMap { name, value in value.map { "\(name)=\($0)" } }
    }
}

/// The standard input of a program.
package enum Input: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
    case nothing
    case bytes([UInt8])

    package init(stringLiteral text: String) {
        self = .bytes(Array(text.utf8))
    }

    package static let password: Input = "\(Sandbox.password)\n"
}

extension [String] {
    /// A wrapper command for `under` that first runs shell lines: `.shell("umask 000")`.
    package static func shell(_ lines: String) -> [String] {
        ["/bin/bash", "-c", "\(lines)\nexec \"$0\" \"$@\""]
    }

    /// A wrapper command for `under` that writes the system calls with these names to a file.
    package static func strace(_ calls: String, into path: String) -> [String] {
        ["/usr/bin/strace", "-f", "-qq", "-s", "200", "-o", path, "-e", "trace=\(calls)", "-e", "signal=none"]
    }
}
