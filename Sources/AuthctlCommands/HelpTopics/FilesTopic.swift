import AuthBackends
import CommandLineKit

extension HelpTopics {
    static var files: HelpTopic {
        HelpTopic(
            "files", summary: "Files and folders",
            opening: [
                .paragraph(
                    """
                    AUTHCTL_CONFIG_DIR, AUTHCTL_DATA_DIR, XDG_CONFIG_HOME and XDG_DATA_HOME override the default \
                    folders. authctl never reads configuration from the working directory.
                    """),
                .rows(fileRows),
            ],
            sections: [configuration, session, protection, writing])
    }

    static let fileRows = [
        HelpRow(
            "~/.config/authctl/config.json",
            """
            Profiles. config.json contains no secrets except client keys and the client tokens of Facebook apps. If \
            config.json is a symbolic link, authctl writes to the link's target.
            """),
        HelpRow("~/.config/authctl/current", "The current profile and user, set by `profile use` or `profile add`."),
        HelpRow(
            "~/.config/authctl/sessions/PROFILE~AS~HASH.json",
            """
            Session of a profile: token, user, and the connection that the session is bound to. AS is the value of \
            `--as`, or empty for the profile's own session. HASH is a digest of the connection. authctl rejects a \
            session file that is a symbolic link.
            """),
        HelpRow(
            "~/.config/authctl/sessions/pending/PROFILE~AS~HASH.json",
            "Pending signup, login or password reset, which waits for the link or code from an e-mail."),
        HelpRow(
            "~/.config/authctl/sessions/.lock-PROFILE~AS~HASH",
            """
            Lock file: only one process refreshes the session at a time. Each folder of authctl also has a lock file \
            `.lock` for writes. authctl never deletes lock files.
            """),
        HelpRow(
            "~/.local/share/authctl/local.db",
            """
            Local accounts in SQLite; passwords are stored as argon2id hashes, and session tokens as hashes. While the \
            database is in use, SQLite keeps the files local.db-wal and local.db-shm beside it.
            """),
        HelpRow(
            "~/.local/share/authctl/mail/",
            "E-mails for local accounts, one file each. Keep the links in e-mails secret, like passwords."),
        HelpRow(
            "$TMPDIR/authctl-serve-*/",
            """
            Temporary folders in which `authctl serve -- COMMAND` keeps e-mails and configuration. If TMPDIR is not \
            set, they are in /tmp. \
            authctl deletes these folders when COMMAND ends. If authctl was killed, the next `authctl serve -- \
            COMMAND` deletes them.
            """),
    ]

    private static let configuration = HelpTopic.Section(
        "config.json",
        [
            .code(
                """
                {"v": 1,
                 "profiles": {"live": {"backend": "parse", "appId": "shop",
                                       "server": "https://example.org/parse"}}}
                """),
            .rows([
                HelpRow("v", "Version of the format: 1. authctl rejects newer versions."),
                HelpRow("profiles", "Profiles by name, with the members below, which are all optional."),
                HelpRow("backend", "Kind of server (default: `local`)."),
                HelpRow("server", "Base URL, including the mount path of the API."),
                HelpRow("appId", "Id of the application (\(BackendRegistry.standard.descriptors.applications))."),
                HelpRow("clientKey", "Client key (\(BackendRegistry.standard.descriptors.clientKeys))."),
                HelpRow("allowHttp", "Whether plain http to non-loopback addresses is allowed: true or false."),
                HelpRow("facebookClientToken", "Client token of the Facebook app."),
                HelpRow("apiURL, ...", "The other settings in authctl-profile-set(1), as strings."),
            ]),
            .paragraph(
                """
                A profile name has at most 64 characters (ASCII letters, digits, `.`, `_` and `-`) and does not start \
                with `.` or `-`. You may edit config.json; authctl keeps unknown members.
                """),
        ])

    private static let session = HelpTopic.Section(
        "sessions/PROFILE~AS~HASH.json",
        [
            .paragraph(
                """
                Do not edit session files. A session is bound to backend, scheme, host, port, mount path and application id, and is sent nowhere else, with exceptions for \
                `authctl api` (see `authctl help security`). A profile can have one session for each combination of \
                connection and `--as` name. If the profile changes, or an option names another server, the session \
                stays saved but is not used; `whoami` and `profile list` mention it.
                """),
            .paragraph(
                """
                The size of a session file is limited to 1 MiB. If fields of the user are too large or nested too \
                deeply, they are not saved, and authctl prints a warning.
                """),
            .paragraph(
                """
                A session name (`--as`) has at most 64 characters (ASCII letters, digits, `.`, `_`, `-`, `@` and `+`) \
                and does not start with `.` or `-`. A session name that differs from a saved session name only in case \
                is rejected.
                """),
            .paragraph(
                """
                When a session with a refresh token has expired, the next command that needs the session refreshes it. \
                If several processes need to refresh a session at the same time, one refreshes it and the others use \
                the new session.
                """),
        ])

    private static let protection = HelpTopic.Section(
        "Permissions",
        [
            .paragraph(
                """
                authctl creates folders with mode 0700 and files with 0600. The configuration folder and the data \
                folder must belong to you or root, and neither group nor others may write to these folders or to a \
                file in them; otherwise authctl exits with code 12. Session files and the database must belong to you \
                and must not be symbolic links. authctl does not check parent folders: do not place its folders in a \
                folder that other users can write to, except a sticky folder such as /tmp.
                """)
        ])

    private static let writing = HelpTopic.Section(
        "Writes",
        [
            .paragraph(
                """
                Writes hold a lock, are atomic, and are synced to disk before authctl reports success. Concurrent \
                changes by other processes are kept. authctl never overwrites a damaged file. If a result cannot be \
                saved or printed, the error states what happened and names the next command to run.
                """)
        ])
}
