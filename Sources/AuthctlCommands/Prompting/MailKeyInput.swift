import AuthClient
import AuthModel
import CommandLineKit

/// The options for the key of an e-mail.
struct MailKeyOptions: Sendable, Equatable {
    var text: String?
    var isRead = false
    var file: String?

    static let names = ["key-stdin", "key-file", "key"]
    static let rule = OptionRule.exclusive("key-stdin", "key-file", "key")

    var readsInput: Bool { isRead || file == "-" }
}

/// The options of a command that takes the key of an e-mail.
protocol TakesMailKey: SendableMetatype {
    var key: MailKeyOptions { get set }
}

extension Array {
    static func mailKey<Options: TakesMailKey>() -> [Argument<Options>] where Element == Argument<Options> {
        [
            .flag(
                { $0.key.isRead = $1 }, "key-stdin", help: "Read the link or code from the e-mail from standard input."),
            .option(
                { $0.key.file = $1 }, "key-file", value: "FILE",
                help: "Read the link or code from FILE (`-` for standard input)."),
            .option(
                { $0.key.text = $1 }, "key", value: "KEY",
                help: "Link or code from the e-mail; visible to other users in the process list."),
        ]
    }
}

extension MailKey {
    /// Reads the key from the source that the options name; `nil` without one.
    init?(_ options: MailKeyOptions, in context: Context) throws(AuthError) {
        let pasted: String
        if let text = options.text {
            pasted = text
        } else if let path = options.isRead ? "-" : options.file {
            pasted = try SecretReader(what: "key", context: context).key(in: path).reveal()
        } else {
            return nil
        }
        self.init(pasted)
        guard !text.isEmpty else { throw AuthError(.usage, "the key is empty") }
        guard text.isPlain else { throw AuthError(.usage, "the key contains a control character") }
        context.world.masker.register(text)
    }
}
