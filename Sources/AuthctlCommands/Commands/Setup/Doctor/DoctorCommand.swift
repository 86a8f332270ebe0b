import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

/// Works even if configuration and session files cannot be read.
enum DoctorCommand: Command {
    struct Options: CommandOptions {
        var usesNetwork = false
    }

    static let name = "doctor"
    static let summary = "Find problems in configuration, connection and server"
    static let spec = declaration(
        discussion: """
            Prints one finding per line: `warning`, `error` or `skipped`, with `-v` also `ok`; hints explain how to fix \
            problems. Without `--network`, authctl sends no request. authctl changes nothing, except that `--network` refreshes expired \
            sessions. The report contains no secrets. The exit code is 0, or the exit code of the first error.
            """,
        examples: [
            Example("authctl doctor", "Check files, settings and environment."),
            Example("authctl doctor --network", "Also check the server and the session."),
        ],
        exitCodes: [0, 2, 4, 5, 7, 8, 9, 10, 12],
        arguments: [
            .flag({ $0.usesNetwork = $1 }, "network", help: "Also check the server, the session and the clock.")
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let examination = Examination(context: context)
        var findings = examination.ofFiles + examination.ofSettings
        findings += options.usesNetwork ? examination.ofServer : examination.withoutServer
        // Report an error only once, because one cause can make several checks fail.
        var messages: Set<String> = []
        findings.removeAll { $0.level == .error && !messages.insert($0.message).inserted }
        return Output(findings: findings, hints: context.hints, isVerbose: context.globals.isVerbose)
    }

    struct Output: CommandOutput {
        let findings: [Finding]
        let hints: HintRenderer
        /// Whether text output has a line for each finding at level `ok`.
        let isVerbose: Bool

        var exitCode: Int32 { findings.lazy.compactMap(\.error).first?.outcome.exitCode ?? 0 }

        func text(_ style: TextStyle) -> String {
            let hint = "         hint:"
            let shown = findings.filter { isVerbose || $0.level != .ok }
            let hidden = findings.count - shown.count
            let summary = Finding.ok("doctor", "\(hidden) checks found no problem; to list them, add -v")
            return ((hidden > 0 ? [summary] : []) + shown).map { finding in
                let word = finding.level.rawValue
                let level = word + String(repeating: " ", count: "warning".count - word.count)
                let head = "\(finding.level == .ok ? style.dim(level) : style.warning(level))  \(finding.check):"
                let steps = finding.steps.map { style.lines(hint, columns: hint.count, hints.hint($0), indent: 11) }
                let columns = level.count + finding.check.count + 3
                return style.lines(head, columns: columns, finding.message, indent: 11) + steps.joined()
            }.joined()
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "doctor", "ok": .bool(exitCode == 0),
                "findings": .array(
                    findings.map { finding in
                        [
                            "check": .string(finding.check), "level": .string(finding.level.rawValue),
                            "message": .string(finding.message), "hint": JSONValue(finding.steps.first.map(hints.hint)),
                        ]
                    }),
            ]
        }
    }
}

struct Finding: Sendable {
    enum Level: String, Sendable {
        case ok, warning, error
        /// The check was not made.
        case skipped
    }

    /// A stable name, such as `server.reachable`.
    let check: String
    let level: Level
    let message: String
    var steps: [NextStep] = []
    /// The error of a finding at level `error`. The first error decides the exit code.
    var error: AuthError?

    static func ok(_ check: String, _ message: String) -> Finding {
        Finding(check: check, level: .ok, message: message)
    }

    static func warning(_ check: String, _ message: String, _ steps: NextStep...) -> Finding {
        Finding(check: check, level: .warning, message: message, steps: steps)
    }

    static func error(_ check: String, _ error: AuthError) -> Finding {
        Finding(check: check, level: .error, message: error.message, steps: steps(after: error), error: error)
    }

    /// The error's own next steps; if there are none, general steps for its reason.
    private static func steps(after error: AuthError) -> [NextStep] {
        guard error.nextSteps.isEmpty else { return error.nextSteps }
        return switch error.reason {
        case .dns: ["check the host name in the server URL, and this machine's DNS"]
        case .connect, .timeout: ["check that the server is running, and the scheme and port of its URL"]
        case .proxy: ["check HTTPS_PROXY, or the option --proxy"]
        case .tls: ["use the host name of the certificate in the server URL, or another certificate"]
        case .badAppKey: ["check --app-id and --client-key-file, or appId and clientKeyFile of the profile"]
        case .usage: ["correct or unset the variable or setting that the message names"]
        case .serverFault, .rateLimited: ["run doctor again later"]
        case .accountDisabled: ["ask the administrator of the server to enable the account"]
        case .accountLocked: ["wait until the account is unlocked, or ask the administrator of the server"]
        default: ["check the file or value that the message names"]
        }
    }

    /// Runs a check. An error that the check throws becomes its finding.
    static func of(_ check: String, _ run: () throws(AuthError) -> Finding?) -> [Finding] {
        do throws(AuthError) {
            return try run().map { [$0] } ?? []
        } catch {
            return [.error(check, error)]
        }
    }
}
