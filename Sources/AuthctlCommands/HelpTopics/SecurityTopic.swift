import CommandLineKit

extension HelpTopics {
    static var security: HelpTopic {
        HelpTopic(
            "security", summary: "How authctl handles passwords, tokens and keys",
            opening: [
                .paragraph(
                    """
                    Secrets are passwords, tokens, client keys, master keys, one-time codes, and the links and codes \
                    in e-mails.
                    """)
            ],
            sections: [arguments, storage, network, output])
    }

    private static let arguments = HelpTopic.Section(
        "Input",
        [
            .paragraph(
                """
                No option takes a password or token as its value, because every user of the machine can read the \
                arguments of a process. authctl reads secrets from a prompt without echo, from standard input (with \
                options such as `--password-stdin`), from a file (with options such as `--password-file`) or from the \
                environment. A password is one line. On a terminal, options that read standard input hide what is \
                typed; Enter ends a password or token. `authctl exec` removes the variables with passwords before it runs \
                the command. Only `--otp` and `--key` take a secret as an argument: a code or link that works only once.
                """)
        ])

    private static let storage = HelpTopic.Section(
        "Storage",
        [
            .paragraph(
                """
                authctl never saves master keys, and saves passwords in only one case: `users create --credentials` \
                writes the passwords that it generates. authctl saves tokens and client keys unencrypted in files that \
                only the user can read. The database of local accounts contains argon2id hashes of passwords, and \
                hashes of session tokens. Core dumps are disabled, and SSLKEYLOGFILE and SWIFT_BACKTRACE are ignored, \
                so that no other secret reaches the disk; `authctl exec` restores these settings for its command.
                """)
        ])

    private static let network = HelpTopic.Section(
        "Network",
        [
            .paragraph(
                """
                authctl connects only to the configured servers, directly or through the configured proxy, and to the \
                Facebook Graph API for Facebook identities. authctl sends the tokens of Facebook users to the Graph \
                API and to the server, in a header or a body, and does not save them. There is no telemetry and no \
                update check. A session is bound to scheme, host, port, mount path and application id. authctl never \
                sends a session anywhere else, with two exceptions for `authctl api`: other paths of a Django site, \
                and the `apiURL` recorded at login.
                """),
            .paragraph(
                """
                authctl always verifies certificates, against the system's CA certificates or, with `--ca-cert`, \
                against only the CA certificates in FILE. macOS always trusts its keychain, so `--ca-cert` is not \
                supported there. Plain http is limited to loopback addresses; for other hosts it requires \
                `--allow-http`, AUTHCTL_ALLOW_HTTP or the profile setting `allowHttp`, and authctl prints a warning \
                each time. Redirects are followed only for GET requests, and only below the same base URL.
                """),
            .paragraph(
                """
                `authctl serve` listens on 127.0.0.1 and [::1]. It rejects requests for non-loopback hosts, unless \
                `--allow-host` names the host. It rejects cross-origin requests, unless `--allow-origin` names the \
                origin. `--listen` with an address that is not loopback requires `--client-key-file`. \
                `--test-controls` is never available for the accounts of the backend `local`; the URL of the test \
                controls is secret. `--test-identities` lets any client log in as any user, so it requires \
                `--ephemeral` and a loopback address.
                """),
            .paragraph(
                """
                For Facebook logins to local accounts, authctl checks each Facebook token at \
                https://graph.facebook.com, with the token in a header, never in a URL.
                """),
        ])

    private static let output = HelpTopic.Section(
        "Output",
        [
            .paragraph(
                """
                `--verbose` shows method, URL, status and time of each request, but no headers and no body. Only \
                `authctl token` and `authctl storage-state` print the token of the session, and `authctl exec` passes \
                it to a command. `users create` and `users login` write tokens to the file of `--tokens`. `authctl \
                api` prints responses as the server sends them; on a terminal, control characters are escaped. authctl \
                shows other text from the server, such as error messages, in quotes and without control characters.
                """),
            .paragraph(
                """
                In errors, notes and `--verbose` output, authctl replaces secrets in server messages, header values \
                and URLs with `<redacted>`, even if they are percent-encoded or JSON-escaped. The secrets of a command \
                are the secrets in its input, the secrets in the files that it reads, and the tokens in responses. A \
                secret of fewer than 6 characters is masked only as a whole word. authctl's own words and the names \
                that you typed stay readable. Fields of the user are shown as the server sent them, except members \
                whose names look like secrets; see `authctl help json`.
                """),
        ])
}
