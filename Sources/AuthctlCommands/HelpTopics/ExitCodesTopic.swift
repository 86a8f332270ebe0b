import AuthModel
import CommandLineKit

extension HelpTopics {
    /// The topic on exit codes, derived from the complete lists of outcomes and reasons.
    static var exitCodes: HelpTopic {
        HelpTopic(
            "exit-codes", summary: "Exit codes and error reasons",
            opening: [
                .paragraph(
                    """
                    The exit codes are the same for text and JSON, and for every backend. A session is `rejected` only \
                    if the server rejects it or it has expired. A rate limit, a server error or a network problem \
                    never makes a session `rejected`.
                    """),
                .rows(exitCodeRows),
            ],
            sections: [
                HelpTopic.Section(
                    "Reasons",
                    [
                        .paragraph(
                            """
                            With `--json`, `error.code` is the name of the exit code and `error.reason` is one of these \
                            words. The list may grow.
                            """),
                        .rows(reasons),
                    ])
            ])
    }

    static var exitCodeRows: [HelpRow] {
        [HelpRow("0", "ok: success, or nothing to do")]
            + Outcome.allCases.map { HelpRow("\($0.rawValue)", "\($0.code): \($0.meaning)") }
            + [
                HelpRow(
                    "126, 127",
                    "from `authctl exec` and `authctl serve --`: the command is not executable, or not found"
                ),
                HelpRow("129, 130, 143", "ended by SIGHUP, SIGINT, SIGTERM (128 + signal)"),
            ]
    }

    private static var reasons: [HelpRow] {
        Outcome.allCases.compactMap { outcome in
            let names = AuthError.Reason.allCases.filter { $0.outcome == outcome }.map(\.rawValue)
            return names.isEmpty ? nil : HelpRow(outcome.code, names.joined(separator: ", "))
        }
    }
}
