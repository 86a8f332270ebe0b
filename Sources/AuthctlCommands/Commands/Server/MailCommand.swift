import AuthClient
import AuthModel
import CommandLineKit
import JSON
import Platform

enum MailCommand: Command {
    enum Part: String, Sendable { case link, code }

    struct Options: CommandOptions, TakesMailSearch {
        var search = MailSearch()
        var printsLink = false
        var printsCode = false
    }

    static let name = "mail"
    static let summary = "Show e-mails in a folder or in Mailpit"
    static let spec = declaration(
        discussion: """
            Shows e-mails, the newest last. With the backend `local`, the default is the local e-mail folder. Other \
            backends require `--mail-dir`, AUTHCTL_MAIL_DIR, `--mailpit`, AUTHCTL_CONTROL_URL, or the profile setting \
            `mailDir` or `mailpit`; for the emulator of Firebase, the default is its own list, with `--to NUMBER` that \
            of text messages. `--link` and `--code` print only the link or code of the newest matching e-mail. If no e-mail matches, or the newest has no link or code to \
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
            authctl waits for its end for 2 seconds, or up to 10 seconds with `--wait`. It leaves out e-mails of more \
            than 1 MiB, with a warning.

            The link is that of the text or, if the text has none, that of the HTML. Attachments count only if neither \
            has a link or code.

            On a Mailpit server, authctl reads the newest 50 e-mails or, with `--to`, the newest 50 e-mails to the \
            address. It stops after the seconds of `--wait` or `--timeout`, whichever is longer. Mailpit marks these e-mails as read. authctl lists an e-mail of more than 1 MiB without its link \
            and code, and prints a warning. authctl follows no redirects from Mailpit and sends it no credentials. \
            Plain http to a Mailpit server at a non-loopback address requires `--allow-http`, AUTHCTL_ALLOW_HTTP or, \
            if the profile names the Mailpit server, the profile setting `allowHttp`.
            """),
        arguments: .mailSources() + [
            .option({ $0.search.recipient = $1 }, "to", value: "ADDRESS", help: "Show only e-mails to this address."),
            .choice(
                ReceivedMail.Purpose.allCases.map(\.rawValue),
                { $0.search.purpose = ReceivedMail.Purpose(rawValue: $1) }, "for",
                help: "Show only e-mails that verify an address, reset a password, or log in."),
            .wait { $0.search.wait = $1 },
            .flag({ $0.printsLink = $1 }, "link", help: "Print only the link of the newest matching e-mail."),
            .flag({ $0.printsCode = $1 }, "code", help: "Print only the code of the newest matching e-mail."),
        ],
        rules: [.exclusive("mail-dir", "mailpit"), .exclusive("link", "code")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let part: Part? = options.printsLink ? .link : options.printsCode ? .code : nil
        let (matches, isFound) = try options.search.run(in: context) { $0.has(part) }
        guard let newest = matches.last, isFound else { throw notFound(options.search, part, newest: matches.last) }
        return Output(mails: part == nil ? matches : [newest], part: part, times: TimeStyle(context))
    }

    /// - Parameter newest: the newest match, which lacks the requested link or code; `nil` if no e-mail matches.
    private static func notFound(_ search: MailSearch, _ part: Part?, newest: ReceivedMail?) -> AuthError {
        guard let newest, let part else { return search.notFound }
        if part == .code, newest.codes.count > 1 {
            return AuthError(
                .notFound, "the newest e-mail has \(newest.codes.count) words that may be the code",
                next: "read the code in the e-mail")
        }
        let other = part == .link ? Part.code : .link
        return AuthError(
            .notFound, "the newest \(search.subject) has no \(part.rawValue)",
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
