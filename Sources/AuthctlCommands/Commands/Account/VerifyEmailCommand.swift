import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum VerifyEmailCommand: Command {
    struct Options: CommandOptions, TakesMailKey, TakesPassword {
        var email: String?
        var passwordFile: String?
        var key = MailKeyOptions()
    }

    static let name = "verify-email"
    static let summary = "Send a verification e-mail, or finish the verification"
    static let spec = declaration(
        discussion: """
            Without a key, requests the e-mail. With a key, verifies the address. The key is the link or code from the \
            e-mail. authctl does not open the link, but sends the data in the link to the server. On a terminal, \
            authctl offers the key, or asks for it, after requesting the e-mail; in scripts, `--from-mail` takes it \
            from the newest e-mail. The link to a new e-mail of a PocketBase account also needs \
            the password. A code of Supabase needs its address: `--email`.
            """,
        examples: [
            Example("authctl verify-email", "Send the verification e-mail again."),
            Example("authctl verify-email --key-stdin < link.txt", "Verify the address with the link from the e-mail."),
            Example("authctl verify-email --from-mail --wait 5", "Verify the address with the e-mail in the folder."),
            Example("authctl verify-email --key MPDF-FRQW", "Verify the address, and complete a pending signup."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        arguments: [
            .option(
                { $0.email = $1 }, "email", value: "ADDRESS",
                help: "E-mail address or phone number (default: that of the pending signup or the current user).")
        ] + .mailKey() + .passwordSources(),
        rules: MailKeyOptions.rules + [.onePassword, .exclusive("key-stdin", "password-stdin")])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.client(reauthenticatingBy: options)
        let profile = client.settings.profile.value
        func finish(_ key: MailKey, _ address: String?) throws(AuthError) -> Output {
            let task: Output.Task =
                switch try VerifyEmail(client, of: address).run(key: key) {
                case .done: .verified(nil)
                case .session(let new): .verified(new.user)
                case .changedEmail(let new): .verified(new?.user)
                case .otherAddressMissing: .confirmed
                }
            return Output(profile: profile, task: task, hints: context.hints)
        }
        try options.email?.requirePlain("e-mail")
        let account = client.accountToVerify
        let done = try context.withKey(
            options.key, for: .verification, to: options.email, orOf: account, missing: "add --email ADDRESS",
            use: finish)
        if let done { return done }
        let mail = try SendVerification(client).run(email: options.email)
        let output = Output(profile: profile, task: .mail(mail), hints: context.hints)
        guard mail.wasSent else { return output }
        context.noteMailFolder(of: client)
        let search = MailKeySearch(addresses: [mail.email], purpose: .verification)
        return try context.offerKey(after: output, of: ["verify-email"], in: search) { key throws(AuthError) in
            try finish(key, options.email)
        }
    }

    struct Output: MailOutput {
        enum Task: Equatable {
            case mail(VerificationMail)
            /// The user is set if the verification completed a pending login.
            case verified(User?)
            /// Another address must be confirmed, too, before the e-mail changes.
            case confirmed
        }

        let profile: String
        let task: Task
        let hints: HintRenderer
        var wasPrinted = false

        func text(_ style: TextStyle) -> String {
            switch task {
            case .mail(let mail): text(mail)
            case .verified(nil): "the e-mail is verified\n"
            case .confirmed:
                "the link or code is confirmed; the e-mail changes once that of the other address is confirmed, too\n"
            case .verified(let user?):
                "the e-mail is verified; logged in as \((user.displayName ?? "").shownShort) (profile '\(profile)')\n"
            }
        }

        private func text(_ mail: VerificationMail) -> String {
            let address = mail.email.shownShort
            if !mail.wasSent { return "the e-mail \(address) is already verified\n" }
            let isPhone = mail.email.looksLikePhone
            let command = hints.commandLine(
                ["verify-email"] + (isPhone ? ["--email", mail.email] : []) + ["--key-stdin"])
            let sent = "\(isPhone ? "a message" : "an e-mail") was sent to"
            return """
                \(mail.isCertain ? "\(sent) \(address)" : "if \(address) is not verified yet, \(sent) it")
                \(mail.holdsCode || isPhone ? "Pass its code to" : "Follow its link, or pass the link to"): \(command)

                """
        }

        var stateCommand: [String]? { ["whoami"] }

        var json: JSONValue {
            let (wasSent, isVerified, user): (Bool, Bool, User?) =
                switch task {
                case .mail(let mail): (mail.wasSent, !mail.wasSent, nil)
                case .verified(let user): (false, true, user)
                case .confirmed: (false, false, nil)
                }
            return [
                "v": 1, "kind": "verify-email", "profile": .string(profile), "sent": .bool(wasSent),
                "verified": .bool(isVerified), "user": JSONValue(user, \.json),
            ]
        }
    }
}
