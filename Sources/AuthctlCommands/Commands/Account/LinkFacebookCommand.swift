import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum LinkFacebookCommand: Command {
    struct Options: CommandOptions, TakesProof, TakesFacebookOptions, TakesPassword {
        var passwordFile: String?
        var tokenFile: String?
        var proof = ProofOptions()
        var facebook = FacebookOptions()
        var unlinks = false
        var revokes = false
        var force = false
        var showsStatus = false
    }

    static let name = "link-facebook"
    static let summary = "Link the account to a Facebook identity"
    static let spec = declaration(
        discussion: """
            Without a token, authctl shows a code to enter on Facebook in any browser (device login). Device login \
            requires the app id and the client token of the Facebook app, from the profile or the environment. A token \
            must belong to the Facebook app of the server; authctl sends it to the server and does not save it. Parse \
            Server and local accounts replace an identity that is already linked. The password is used only if the \
            server asks for it.
            """,
        examples: [
            Example("authctl link-facebook", "Show a code to enter on Facebook."),
            Example("authctl link-facebook --token-file token.txt", "Link the identity in a Facebook token."),
            Example(
                "authctl link-facebook --status --json | jq .linked",
                "Print whether an identity is linked: true, false or null (unknown)."),
            Example("authctl link-facebook --unlink", "Remove the link; safe to repeat."),
        ],
        exitCodes: [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        notes: .paragraphs(
            """
            Device login must be enabled for the Facebook app: switch on 'Login from Devices' in its settings on \
            Facebook. The client token of the Facebook app is in the app's settings, under 'Advanced'. Device login \
            never needs the app secret. An allauth site supplies the id of its Facebook app. AUTHCTL_FACEBOOK_APP_ID \
            and AUTHCTL_FACEBOOK_CLIENT_TOKEN override the profile settings facebookAppId and facebookClientTokenFile.

            If the Facebook app id is set, authctl asks Facebook which app an access token belongs to, and does not \
            send a token of another app to the server. If Facebook does not answer, authctl prints a warning and sends \
            the token.

            ID tokens from Facebook Limited Login work with the backends `parse` and `allauth`. The fields that \
            `--fill-user` sets depend on the backend: e-mail and `name` (`local`, `parse`), first and last name \
            (`rest-auth`), the e-mail once it is verified (`allauth`), or none (`kii`).

            `--unlink` requires `--force` if the identity may be the account's last authentication method. `--revoke` \
            requires an access token or a device login of the linked user. If the revocation fails after the identity \
            is unlinked, repeat the command: if no identity is linked, `--revoke` accepts an access token or device \
            login of any Facebook user. After `authctl logout`, the user is still logged in to Facebook.
            """),
        arguments: [
            .flag(
                { $0.tokenFile = $1 }, "token-stdin", sets: "-", help: "Read the Facebook token from standard input."),
            .option(
                { $0.tokenFile = $1 }, "token-file", value: "FILE",
                help: "Read the Facebook token from FILE (`-` for standard input)."),
            .option({ $0.proof.id = $1 }, "facebook-id", value: "ID", help: "Same as `--identity-id`."),
        ] + .proof() + .facebook() + [
            .flag({ $0.unlinks = $1 }, "unlink", help: "Remove the link to the Facebook identity."),
            .flag({ $0.force = $1 }, "force", help: "Unlink even the account's last authentication method."),
            .flag(
                { $0.revokes = $1 }, "revoke",
                help: "With --unlink: also revoke the app's permissions on Facebook, on all devices."),
            .flag({ $0.showsStatus = $1 }, "status", help: "Only show whether an identity is linked."),
        ] + .passwordSources(),
        rules: ProofOptions.rules + ProofOptions.passwordRules + [
            FacebookOptions.rule, .requires(["revoke", "force"], oneOf: ["unlink"]),
            .exclusive(groups: [["fill-user"], ["unlink"], ["status"]]),
            .exclusive(groups: [identity, ["status"]]), .requires(identity, oneOf: ["revoke"], with: ["unlink"]),
        ])

    private static let identity = ProofOptions.allNames + ["facebook-id", "permission"]

    static func run(_ options: Options, in context: Context) throws(AuthError) -> Output {
        let client = try context.client(reauthenticatingBy: options)
        func output(
            _ task: LinkOutput.Task, filled: [String]? = nil, _ revocation: Output.Revocation? = nil
        ) -> Output {
            let link = LinkOutput(profile: client.settings.profile.value, provider: .facebook, task: task)
            return Output(link: link, filled: filled, revocation: revocation)
        }
        if options.showsStatus { return output(.status(try Link(client).status().link(to: .facebook))) }
        if options.unlinks, !options.revokes {
            return output(.unlink(try Unlink(client).run(.facebook, force: options.force)))
        }
        let source = try IdentityInput(context: context).facebook(options, options.facebook)
        if options.unlinks {
            let (change, wasRevoked) = try Unlink(client).run(force: options.force, revokingWith: source)
            return output(.unlink(change), wasRevoked ? .earlier : .now)
        }
        let result = try Link(client).run(source, fills: options.facebook.fills)
        return output(.link(result.change), filled: result.filled)
    }

    struct Output: CommandOutput {
        /// Whether this command or an earlier action revoked the app's permissions on Facebook.
        enum Revocation {
            case now, earlier
        }

        let link: LinkOutput
        var filled: [String]?
        var revocation: Revocation?

        func text(_ style: TextStyle) -> String {
            let revoked: String =
                switch revocation {
                case .now: "revoked the app's permissions on Facebook, on all devices\n"
                case .earlier: "the app's permissions on Facebook were already revoked\n"
                case nil: ""
                }
            return link.text(style) + filledText(filled) + revoked
        }

        var stateCommand: [String]? { link.change.map { _ in ["link-facebook", "--status"] } }

        var json: JSONValue {
            [
                "v": 1, "kind": "link-facebook", "profile": .string(link.profile), "linked": link.isLinked,
                "changed": link.hasChanged, "facebookId": JSONValue(link.link.id), "facebookIds": link.ids,
                "replacedId": JSONValue(link.change?.replacedID), "filled": JSONValue(filled) { JSONValue($0) },
                "permissionsRevoked": .bool(revocation != nil),
            ]
        }
    }
}
