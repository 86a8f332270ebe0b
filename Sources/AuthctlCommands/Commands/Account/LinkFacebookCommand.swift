import AuthModel
import CommandLineKit
import JSON

/// Links the account with a Facebook identity, or takes that away.
enum LinkFacebookCommand: Command {
    struct Options: CommandOptions, TakesFacebookIdentity {
        var readsToken = false
        var tokenFile: String?
        var facebookID: String?
        var unlinks = false
        var showsStatus = false
    }

    static let name = "link-facebook"
    static let spec = CommandSpec<Options>(
        name,
        summary: "Link the account with a Facebook identity",
        discussion: """
            The token is a user access token of the Facebook app that the server knows. It is sent to the server and \
            not kept here. An identity linked before is replaced.
            """,
        examples: [
            Example(
                "authctl link-facebook --token-file token.txt --facebook-id 10158", "Link the owner of the token."),
            Example("authctl link-facebook --status --json | jq .linked", "Whether one is linked, for scripts."),
            Example("authctl link-facebook --unlink", "Take the identity away; a second time does no harm."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
        arguments: [
            .flag({ $0.readsToken = $1 }, "token-stdin", help: "Read the Facebook token from standard input."),
            .option(
                { $0.tokenFile = $1 }, "token-file", value: "FILE",
                help: "Read the Facebook token from this file; `-` is standard input."),
            .option(
                { $0.facebookID = $1 }, "facebook-id", value: "ID",
                help: "The id of the Facebook user, where the server does not ask Facebook for it."),
            .flag({ $0.unlinks = $1 }, "unlink", help: "Take the identity away."),
            .flag({ $0.showsStatus = $1 }, "status", help: "Only tell whether an identity is linked."),
        ])

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        try requireOneTask(options)
        let client = try context.makeClient()
        let profile = client.settings.profile.value
        if options.showsStatus { return Output(profile: profile, task: .status(try client.facebookLink())) }
        if options.unlinks { return Output(profile: profile, task: .unlink(try client.unlinkFacebook())) }
        let identity = try FacebookInput(context: context).identity(options)
        return Output(profile: profile, task: .link(try client.linkFacebook(identity)))
    }

    private static func requireOneTask(_ options: Options) throws(AuthError) {
        guard [options.hasFacebookIdentity, options.unlinks, options.showsStatus].count(where: { $0 }) <= 1 else {
            throw AuthError(
                .usage, "a token or an id, --unlink and --status exclude each other", hint: "give one of them")
        }
    }

    struct Output: CommandOutput {
        enum Task: Equatable {
            case status(FacebookLink)
            case link(FacebookChange)
            case unlink(FacebookChange)
        }

        let profile: String
        let task: Task

        func text(_ style: TextStyle) -> String {
            let place = "(profile '\(profile)')"
            return switch task {
            case .status(.none): "no Facebook identity is linked \(place)\n"
            case .status(let link): "\(identity(link)) is linked \(place)\n"
            case .link(let change) where change.hasChanged: "linked \(identity(change.status.link)) \(place)\n"
            case .link(let change): "\(identity(change.status.link)) was linked already \(place)\n"
            case .unlink(let change) where change.hasChanged: "unlinked \(identity(change.before)) \(place)\n"
            case .unlink: "no Facebook identity was linked \(place)\n"
            }
        }

        private func identity(_ link: FacebookLink) -> String {
            link.id.map { "Facebook identity \($0.shown)" } ?? "a Facebook identity"
        }

        var json: JSONValue {
            [
                "v": 1, "kind": "link-facebook", "profile": .string(profile), "linked": .bool(link != .none),
                "changed": .bool(hasChanged), "facebookId": JSONValue(link.id),
            ]
        }

        /// How it is now.
        private var link: FacebookLink {
            switch task {
            case .status(let link): link
            case .link(let change), .unlink(let change): change.status.link
            }
        }

        private var hasChanged: Bool {
            switch task {
            case .status: false
            case .link(let change), .unlink(let change): change.hasChanged
            }
        }
    }
}
