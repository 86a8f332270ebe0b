import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum LinkCommand: Command {
    struct Options: CommandOptions, TakesProof, TakesPassword {
        var passwordFile: String?
        var provider: String?
        var tokenFile: String?
        var proof = ProofOptions()
        var unlinks = false
        var force = false
        var showsStatus = false
    }

    static let name = "link"
    static let summary = "Link the account to an identity of a provider"
    static let spec = declaration(
        discussion: """
            PROVIDER is the provider's name on the server, such as google. A token or code is sent once, and not saved. \
            Without one, `link facebook` starts a device login. The password is used only if the server asks for it.
            """,
        examples: [
            Example("authctl link google --id-token-file id-token.txt", "Link the identity in an ID token."),
            Example("authctl link --status", "Show all linked identities."),
            Example("authctl link apple --unlink", "Remove the link; safe to repeat."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        notes: notes,
        arguments: [
            .optionalPositional({ $0.provider = $1 }, "PROVIDER", help: "Name of the identity provider.")
                .completed(by: .words { IdentityProvider.known.map(\.name) }),
            .flag({ $0.tokenFile = $1 }, "token-stdin", sets: "-", help: "Read an access token from standard input."),
            .option({ $0.tokenFile = $1 }, "token-file", value: "FILE", help: "Read an access token from FILE."),
        ] + .proof() + [
            .flag({ $0.unlinks = $1 }, "unlink", help: "Remove the link to the provider's identity."),
            .flag({ $0.force = $1 }, "force", help: "Unlink even the last authentication method."),
            .flag({ $0.showsStatus = $1 }, "status", help: "Show the linked identities."),
        ] + .passwordSources(),
        rules: ProofOptions.rules + ProofOptions.passwordRules + [
            .exclusive(groups: [ProofOptions.allNames, ["unlink"], ["status"]]),
            .requires(["force"], oneOf: ["unlink"]),
        ])

    private static let notes: [HelpTopic.Block] = .paragraphs(
        """
        For Google and Apple, Parse Server requires an ID token (`--id-token-stdin`). For GitHub and Microsoft, Parse \
        Server requires a code or, in insecure mode, an access token with `--identity-id`. `--auth-data-file` works \
        with any authentication adapter of Parse Server.

        allauth accepts an ID token for Google, Apple, OpenID Connect and allauth's `dummy` provider, and an ID token \
        or access token for Facebook. allauth accepts each ID token only once. For `dummy`, which is for test sites, \
        the ID token is a JSON object, such as `{"id":"7","email":"ada@example.org"}`.

        dj-rest-auth accepts an access token, alone or with an ID token, or a code. For Apple, the access token \
        requires the ID token. The profile settings `socialLoginPath.PROVIDER` and `socialConnectPath.PROVIDER` are \
        the paths of the provider's login and connect views.

        PocketBase accepts authorization codes with `--redirect-uri`, and `--code-verifier-file` if the request had a \
        code challenge. Kii Cloud accepts access tokens from Facebook and Google; local accounts accept access tokens from Facebook. \
        Supabase accepts ID tokens, with `--nonce TEXT` if the token was requested with the hash of a nonce; `login` \
        also accepts the code of a project's browser login with `--code-verifier-file`. \
        `authctl serve --ephemeral --test-identities` accepts unsigned ID tokens from any provider.

        A CI job on Google Cloud can log in like this (untested, from Google's documentation): `gcloud auth \
        print-identity-token --audiences=CLIENT_ID | authctl login --provider google --id-token-stdin`. To test Sign \
        in with Apple on a simulator, let the app print the `identityToken` that it receives, and pass the token to \
        `authctl login --provider apple --id-token-stdin`.
        """)

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LinkOutput {
        let provider = try options.provider.map { name throws(AuthError) in try IdentityInput.provider(name) }
        let client = try context.client(reauthenticatingBy: options)
        func output(_ task: LinkOutput.Task) -> LinkOutput {
            LinkOutput(profile: client.settings.profile.value, provider: provider, task: task)
        }
        guard let provider else {
            guard options.showsStatus else {
                throw AuthError(
                    .usage, "argument PROVIDER is required",
                    next: options.unlinks ? "name the provider" : "name the provider, or add --status")
            }
            return output(.list(try Link(client).status().user.identities))
        }
        if options.showsStatus { return output(.status(try Link(client).status().link(to: provider))) }
        if options.unlinks { return output(.unlink(try Unlink(client).run(provider, force: options.force))) }
        let source = try IdentityInput(context: context).source(provider, options)
        return output(.link(try Link(client).run(source).change))
    }
}

/// The output of `link`: the linked identities of one provider or of all providers, or a change to them.
struct LinkOutput: CommandOutput {
    enum Task: Equatable {
        /// `nil` if the server does not report identities.
        case list([Identity]?)
        case status(IdentityLink)
        case link(IdentityChange)
        case unlink(IdentityChange)
    }

    let profile: String
    /// `nil` only if `task` is `list`.
    let provider: IdentityProvider?
    let task: Task

    private var title: String { provider?.title ?? "" }

    func text(_ style: TextStyle) -> String {
        let place = "(profile '\(profile)')"
        switch task {
        case .list(nil): return "the server reports no identities, but it may not report all \(place)\n"
        case .list([]): return "no identity is linked \(place)\n"
        case .list(let identities?):
            let lines = identities.map { "\($0.provider.shownShort)\($0.id.map { ": \($0.shownShort)" } ?? "")\n" }
            return "linked identities \(place):\n" + lines.joined()
        case .status(.unknown): return "the server reports no \(title) identity, but it may not report all \(place)\n"
        case .status(.none): return "no \(title) identity is linked \(place)\n"
        case .status(let link): return "\(identities(link)) \(link.ids.count > 1 ? "are" : "is") linked \(place)\n"
        case .link(let change):
            let isOld = change.hasChanged == false
            return (isOld ? "\(identity(change.after)) is already linked" : "linked \(identity(change.after))")
                + " \(place)\n"
        case .unlink(let change): return "\(unlinkText(change)) \(place)\n"
        }
    }

    var stateCommand: [String]? { change.map { _ in ["link", provider?.name ?? "", "--status"] } }

    private func unlinkText(_ change: IdentityChange) -> String {
        switch change.hasChanged {
        case true: "unlinked \(identities(change.before))"
        case false: "no \(title) identity was linked"
        // The server does not report whether an identity was linked before.
        default: "no \(title) identity is linked now"
        }
    }

    private func identities(_ link: IdentityLink) -> String {
        link.ids.count > 1
            ? "\(title) identities \(link.ids.map(\.shownShort).joined(separator: ", "))" : identity(link)
    }

    private func identity(_ link: IdentityLink) -> String {
        let article = title.first.map { "aeiouAEIOU".contains($0) } == true ? "an" : "a"
        return link.id.map { "\(title) identity \($0.shownShort)" } ?? "\(article) \(title) identity"
    }

    var json: JSONValue {
        guard let provider else { return list }
        return [
            "v": 1, "kind": "link", "profile": .string(profile), "provider": .string(provider.name),
            "linked": isLinked, "changed": hasChanged, "id": JSONValue(link.id), "ids": ids,
            "replacedId": JSONValue(change?.replacedID),
        ]
    }

    private var list: JSONValue {
        guard case .list(let identities?) = task else {
            return ["v": 1, "kind": "links", "profile": .string(profile), "items": .null]
        }
        let items = (User(identities: identities).providers ?? []).map { provider -> JSONValue in
            let ids = identities.filter { $0.provider == provider }.compactMap(\.id)
            return ["provider": .string(provider), "ids": JSONValue(ids)]
        }
        return ["v": 1, "kind": "links", "profile": .string(profile), "items": .array(items)]
    }

    // MARK: - Values for the JSON output

    var link: IdentityLink { if case .status(let link) = task { link } else { change?.after ?? .unknown } }

    var change: IdentityChange? {
        switch task {
        case .list, .status: nil
        case .link(let change), .unlink(let change): change
        }
    }

    var isLinked: JSONValue { link == .unknown ? .null : .bool(link != .none) }
    var hasChanged: JSONValue { change.map { $0.hasChanged.map(JSONValue.bool) ?? .null } ?? false }
    var ids: JSONValue { link == .unknown ? .null : JSONValue(link.ids) }
}
