import CommandLineKit

extension HelpTopics {
    static var security: HelpTopic {
        HelpTopic(
            "security", summary: summary(of: "security"),
            opening: [
                .paragraph("A secret is a password, a token, the key of an application, or a code of a second factor.")
            ],
            sections: [arguments, keeping, sending, showing])
    }

    private static let arguments = HelpTopic.Section(
        "where secrets come from",
        [
            .paragraph(
                """
                No option takes a password or a token as its value, because every user of the machine can read the \
                arguments of a process. They come from a prompt that shows nothing, from standard input \
                (`--password-stdin`, `--token-stdin`, `--id-token-stdin`), from a file (`--password-file`, `--token-file`) or from the \
                environment. `authctl exec` takes the variables with passwords out before it runs the command. One-time \
                codes (`--otp`) are arguments: they are worthless once used.
                """)
        ])

    private static let keeping = HelpTopic.Section(
        "where they are kept",
        [
            .paragraph(
                """
                Passwords are not kept. The token of a session is kept in a file that its owner alone can read, not \
                encrypted: whoever can read the files of the user has it. The accounts of this machine hold passwords as \
                argon2id and the tokens of sessions as hashes. Core files are turned off, so that a crash writes no \
                secret to the disk, and what SSLKEYLOGFILE and SWIFT_BACKTRACE ask for is not written down; `authctl exec` gives \
                all that back to its command.
                """)
        ])

    private static let sending = HelpTopic.Section(
        "what is sent where",
        [
            .paragraph(
                """
                Only the commands that ask a server connect to anything, and only to the server of the profile, or to the \
                proxy that leads there; those that have to do with Facebook, to its Graph, too. A Facebook token goes to \
                the Graph and to the server, in a header or a body, and is kept nowhere. There are no statistics, and no look for updates. A session is bound to what gave \
                it (scheme, host, port, mount path, application) and never sent to anything else.
                """),
            .paragraph(
                """
                Certificates are always verified, against the authorities of the system or those of `--ca-cert` alone. \
                Plain http is for this machine; for another one it must be allowed with `--allow-http`, in a command or a \
                profile, and is warned of each time. Redirects are followed only for reading, and only below the same \
                base URL.
                """),
            .paragraph("`authctl serve` listens on 127.0.0.1 alone, and refuses other host names and foreign pages."),
            .paragraph(
                """
                Where the accounts of this machine take log-ins with Facebook, it is asked about each token: at \
                graph.facebook.com, over https, with the token in a header and never in a URL.
                """),
        ])

    private static let showing = HelpTopic.Section(
        "what is shown",
        [
            .paragraph(
                """
                `--verbose` shows method, URL, status and time of each request; no header and no body, so no secret. \
                Only `authctl token` prints a token, and `authctl exec` hands it to a command. What a server says is \
                shown without control characters, in quotes.
                """)
        ])
}
