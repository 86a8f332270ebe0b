import AuthClient
import AuthModel
import CommandLineKit
import Platform

struct MailKeyOptions: Sendable, Equatable {
    var text: String?
    /// `-` for standard input.
    var file: String?
    var isFromMail = false
    /// How long to wait for the e-mail.
    var wait = Duration.zero

    static let names = ["key-stdin", "key-file", "key", "from-mail"]
    static let rules: [OptionRule] = [
        .exclusive("key-stdin", "key-file", "key", "from-mail"), .requires(["wait"], oneOf: ["from-mail"]),
    ]

    var readsInput: Bool { file == "-" }
}

protocol TakesMailKey: SendableMetatype {
    var key: MailKeyOptions { get set }
}

extension Array {
    static func mailKey<Options: TakesMailKey>() -> [Argument<Options>] where Element == Argument<Options> {
        .keySources() + [
            .option(
                { $0.key.text = $1 }, "key", value: "KEY",
                help: "Link or code from the e-mail; visible to other users in the process list."),
            .fromMail { $0.key.isFromMail = $1 }, .wait { $0.key.wait = $1 },
        ]
    }

    static func keySources<Options: TakesMailKey>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .flag(
                { $0.key.file = $1 }, "key-stdin", sets: "-",
                help: "Read the e-mail's link or code from standard input."),
            .option(
                { $0.key.file = $1 }, "key-file", value: "FILE", help: "Read the link or code from FILE."),
        ]
    }
}

extension MailKey {
    /// Reads the key from the option, file or standard input that the options name; `nil` if they name none.
    init?(_ options: MailKeyOptions, in context: Context) throws(AuthError) {
        if let text = options.text {
            try self.init(pasted: text, in: context)
        } else if let path = options.file {
            try self.init(pasted: try SecretReader(what: "key", context: context).key(in: path).reveal(), in: context)
        } else {
            return nil
        }
    }

    /// Prompts for the key without echo; `nil` if the user enters nothing, or if no terminal is available.
    fileprivate init?(askedIn context: Context) throws(AuthError) {
        let text: String
        do throws(TerminalError) {
            text = try context.world.terminal.askHidden(
                "Paste the link or code from the e-mail, or press Enter to finish later: ")
        } catch {
            guard error == .lineTooLong || error == .notUTF8 else { return nil }
            throw CredentialsPrompt(context: context).promptFailure("key", error)
        }
        guard !text.isEmpty else { return nil }
        try self.init(pasted: text, in: context)
    }

    init(pasted: String, in context: Context) throws(AuthError) {
        self.init(pasted)
        guard !text.isEmpty else { throw AuthError(.usage, "the key is empty") }
        guard !isAmbiguous else {
            throw AuthError(.usage, "the key consists of several links", next: "give one link from the e-mail")
        }
        guard text.isPlain else { throw AuthError(.usage, "the key contains a control character") }
        context.world.masker.register(text)
    }
}

/// An output that may report that an e-mail with a key was sent.
protocol MailOutput: CommandOutput {
    var wasPrinted: Bool { get set }
}

extension Context {
    func noteMailFolder(of client: Client) {
        guard !client.settings.backend.value.has(.takesServer),
            let folder = try? Paths(environment: environment).mails()
        else { return }
        events.note(
            "e-mails of local accounts are files in '\(folder.path)'; "
                + "'authctl mail' shows them, and 'authctl serve' answers their links")
    }

    /// Prints the report of a sent e-mail. Then offers the key in the e-mail, if the profile tells where it arrives, or
    /// prompts for the key, and calls `finish` with the key.
    ///
    /// - Parameter command: the command that accepts the key later, with `--key-stdin`.
    /// - Returns: the output of `finish`, or `output` if no prompt is possible or the user finishes later.
    func offerKey<Output: MailOutput>(
        after output: Output, of command: [String], in search: MailKeySearch,
        finish: (MailKey) throws(AuthError) -> Output
    ) throws(AuthError) -> Output {
        // A script that reads the output does not expect a prompt.
        guard prompts.areAllowed, world.output.isTerminal, printer.format == .text, !events.isQuiet else {
            return output
        }
        try printer.announce(output)
        var output = output
        output.wasPrinted = true
        do throws(AuthError) {
            var key = MailKey(offeredBy: search, in: self)
            if key == nil { key = try MailKey(askedIn: self) }
            guard let key else { return output }
            return try finish(key)
        } catch {
            guard [.notFound, .wrongCode, .weakPassword, .invalidFields, .usage].contains(error.reason) else {
                throw error
            }
            var error = error
            error.nextSteps.append(NextStep("to continue with the link or code", run: command + ["--key-stdin"]))
            throw error
        }
    }
}
