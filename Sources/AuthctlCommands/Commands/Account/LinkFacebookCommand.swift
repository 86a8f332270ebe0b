import AuthClient
import AuthModel
import CommandLineKit
import JSON

/// Links the account with a Facebook identity, or unlinks it.
enum LinkFacebookCommand: Command {
    struct Options: CommandOptions, TakesFacebookIdentity {
        var readsToken = false
        var tokenFile: String?
        var facebook = FacebookOptions()
        var unlinks = false
        var withdraws = false
        var force = false
        var showsStatus = false
    }

    static let name = "link-facebook"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Link the account with a Facebook identity",
        discussion: """
            Without a token a code is shown, to be entered at Facebook in any browser; for that the app's id and client \
            token must be known, from the profile or from variables. A token is that of a user of the Facebook app that \
            the server knows. It is sent to the server and not kept here. An identity linked before is replaced where \
            the server keeps only one.
            """,
        examples: [
            Example("authctl link-facebook", "Link whoever enters the code that is shown."),
            Example("authctl link-facebook --token-file token.txt", "Link the owner of the token."),
            Example("authctl link-facebook --status --json | jq .linked", "Whether one is linked, for scripts."),
            Example("authctl link-facebook --unlink", "Take the identity away; a second time does no harm."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
        arguments: [
            .flag({ $0.readsToken = $1 }, "token-stdin", help: "Read the Facebook token from standard input."),
            .option(
                { $0.tokenFile = $1 }, "token-file", value: "FILE",
                help: "Read the Facebook token from this file; `-` is standard input."),
        ] + .facebook() + [
            .flag({ $0.unlinks = $1 }, "unlink", help: "Take the identity away."),
            .flag(
                { $0.force = $1 }, "force",
                help: "Take it away even if nobody may be able to log in to the account any more."),
            .flag(
                { $0.withdraws = $1 }, "revoke",
                help: "With --unlink: withdraw what the user allows the app at Facebook, too, on all devices."),
            .flag({ $0.showsStatus = $1 }, "status", help: "Only tell whether an identity is linked."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        try requireOneTask(options)
        let client = try context.makeClient()
        let profile = client.settings.profile.value
        if options.showsStatus { return Output(profile: profile, task: .status(try LinkFacebook(client).status())) }
        let input = FacebookInput(context: context)
        guard options.unlinks else {
            let result = try LinkFacebook(client).run(try input.credential(options), fills: options.facebook.fills)
            return Output(profile: profile, task: .link(result))
        }
        let credential = options.withdraws ? try input.credential(options) : nil
        let result = try UnlinkFacebook(client).run(force: options.force, withdrawing: credential)
        return Output(profile: profile, task: .unlink(result))
    }

    private static func requireOneTask(_ options: Options) throws(AuthError) {
        guard !options.unlinks || !options.showsStatus else {
            throw AuthError(.usage, "--unlink and --status exclude each other", next: "give one of them")
        }
        if !options.unlinks, let option = options.withdraws ? "--revoke" : options.force ? "--force" : nil {
            throw AuthError(.usage, "\(option) is of use with --unlink only", next: "add --unlink")
        }
        let task = options.showsStatus ? "--status" : options.unlinks ? "--unlink" : nil
        guard let task else { return }
        if options.facebook.fills {
            throw AuthError(.usage, "--fill-user and \(task) exclude each other", next: "give one of them")
        }
        guard options.hasFacebookToken || options.givenFacebookOption != nil, !options.withdraws else { return }
        throw AuthError(
            .usage, "\(task) needs no token, id or permission",
            next: task == "--unlink" ? "leave it out, or add --revoke" : "leave it out")
    }

    struct Output: CommandOutput {
        enum Task: Equatable {
            case status(FacebookLink)
            case link(FacebookResult)
            case unlink(FacebookResult)
        }

        let profile: String
        let task: Task

        func text(_ style: TextStyle) -> String {
            let place = "(profile '\(profile)')"
            switch task {
            case .status(.none): return "no Facebook identity is linked \(place)\n"
            case .status(let link): return "\(identities(link)) \(link.ids.count > 1 ? "are" : "is") linked \(place)\n"
            case .link(let result):
                let change = result.change
                let done = change.hasChanged ? "linked \(identity(link))" : "\(identity(link)) was linked already"
                return "\(done) \(place)\n" + filledText(result.filled)
            case .unlink(let result):
                let change = result.change
                let done =
                    change.hasChanged ? "unlinked \(identities(change.before))" : "no Facebook identity was linked"
                return "\(done) \(place)\n" + withdrawalText(result)
            }
        }

        var shownBy: [String]? { result.map { _ in ["link-facebook", "--status"] } }

        private func withdrawalText(_ result: FacebookResult) -> String {
            if result.wasWithdrawn { return "what the token's user allowed the app at Facebook was withdrawn before\n" }
            return result.isWithdrawn ? "withdrew all that the app was allowed at Facebook, on all devices\n" : ""
        }

        private func identities(_ link: FacebookLink) -> String {
            link.ids.count > 1
                ? "Facebook identities \(link.ids.map(\.shownShort).joined(separator: ", "))" : identity(link)
        }

        /// The linked identity, for messages.
        private func identity(_ link: FacebookLink) -> String {
            link.id.map { "Facebook identity \($0.shownShort)" } ?? "a Facebook identity"
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "link-facebook", "profile": .string(profile), "linked": .bool(link != .none),
                "changed": .bool(result?.change.hasChanged ?? false), "facebookId": JSONValue(link.id),
                "facebookIds": JSONValue(link.ids), "replacedId": JSONValue(result?.change.replacedID),
                "filled": JSONValue(result?.filled) { JSONValue($0) },
                "permissionsRevoked": .bool(result?.isWithdrawn ?? false),
            ]
        }

        /// The current link.
        private var link: FacebookLink {
            if case .status(let link) = task { link } else { result?.change.status.link ?? .none }
        }

        private var result: FacebookResult? {
            switch task {
            case .status: nil
            case .link(let result), .unlink(let result): result
            }
        }
    }
}

/// The line about filled fields; empty if there are none.
func filledText(_ fields: [String]?) -> String {
    guard let fields, !fields.isEmpty else { return "" }
    return "filled in from Facebook: \(fields.map(\.shownShort).joined(separator: ", "))\n"
}
