import AuthBackends
import AuthModel
import CommandLineKit

extension HelpTopics {
    /// Derived from declarations: all variables of options, and those without an option.
    static var environment: HelpTopic {
        HelpTopic(
            "environment", summary: summary(of: "environment"),
            opening: [
                .paragraph(
                    """
                    An option outranks its variable, and the variable the profile. An empty variable counts as one that \
                    is not set, unless it is a secret. One that turns something on does so unless it is 0 or false.
                    """)
            ],
            sections: [
                HelpTopic.Section("instead of options", [.rows(ofOptions)]),
                HelpTopic.Section("instead of what a profile is set to", [.rows(ofSettings)]),
                HelpTopic.Section("secrets", [.rows(secrets)]),
                HelpTopic.Section("places", [.rows(places)]),
            ])
    }

    /// Variables that differ from their option.
    private static let special = [
        "AUTHCTL_CLIENT_KEY": "The key of the application itself, in place of `--client-key-file`.",
        "NO_COLOR": "No colours, if it is set to anything. Same as `--color never`.",
        "CLICOLOR": "0 means no colours.",
        "CLICOLOR_FORCE": "Colours even where there is no terminal. Same as `--color always`.",
        "TERM": "`dumb` means no colours and nothing that moves.",
        "CI": "Set by CI systems: nothing is asked, and nothing moves. Same as `--no-input`.",
        "HTTPS_PROXY": "The proxy for https, where `--proxy` names none; `https_proxy` outranks it.",
        "NO_PROXY": "Hosts that are reached without the proxy, parted by commas; `no_proxy` outranks it.",
        "AUTHCTL_PASSWORD": "A password, where no option says where to read it.",
        "AUTHCTL_NEW_PASSWORD": "The new password of `authctl password change`.",
    ]

    static let secrets = [
        HelpRow("AUTHCTL_PASSWORD", special["AUTHCTL_PASSWORD"] ?? ""),
        HelpRow("AUTHCTL_NEW_PASSWORD", special["AUTHCTL_NEW_PASSWORD"] ?? ""),
        HelpRow(
            "AUTHCTL_TOKEN",
            """
            The token of a session to use instead of the stored one; only with a server, or the backend `local`, named \
            by an option, a variable or a profile, and only sent there.
            """),
        HelpRow("AUTHCTL_TOKEN_FILE", "The same, read from this file."),
    ]

    static let places = [
        HelpRow("AUTHCTL_CONFIG_DIR", "The folder of profiles and sessions; an absolute path."),
        HelpRow("AUTHCTL_DATA_DIR", "The folder of the accounts of this machine; an absolute path."),
        HelpRow("XDG_CONFIG_HOME", "Without AUTHCTL_CONFIG_DIR that folder is `authctl` in this one."),
        HelpRow("XDG_DATA_HOME", "Without AUTHCTL_DATA_DIR that folder is `authctl` in this one."),
        HelpRow("HOME", "Without those, the folders are `.config/authctl` and `.local/share/authctl` in it."),
        HelpRow(
            "AUTHCTL_FACEBOOK_GRAPH_URL",
            """
            Where Facebook's Graph is asked, in place of https://graph.facebook.com: https, or this machine; for tests.
            """),
        HelpRow("COLUMNS", "How wide help is, at most 80; else the width of the terminal."),
    ]

    /// Variables that override backend settings of a profile.
    private static var ofSettings: [HelpRow] {
        BackendRegistry.standard.descriptors.settings.compactMap { setting in
            guard let variable = setting.variable else { return nil }
            let text =
                setting.form == .secret
                ? "What is in the file of `\(setting.word)`, itself." : "Same as `\(setting.word)`: \(setting.summary)."
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
