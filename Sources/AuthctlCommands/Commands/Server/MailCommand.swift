import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

/// Shows the e-mails of local accounts.
enum MailCommand: Command {
    enum Part: String, Sendable { case link, code }

    struct Options: CommandOptions {
        var folder: String?
        var recipient: String?
        var purpose: ReceivedMail.Purpose?
        var wait = Duration.zero
        var printsLink = false
        var printsCode = false
    }

    static let name = "mail"
    static let usesProfile = false
    static let spec = CommandSpec<Options>(
        name,
        summary: "Show the e-mails of local accounts",
        discussion: """
            Shows the e-mails that the backend `local` or `authctl serve` has written, the newest last. `--link` and \
            `--code` print only the link or code of the newest matching e-mail. Without a match the exit code is 7. \
            Links and codes are as secret as passwords.
            """,
        examples: [
            Example("authctl mail", "Show all e-mails."),
            Example(
                #"authctl verify-email --key "$(authctl mail --for verification --wait 5 --link)""#,
                "Verify an address in a script."),
        ],
        exitCodes: [0, 2, 7, 12],
        notes: .paragraphs(
            """
            authctl reads files with one e-mail (`.eml`), and the files that Django's file backend for e-mails writes \
            (`.log`). It reads only files that no other user can write. A missing folder counts as empty.
            """),
        arguments: [
            .option(
                { $0.folder = $1 }, "mail-dir", value: "FOLDER", default: "the folder of the backend `local`",
                help: "Read the e-mails in this folder.", environment: ["AUTHCTL_MAIL_DIR"]),
            .option({ $0.recipient = $1 }, "to", value: "ADDRESS", help: "Only e-mails to this address."),
            .choice(
                ReceivedMail.Purpose.self, { $0.purpose = $1 }, "for",
                help: "Only e-mails that verify an address, or that reset a password."),
            .option(
                { $0.wait = $1 }, "wait", value: "SECONDS", help: "Wait up to this time for a match.",
                parse: { text throws(ArgumentValueError) in try GlobalOptions.seconds(text) ?? .zero }),
            .flag({ $0.printsLink = $1 }, "link", help: "Print only the link of the newest match that has one."),
            .flag({ $0.printsCode = $1 }, "code", help: "Print only the code of the newest match that has one."),
        ],
        rules: [.exclusive("link", "code")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let part: Part? = options.printsLink ? .link : options.printsCode ? .code : nil
        let source = try context.world.mails(options.folder ?? context.environment["AUTHCTL_MAIL_DIR"], context.warn)
        let end = context.world.uptime() + options.wait
        while true {
            let matches = try source.mails().filter { isMatch($0, options, part) }
            if let newest = matches.last {
                return Output(
                    mails: part == nil ? matches : [newest], part: part, times: TimeStyle(context))
            }
            let left = end - context.world.uptime()
            guard left > .zero else { throw notFound(options, part) }
            context.world.pause(min(left, .milliseconds(100)))
        }
    }

    private static func isMatch(_ mail: ReceivedMail, _ options: Options, _ part: Part?) -> Bool {
        if let recipient = options.recipient, mail.recipient.lowercased() != recipient.lowercased() { return false }
        if let purpose = options.purpose, mail.purpose != purpose { return false }
        return part.map { mail.text(of: $0) != nil } ?? true
    }

    private static func notFound(_ options: Options, _ part: Part?) -> AuthError {
        let kind =
            switch options.purpose {
            case .verification: "verification e-mail"
            case .reset: "password-reset e-mail"
            case nil: "e-mail"
            }
        let recipient = options.recipient.map { " to '\($0)'" } ?? ""
        let what = part.map { " with a \($0.rawValue)" } ?? ""
        return AuthError(
            .notFound, "no \(kind)\(recipient)\(what)",
            next: options.wait == .zero ? "to wait for it, add --wait SECONDS" : nil)
    }

    struct Output: CommandOutput {
        let mails: [ReceivedMail]
        /// `nil`: everything.
        let part: Part?
        let times: TimeStyle

        func text(_ style: TextStyle) -> String {
            if let part { return (mails.last?.text(of: part) ?? "") + "\n" }
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
    fileprivate func text(of part: MailCommand.Part) -> String? {
        switch part {
        case .link: link
        case .code: code
        }
    }

    fileprivate var json: JSONValue {
        [
            "to": .string(recipient), "subject": .string(subject), "at": JSONValue(date.map(\.text)),
            "link": JSONValue(link), "code": JSONValue(code),
        ]
    }
}
