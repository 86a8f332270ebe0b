import AuthBackends
import AuthModel
import CommandLineKit

extension HelpTopics {
    /// The topic on environment variables. The variables of options and settings come from their declarations.
    static var environment: HelpTopic {
        HelpTopic(
            "environment", summary: "Environment variables",
            opening: [
                .paragraph(
                    """
                    Precedence: option, variable, profile, default. An empty variable counts as not set, except that \
                    an empty AUTHCTL_PASSWORD, AUTHCTL_NEW_PASSWORD or AUTHCTL_TOKEN is an error when the command \
                    needs its value. A switch such as AUTHCTL_ALLOW_HTTP is off by default; any value except 0 and \
                    false turns it on.
                    """)
            ],
            sections: [
                HelpTopic.Section("Options", [.rows(ofOptions)]),
                HelpTopic.Section("Profile settings", [.rows(ofSettings)]),
                HelpTopic.Section("Secrets", [.rows(secrets)]),
                HelpTopic.Section("Folders and network", [.rows(places)]),
            ])
    }

    /// Descriptions that replace the default text ("Same as `--output`. Output format.").
    private static let special = [
        "AUTHCTL_AS": """
        Same as `--as`. Use the session saved under this name. AUTHCTL_AS cannot be combined with AUTHCTL_TOKEN or \
        AUTHCTL_TOKEN_FILE.
        """,
        "AUTHCTL_CLIENT_KEY": "The client key itself, instead of a file; overrides AUTHCTL_CLIENT_KEY_FILE.",
        "AUTHCTL_CLIENT_KEY_FILE":
            "Same as `--client-key-file`: path of a file with the client key (such as the REST key of Parse).",
        "AUTHCTL_OUTPUT": """
        Same as `--output`, but ignored by `token`, `storage-state`, `completion`, `help` and `version`.
        """,
        "AUTHCTL_CA_CERT": """
        Same as `--ca-cert`: path of a PEM file with the only CA certificates to trust; not supported on macOS.
        """,
        "AUTHCTL_ADMIN_KEY_FILE": """
        Same as `--admin-key-file` of `login` and `users` commands, but used only for the server in AUTHCTL_SERVER \
        or, for Firebase, the project in AUTHCTL_APP_ID with AUTHCTL_BACKEND=firebase.
        """,
        "NO_COLOR": "No color, whatever the value. Same as `--color never`.",
        "CLICOLOR": "0 means no color.",
        "CLICOLOR_FORCE": "Switch: color even without a terminal, unless NO_COLOR is set.",
        "TERM": "`dumb` means no color and no progress display.",
        "CI": "Switch, set by CI systems: no prompts, as with `--no-input`, and no progress display.",
        "HTTPS_PROXY": "Proxy for https servers, unless `--proxy` or `https_proxy` is set. The default port is 1080.",
        "NO_PROXY": """
        Hosts, addresses and blocks such as 10.0.0.0/8 to reach without the proxy, comma-separated; ignored if \
        `no_proxy` is set.
        """,
    ]

    static let password = HelpRow("AUTHCTL_PASSWORD", "The password, unless an option supplies it.")

    static let newPassword = HelpRow(
        "AUTHCTL_NEW_PASSWORD",
        "The new password for `authctl password change` and `authctl password reset`, unless an option supplies it.")

    static let secrets = [
        password, HelpRow("AUTHCTL_PASSWORD_FILE", "File that contains the password, instead of AUTHCTL_PASSWORD."),
        newPassword,
        HelpRow(
            "AUTHCTL_TOKEN",
            """
            Session token, used instead of the saved session, except by `signup`, `login` and `logout`. If no session \
            is saved, `logout` revokes this token. authctl sends the token to only one server: the server that \
            AUTHCTL_BACKEND, AUTHCTL_SERVER and AUTHCTL_APP_ID name or, without these variables, the profile's \
            server. Exception: if the setting `apiURL` is set, `authctl api` sends the token there. `--as` overrides \
            the token.
            """),
        HelpRow("AUTHCTL_TOKEN_FILE", "File that contains the token, instead of AUTHCTL_TOKEN."),
        HelpRow(
            "AUTHCTL_SETTINGS",
            """
            Settings in place of the profile's, as `authctl exec` sets them: a JSON object with `backend`, `server` and \
            the settings of that backend, such as `collection`. It is ignored if another server or backend is in use.
            """),
    ]

    static let places = [
        HelpRow("AUTHCTL_CONFIG_DIR", "Folder for profiles and sessions (absolute path)."),
        HelpRow("AUTHCTL_DATA_DIR", "Folder for local accounts and their e-mails (absolute path)."),
        HelpRow(
            "AUTHCTL_MAIL_DIR",
            "Folder of the e-mails for `authctl mail`; `authctl serve -- COMMAND` sets AUTHCTL_MAIL_DIR for COMMAND."),
        HelpRow(
            "AUTHCTL_CONTROL_URL",
            """
            Secret URL of the test controls of `authctl serve`: `authctl mail` and `--from-mail` read the e-mails that \
            the server keeps in memory.
            """),
        HelpRow(
            "TMPDIR", "Parent of the temporary folders of `authctl serve -- COMMAND` (absolute path; default: /tmp)."),
        HelpRow("XDG_CONFIG_HOME", "AUTHCTL_CONFIG_DIR defaults to `$XDG_CONFIG_HOME/authctl` (absolute path)."),
        HelpRow("XDG_DATA_HOME", "AUTHCTL_DATA_DIR defaults to `$XDG_DATA_HOME/authctl` (absolute path)."),
        HelpRow("HOME", "Home folder: by default, authctl uses `.config/authctl` and `.local/share/authctl` in it."),
        HelpRow(
            "SUDO_UID",
            """
            Set by sudo: authctl then rejects folders in another user's home folder, unless AUTHCTL_CONFIG_DIR and \
            AUTHCTL_DATA_DIR are both set.
            """),
        HelpRow(
            "AUTHCTL_FACEBOOK_GRAPH_URL",
            """
            URL of the Facebook Graph API, for tests: an https or loopback URL (default: https://graph.facebook.com).
            """),
        HelpRow(
            "SSL_CERT_FILE", "File of CA certificates, as for curl; `--ca-cert` and the setting caCert override it."),
        HelpRow("SSL_CERT_DIR", "Folder of CA certificates, as for curl; overridden like SSL_CERT_FILE."),
        HelpRow(
            "FIREBASE_AUTH_EMULATOR_HOST",
            "Host and port of the emulator of Firebase, used unless `--server` or the profile names a server."),
        HelpRow("COLUMNS", "Width of help pages, from 20 to 80 columns (default: the terminal's width)."),
    ]

    /// Variables that override backend settings of a profile.
    private static var ofSettings: [HelpRow] {
        BackendRegistry.standard.descriptors.settings.compactMap { setting in
            guard let variable = setting.variable else { return nil }
            let text =
                setting.form == .secret
                ? "Same as `\(setting.word)`, but the content of the file instead of its path."
                : "Same as `\(setting.word)`: \(setting.summary)."
            return HelpRow(variable, text)
        }
    }

    private static var ofOptions: [HelpRow] {
        let options =
            (GlobalOptions.spec.description.arguments + CommandRegistry.all.flatMap { $0.description.arguments })
            .filter(\.isVisibleOption)
        let elsewhere = (secrets + places + ofSettings).map(\.term)
        return options.reduce(into: []) { rows, option in
            for variable in option.environment where !elsewhere.contains(variable) {
                guard !rows.contains(where: { $0.term == variable }) else { continue }
                rows.append(HelpRow(variable, special[variable] ?? "Same as `\(option.spelling)`. \(option.help)"))
            }
        }
    }
}
