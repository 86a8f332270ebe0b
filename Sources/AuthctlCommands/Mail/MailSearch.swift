import AuthClient
import AuthModel
import CommandLineKit
import Platform
import Transport

/// A search for e-mails in a folder or on a server.
struct MailSearch: Sendable, Equatable {
    var folder: String?
    var mailpit: String?
    var recipient: String?
    var purpose: ReceivedMail.Purpose?
    var wait = Duration.zero

    /// Returns the matching e-mails, the newest last. Waits until the newest is wanted.
    ///
    /// - Returns: `isFound` is false if the newest is not wanted, or if no e-mail matches.
    func run(
        in context: Context, isWanted: (ReceivedMail) -> Bool
    ) throws(AuthError) -> (mails: [ReceivedMail], isFound: Bool) {
        let source = try source(in: context)
        let start = context.world.uptime()
        let patience = wait == .zero ? .seconds(2) : min(wait, .seconds(10))
        return try context.events.during("waiting for the e-mail") { () throws(AuthError) in
            while true {
                let matches = try source.mails().compactMap(match)
                if matches.last?.isUnfinished == true, context.world.uptime() < start + patience {
                    context.world.pause(.milliseconds(200))
                    continue
                }
                if let newest = matches.last, isWanted(newest) { return (matches, true) }
                let left = start + wait - context.world.uptime()
                guard left > .zero else { return (matches, false) }
                context.world.pause(min(left, .milliseconds(200)))
            }
        }
    }

    /// The e-mail with the wanted recipient; `nil` if the e-mail does not match.
    private func match(_ mail: ReceivedMail) -> ReceivedMail? {
        guard purpose == nil || mail.purpose == purpose else { return nil }
        return recipient.map { mail.addressed(to: $0) } ?? mail
    }

    /// What is searched, such as `verification e-mail to 'ada@example.org'`.
    var subject: String {
        let kind =
            switch purpose {
            case .verification: "verification e-mail"
            case .reset: "password-reset e-mail"
            case .login: "login e-mail"
            case nil: "e-mail"
            }
        return kind + (recipient.map { " to '\($0)'" } ?? "")
    }

    var notFound: AuthError {
        AuthError(.notFound, "no \(subject)", next: wait == .zero ? "to wait for it, add --wait SECONDS" : nil)
    }

    /// The folder or server named by an option, AUTHCTL_MAIL_DIR, AUTHCTL_CONTROL_URL or the profile; by default, the
    /// e-mail folder of the backend `local`, or the list of an emulator.
    ///
    /// - Parameter hasOptions: whether the command takes the options, too.
    /// - Throws: `AuthError` `usage` if the profile names both, or if it names neither and its backend is neither `local`
    ///   nor an emulator.
    func source(in context: Context, hasOptions: Bool = true) throws(AuthError) -> any MailSource {
        let variable = "AUTHCTL_MAIL_DIR"
        if let url = mailpit {
            return try context.mailpit(Setting(url, from: .option("--mailpit")), to: recipient, within: wait)
        }
        let given =
            folder.map { Setting($0, from: .option("--mail-dir")) }
            ?? context.environment[variable].map { Setting($0, from: .environment(variable)) }
        if let given { return try context.world.mails(given, context.warn) }
        let controls = "AUTHCTL_CONTROL_URL"
        if let url = context.environment[controls] { return try context.controlMails(controls, url) }
        let settings = try context.usedSettings()
        let profile = settings.profile.value
        let path = settings.serverSettings[BackendSetting.mailFolder.key]
        let url = settings.serverSettings[BackendSetting.mailpit.key]
        switch (path, url) {
        case (let path?, nil): return try context.world.mails(Setting(path, from: .profile(profile)), context.warn)
        case (nil, let url?):
            return try context.mailpit(
                Setting(url, from: .profile(profile)), to: recipient, within: wait,
                isAllowed: settings.profileAllowsHTTP)
        case (nil, nil) where !settings.backend.value.has(.takesServer):
            return try context.world.mails(nil, context.warn)
        case (nil, nil):
            if let mails = try context.serverMails(settings, to: recipient) { return mails }
            throw AuthError(
                .usage,
                "cannot read e-mails: \(settings.usesProfile ? "profile '\(profile)'" : "the command") names no folder and no Mailpit server",
                nextSteps: (hasOptions ? ["add --mail-dir FOLDER or --mailpit URL"] : []) + [
                    NextStep("name the folder", run: ["profile", "set", NextStep.profile, "mailDir", "FOLDER"]),
                    NextStep("name the Mailpit server", run: ["profile", "set", NextStep.profile, "mailpit", "URL"]),
                ]
            ).naming(settings)
        case (_?, _?):
            throw AuthError(
                .usage, "profile '\(profile)' has both settings mailDir and mailpit",
                next: NextStep("remove one", run: ["profile", "set", profile, "mailDir", ""]))
        }
    }
}

extension Context {
    /// A reader for the Mailpit server at this URL.
    ///
    /// - Parameters:
    ///   - wait: how long the command waits for an e-mail.
    ///   - isAllowed: whether the profile that names the server allows plain HTTP.
    func mailpit(
        _ setting: Setting<String>, to recipient: String?, within wait: Duration, isAllowed: Bool = false
    ) throws(AuthError) -> MailpitReader {
        try BackendSetting.mailpit.require(setting)
        let url = try ServerURL(setting)
        if !url.isSecure, !url.isLoopback {
            guard isAllowed || globals.allowsHTTP || world.environment.isOn("AUTHCTL_ALLOW_HTTP") else {
                throw AuthError(
                    .plainHTTP, "server '\(url.text)'\(setting.origin.clause) would send e-mails unencrypted",
                    nextSteps: ["use an https URL", "to read e-mails unencrypted anyway, add --allow-http"])
            }
            events.warnOfPlainHTTP(url.text)
        }
        let settings = try networkSettings()
        return MailpitReader(
            url.text, to: recipient, stack(settings).transportWithoutRedirects(to: url.text),
            timeLimit: settings.timeLimit,
            wait: wait, clock: world.uptime, warn: { [events] in events.warn($0) })
    }
}

protocol TakesMailSearch: SendableMetatype {
    var search: MailSearch { get set }
}

extension Array {
    static func mailSources<Options: TakesMailSearch>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .option(
                { $0.search.folder = $1 }, "mail-dir", value: "FOLDER", default: "the setting `mailDir`",
                help: "Read the e-mails in this folder.", environment: ["AUTHCTL_MAIL_DIR"]),
            .option(
                { $0.search.mailpit = $1 }, "mailpit", value: "URL", default: "the setting `mailpit`",
                help: "Read the e-mails on this Mailpit server."),
        ]
    }
}

extension Argument {
    static func wait(_ set: @escaping Field<Duration>) -> Argument {
        .option(
            set, "wait", value: "SECONDS", help: "Wait at most this long for a matching e-mail.",
            parse: { text throws(ArgumentValueError) in try GlobalOptions.seconds(text) ?? .zero })
    }

    static func fromMail(_ set: @escaping Field<Bool>) -> Argument {
        .flag(set, "from-mail", help: "Take it from the newest matching e-mail.")
    }
}
