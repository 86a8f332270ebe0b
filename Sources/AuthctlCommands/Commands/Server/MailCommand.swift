import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum MailCommand: Command {
    enum Part: String, Sendable { case link, code }

    struct Options: CommandOptions {
        var folder: String?
        var mailpit: String?
        var recipient: String?
        var purpose: ReceivedMail.Purpose?
        var wait = Duration.zero
        var printsLink = false
        var printsCode = false
    }

    static let name = "mail"
    static let summary = "Show e-mails in a folder or in Mailpit"
    static let spec = CommandSpec<Options>(
        name,
        summary: summary,
        discussion: """
            Shows e-mails, the newest last. With the backend `local`, the default is the local e-mail folder. Other \
            backends require `--mail-dir`, AUTHCTL_MAIL_DIR, `--mailpit`, or the profile setting `mailDir` or \
            `mailpit`; for the emulator of Firebase, the default is its own list. `--link` and `--code` print only the \
            link or code of the newest matching e-mail. If no e-mail matches, or the newest has no link or code to \
            print, the exit code is 7. Keep links and codes secret, like passwords.
            """,
        examples: [
            Example("authctl mail", "Show all e-mails."),
            Example(
                "authctl mail --for verification --wait 5 --link | authctl verify-email --key-stdin",
                "Verify an address in a script."),
        ],
        exitCodes: [0, 2, 5, 7, 8, 9, 12],
        notes: .paragraphs(
            """
            authctl reads `.eml` files, which contain one e-mail each, and the `.log` files of Django's file-based \
            e-mail backend. authctl reads e-mails only from files that no other user can write to, and warns of other \
            files. If the last line of an `.eml` file has no line ending, another program may still be writing it: \
            authctl waits for its end for 2 seconds, or up to 10 seconds with `--wait`.

            The link is that of the text or, if the text has none, that of the HTML. Attachments count only if neither \
            has a link or code.

            On a Mailpit server, authctl reads the newest 50 e-mails or, with `--to`, the newest 50 e-mails to the \
            address. It stops after the seconds of `--wait` or `--timeout`, whichever is longer. Mailpit marks these e-mails as read. authctl lists an e-mail of more than 1 MiB without its link \
            and code, and prints a warning. authctl follows no redirects from Mailpit and sends it no credentials. \
            Plain http to a Mailpit server at a non-loopback address requires `--allow-http`, AUTHCTL_ALLOW_HTTP or, \
            if the profile names the Mailpit server, the profile setting `allowHttp`.
            """),
        arguments: [
            .option(
                { $0.folder = $1 }, "mail-dir", value: "FOLDER", default: "the setting `mailDir`",
                help: "Read the e-mails in this folder.", environment: ["AUTHCTL_MAIL_DIR"]),
            .option(
                { $0.mailpit = $1 }, "mailpit", value: "URL", default: "the setting `mailpit`",
                help: "Read the e-mails on this Mailpit server."),
            .option({ $0.recipient = $1 }, "to", value: "ADDRESS", help: "Show only e-mails to this address."),
            .choice(
                ReceivedMail.Purpose.self, { $0.purpose = $1 }, "for",
                help: "Show only e-mails that verify an address, or that reset a password."),
            .option(
                { $0.wait = $1 }, "wait", value: "SECONDS", help: "Wait at most this long for a matching e-mail.",
                parse: { text throws(ArgumentValueError) in try GlobalOptions.seconds(text) ?? .zero }),
            .flag({ $0.printsLink = $1 }, "link", help: "Print only the link of the newest matching e-mail."),
            .flag({ $0.printsCode = $1 }, "code", help: "Print only the code of the newest matching e-mail."),
        ],
        rules: [.exclusive("mail-dir", "mailpit"), .exclusive("link", "code")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let part: Part? = options.printsLink ? .link : options.printsCode ? .code : nil
        let source = try source(options, context)
        let start = context.world.uptime()
        let end = start + options.wait
        let patience = options.wait == .zero ? .seconds(2) : min(options.wait, .seconds(10))
        while true {
            let matches = try source.mails().compactMap { match($0, options) }
            if matches.last?.isUnfinished == true, context.world.uptime() < start + patience {
                context.world.pause(.milliseconds(200))
                continue
            }
            if let newest = matches.last, newest.has(part) {
                return Output(mails: part == nil ? matches : [newest], part: part, times: TimeStyle(context))
            }
            let left = end - context.world.uptime()
            guard left > .zero else { throw notFound(options, part, newest: matches.last) }
            context.world.pause(min(left, .milliseconds(200)))
        }
    }

    /// The folder or server named by an option, AUTHCTL_MAIL_DIR or the profile; by default, the e-mail folder of the
    /// backend `local`.
    ///
    /// - Throws: `AuthError` `usage` if the profile names both, or if it names neither and its backend is neither `local`
    ///   nor an emulator.
    private static func source(_ options: Options, _ context: Context) throws(AuthError) -> any MailSource {
        let variable = "AUTHCTL_MAIL_DIR"
        if let url = options.mailpit {
            return try context.mailpit(
                Setting(url, from: .option("--mailpit")), to: options.recipient, within: options.wait)
        }
        let given =
            options.folder.map { Setting($0, from: .option("--mail-dir")) }
            ?? context.environment[variable].map { Setting($0, from: .environment(variable)) }
        if let given { return try context.world.mails(given, context.warn) }
        let settings = try context.settings()
        let profile = settings.profile.value
        let path = settings.serverSettings[BackendSetting.mailFolder.key]
        let url = settings.serverSettings[BackendSetting.mailpit.key]
        switch (path, url) {
        case (let path?, nil): return try context.world.mails(Setting(path, from: .profile(profile)), context.warn)
        case (nil, let url?):
            return try context.mailpit(
                Setting(url, from: .profile(profile)), to: options.recipient, within: options.wait,
                isAllowed: settings.profileAllowsHTTP)
        case (nil, nil) where !settings.backend.value.has(.takesServer):
            return try context.world.mails(nil, context.warn)
        case (nil, nil) where settings.isForEmulator:
            return try context.emulatorMails(settings, settings.connection.server ?? "")
        case (nil, nil):
            throw AuthError(
                .usage, "cannot read e-mails: profile '\(profile)' names no folder and no Mailpit server",
                nextSteps: [
                    "add --mail-dir FOLDER or --mailpit URL",
                    NextStep("or save the folder", run: ["profile", "set", profile, "mailDir", "FOLDER"]),
                ])
        case (_?, _?):
            throw AuthError(
                .usage, "profile '\(profile)' has both settings mailDir and mailpit",
                next: NextStep("remove one", run: ["profile", "set", profile, "mailDir", ""]))
        }
    }

    /// The e-mail with the recipient that `--to` names; `nil` if the e-mail does not match the options.
    private static func match(_ mail: ReceivedMail, _ options: Options) -> ReceivedMail? {
        guard options.purpose == nil || mail.purpose == options.purpose else { return nil }
        return options.recipient.map { mail.addressed(to: $0) } ?? mail
    }

    /// - Parameter newest: the newest match, which lacks the requested link or code; `nil` if no e-mail matches.
    private static func notFound(_ options: Options, _ part: Part?, newest: ReceivedMail?) -> AuthError {
        if part == .code, let newest, newest.codes.count > 1 {
            return AuthError(
                .notFound, "the newest e-mail has \(newest.codes.count) words that may be the code",
                next: "read the code in the e-mail")
        }
        let kind =
            switch options.purpose {
            case .verification: "verification e-mail"
            case .reset: "password-reset e-mail"
            case nil: "e-mail"
            }
        let recipient = options.recipient.map { " to '\($0)'" } ?? ""
        let subject = "\(kind)\(recipient)"
        guard let newest, let part else {
            return AuthError(
                .notFound, "no \(subject)", next: options.wait == .zero ? "to wait for it, add --wait SECONDS" : nil)
        }
        let other = part == .link ? Part.code : .link
        return AuthError(
            .notFound, "the newest \(subject) has no \(part.rawValue)",
            next: newest.has(other) ? NextStep("it has a \(other.rawValue): use --\(other.rawValue)") : nil)
    }

    struct Output: CommandOutput {
        let mails: [ReceivedMail]
        /// `nil` to show all matching e-mails.
        let part: Part?
        let times: TimeStyle

        func text(_ style: TextStyle) -> String {
            if let part { return ((part == .link ? mails.last?.link : mails.last?.code) ?? "") + "\n" }
            return mails.map { mail in
                let time = times.text(mail.date)
                let head = "\(time.isEmpty ? "" : "\(time)  ")\(style.strong(mail.recipient.shownShort))"
                let key = [mail.link, mail.code].compactMap { $0.map { "  \($0)\n" } }.joined()
                return "\(head)  \(mail.subject.shownShort)\n\(key)"
            }.joined()
        }

        var json: JSONValue {
            ["v": 1, "kind": "mail", "items": .array(mails.map(\.json))]
        }
    }
}

extension ReceivedMail {
    fileprivate func has(_ part: MailCommand.Part?) -> Bool {
        switch part {
        case .link: link != nil
        case .code: code != nil
        case nil: true
        }
    }

    fileprivate var json: JSONValue {
        [
            "to": .string(recipient), "subject": .string(subject), "at": JSONValue(date.map(\.text)),
            "link": JSONValue(link), "code": JSONValue(code),
        ]
    }
}
