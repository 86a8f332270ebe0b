import AuthModel
import CommandLineKit

extension HelpTopics {
    /// Derived from the closed list of outcomes and their reasons.
    static var exitCodes: HelpTopic {
        HelpTopic(
            "exit-codes", summary: summary(of: "exit-codes"),
            opening: [
                .paragraph(
                    """
                    The same in text and in JSON. Only an answer that means it makes a session "rejected": a rate limit, \
                    a fault of the server or trouble on the way never does.
                    """),
                .rows(exitCodeRows),
            ],
            sections: [
                HelpTopic.Section(
                    "reasons",
                    [
                        .paragraph(
                            """
                            A document of an error has the name of the code as `error.code`, and as `error.reason` one \
                            of these. More may come.
                            """),
                        .rows(reasons),
                    ])
            ])
    }

    static var exitCodeRows: [HelpRow] {
        [HelpRow("0", "ok: done, or already so")]
            + Outcome.allCases.map { HelpRow("\($0.rawValue)", "\($0.code): \($0.meaning)") }
            + [
                HelpRow("126, 127", "`authctl exec`: the command cannot be run, there is none; else its own code"),
                HelpRow("129, 130, 143", "ended by SIGHUP, SIGINT, SIGTERM, as a shell counts it"),
            ]
    }

    private static var reasons: [HelpRow] {
        Outcome.allCases.map { outcome in
            let names = AuthError.Reason.allCases.filter { $0.outcome == outcome }.map(\.rawValue)
            return HelpRow(outcome.code, names.joined(separator: ", "))
        }
    }
}
