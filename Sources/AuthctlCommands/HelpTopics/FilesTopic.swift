import CommandLineKit

extension HelpTopics {
    static var files: HelpTopic {
        HelpTopic(
            "files", summary: summary(of: "files"),
            opening: [
                .paragraph(
                    """
                    Folders are 0700 and files 0600. AUTHCTL_CONFIG_DIR and AUTHCTL_DATA_DIR put them elsewhere, and so \
                    do XDG_CONFIG_HOME and XDG_DATA_HOME. Nothing in the working folder is ever read as configuration.
                    """),
                .rows(fileRows),
            ],
            sections: [configuration, session, protection, writing])
    }

    static let fileRows = [
        HelpRow(
            "~/.config/authctl/config.json",
            """
            The profiles. No secret is in it but the keys of applications. It may be a link, as managers of dotfiles \
            make it, and is then written through.
            """),
        HelpRow(
            "~/.config/authctl/sessions/NAME.json",
            "The session of the profile NAME: its token, the user, and what it is bound to. Never a link."),
        HelpRow(
            "~/.config/authctl/sessions/pending/NAME.json",
            "What a sign-up or log-in of the profile that waits for a mailed code is known by. It is no session."),
        HelpRow(
            "~/.config/authctl/sessions/.lock-NAME",
            "Held while that session is renewed, so that only one process does it. Empty but for a number; stays behind."
        ),
        HelpRow(
            "~/.local/share/authctl/local.db",
            "The accounts of the backend `local`, in SQLite: passwords as argon2id, tokens of sessions as hashes."),
        HelpRow(
            "~/.local/share/authctl/mail/",
            "The mails of those accounts, a file each. A link in them is as good as a password."),
    ]

    private static let configuration = HelpTopic.Section(
        "config.json",
        [
            .code(
                """
                {"v": 1, "current": "live",
                 "profiles": {"live": {"backend": "parse", "appId": "shop",
                                       "server": "https://example.org/parse"}}}
                """),
            .rows([
                HelpRow("v", "The version of the format: 1. A newer one is refused and left alone."),
                HelpRow("current", "The profile that `authctl profile use` chose; may be missing."),
                HelpRow("profiles", "The profiles by name; in each the members below, those that were set."),
                HelpRow("backend", "The kind of server."),
                HelpRow("server", "Its base URL, with the path that the API is mounted at."),
                HelpRow("appId", "The id of the application at the server."),
                HelpRow("clientKey", "The key of the application itself."),
                HelpRow("allowHttp", "True where plain http to another machine is allowed."),
            ]),
            .paragraph(
                """
                The name of a profile is letters, digits, `.`, `_` and `-`, at most 64, and begins with none of `.` and \
                `-`. The file may be edited; members that are not known are kept.
                """),
        ])

    private static let session = HelpTopic.Section(
        "sessions/NAME.json",
        [
            .paragraph(
                """
                Written by authctl alone, and not meant to be edited: its last member is a checksum, so that a damaged \
                token is never used. A session is bound to backend, scheme, host, port, mount path and application id, \
                and never sent to anything else: when the profile leads elsewhere it is kept, but not used.
                """),
            .paragraph(
                """
                A session that runs out and has a refresh token is renewed by the next command that uses it, once, however \
                many begin at the same time; the others wait and use what was renewed.
                """),
        ])

    private static let protection = HelpTopic.Section(
        "who may read and write",
        [
            .paragraph(
                """
                A file or a folder that others can read is narrowed at the next write, with a warning. One that others \
                could have changed, or that belongs to somebody else, the folders above it up to HOME included, is \
                refused with exit code 12; the error names the path and the command that mends it. A folder may be a \
                link; the link, and the folder that it lies in, are held to the same.
                """)
        ])

    private static let writing = HelpTopic.Section(
        "writing",
        [
            .paragraph(
                """
                A file is written whole or not at all, under a lock, and what is reported as done is on the disk. What \
                another process wrote is not lost. A damaged file is never overwritten. Where something was done that \
                could not be kept or printed, the error says what is true now, and the next command.
                """)
        ])
}
