import CommandLineKit
import Platform

@testable import AuthctlCommands

extension FuzzTarget {
    /// The words of a command line, separated by zero bytes.
    static let arguments = FuzzTarget(
        name: "arguments",
        seeds: {
            let lines = CommandRegistry.all.flatMap { $0.description.examples.map(\.commandLine) }
            let others = [
                "authctl login ada --password=hunter2", "authctl --json -q -v --profile=ci whoami",
                "authctl -password x",
                "authctl sessions --help revoke", "authctl exec -- env -i", "authctl signup --field a=b --",
                "authctl --",
            ]
            return (lines + others).map { line in
                Array(line.utf8.drop { $0 != UInt8(ascii: " ") }.dropFirst().map { $0 == UInt8(ascii: " ") ? 0 : $0 })
            }
        },
        check: { bytes in
            let words = bytes.split(separator: 0, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            do {
                let head = try CommandLineHead(
                    words, program: GlobalOptions.spec.description, commands: CommandRegistry.names)
                guard case .command(let name) = head.target else { return }
                guard let command = CommandRegistry.command(named: name) else {
                    throw FuzzFault(description: "there is no command '\(name)'")
                }
                try check(command, head.words, wantsHelp: head.wantsHelp)
            } catch let error as CommandLineError {
                try check(error, of: words)
            }
        })

    private static func check<Chosen: Command>(_: Chosen.Type, _ words: [String], wantsHelp: Bool) throws {
        if !words.contains("--") {
            let help = try Chosen.spec.parse(words + ["--help"], program: GlobalOptions.spec)
            try FuzzFault.unless(help == .help, "no help is given to \(words)")
        }
        let parsed = try Chosen.spec.parse(words, program: GlobalOptions.spec)
        try FuzzFault.unless(
            try Chosen.spec.parse(words, program: GlobalOptions.spec) == parsed, "\(words) means two things")
    }

    private static func check(_ error: CommandLineError, of words: [String]) throws {
        try FuzzFault.unless(!error.message.isEmpty && !error.hints.contains(""), "nothing is said of \(words)")
        // The error may quote every word except the value of `--password`.
        let secret = "hunter2"
        let holders = words.filter { $0.holds(secret) }
        guard holders.count == 1, holders[0].hasPrefix("--password=") else { return }
        let isTold = error.message.holds(secret) || error.hints.contains { $0.holds(secret) }
        try FuzzFault.unless(!isTold, "the password is shown: \(error.message)")
    }
}
