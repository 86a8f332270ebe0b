import AuthClient
import AuthModel
import CommandLineKit
import JSON

enum LoginCommand: Command {
    struct Options: CommandOptions, TakesPassword, TakesProof, TakesFacebookOptions, TakesAdminKey, TakesMailKey {
        var username: String?
        var passwordFile: String?
        var fields: [String] = []
        var code: String?
        var tokenFile: String?
        var provider: String?
        var usesFacebook = false
        var proof = ProofOptions()
        var facebook = FacebookOptions()
        var isAnonymous = false
        var impersonated: String?
        var admin = AdminKeyOptions()
        var sendsCode = false
        var key = MailKeyOptions()
    }

    static let name = "login"
    static let summary = "Log in to an account"
    static let spec = declaration(
        discussion: """
            Replaces the saved session without revoking it. `--as NAME` saves a separate session; NAME is the default \
            username. The password comes from an option, AUTHCTL_PASSWORD or a prompt. `--provider` needs a token or \
            code; Facebook can show a code to enter there. An identity without an account gets one. `--send-code` needs \
            no password: the server sends a code or link to ADDRESS, and `--otp` or `--key-stdin` finishes the login.
            """,
        examples: [
            Example("authctl login ada", "Prompt for the password."),
            Example("authctl login ada --password-stdin < password.txt", "Log in from a script."),
            Example("authctl login --as ada", "Log in as ada, and keep the profile's own session."),
            Example("authctl login ada@example.org --send-code", "Log in by a code or link from an e-mail."),
            Example("authctl login --facebook", "Log in with Facebook in any browser."),
            Example("authctl login --provider google --id-token-file id-token.txt", "Log in with a Google ID token."),
            Example("authctl login --impersonate ada", "Log in as ada, a local account, without the password."),
        ],
        exitCodes: [0, 2, 4, 5, 6, 7, 8, 9, 10, 12],
        variables: [HelpTopics.password],
        notes: .paragraphs(
            """
            With rest-auth, a site without JWTs has one token per user: a logout on one device logs out all devices. A \
            Django site with JWTs issues tokens that expire after a few minutes. authctl refreshes JWTs if the site \
            returns a refresh token in the response body or in a cookie. A site with JWT_AUTH_HTTPONLY but without \
            JWT_AUTH_REFRESH_COOKIE sends no refresh token, and the session ends when the JWT expires. `logout` can \
            revoke JWTs only on a site with simplejwt's blacklist.

            With rest-auth, a name with `@` is sent as a username, and once more as an e-mail address if the site may \
            accept only addresses. On a site in another language than English, a wrong password with such a name \
            therefore counts as two failed attempts.

            A site with allauth may send a code at each login: the first login requests it, and `login --otp CODE` \
            finishes the login without the password. If a site has an access token of its own, authctl sends it \
            everywhere but to allauth itself; set `tokenScheme` if the word before it is not `Bearer` or `Token`.

            PocketBase sends the code of a second factor by e-mail: the first login requests it, and `login --otp CODE` \
            finishes the login without the password.

            `--send-code` works with \(HelpTopics.backends(of: "login --send-code")). Supabase and allauth also accept a \
            phone number, and so does the emulator of Firebase; Firebase itself requires reCAPTCHA. There is one waiting \
            login for each profile and `--as` name. With `--from-mail`, authctl takes only an e-mail to this address that \
            was not there before the request, and passes over links that it cannot use. The account of the answer must have \
            the address; the session of another one is ended. A login creates no account with Supabase, PocketBase and \
            allauth. A link of Firebase creates one if none has the address, and a warning says so. PocketBase and allauth \
            do not reveal whether there is an account. The link of Firebase leads to the setting `linkOrigin`, else to \
            `https://PROJECT.firebaseapp.com/`.

            For Firebase, `--token-file` also takes a custom token, and exchanges it; an unknown `uid` gets an account. \
            `--impersonate` at the service (from documentation) needs the setting `serviceAccount`, the e-mail of a \
            service account, and an access token whose account has the role roles/iam.serviceAccountTokenCreator on it. \
            authctl reads no private key.

            Servers of \(HelpTopics.backends(with: .endsSessionsByPasswordChange)) cannot revoke a single session: \
            `logout` only deletes the saved session, and the token stays valid until it expires or the password \
            changes, which revokes all sessions of the account.

            Supabase never asks for a second factor at login. Without `--otp`, the session has the first level only, and \
            a warning says so. `logout` ends the session, but APIs that check only the signature of an access token \
            accept it until it expires. `--impersonate` takes the e-mail.

            With `--provider` or `--facebook`, `--token-stdin` and `--token-file` read the provider's access token. \
            Otherwise, they read a session token, which authctl saves as the session.

            `--fill-user` has no effect if the server reports that the account is not new.
            """),
        arguments: [user] + .passwordSources() + codes + methods + .proof() + .facebook() + [anonymous] + impersonation
            + [
                // The option of `link-facebook`.
                .refused("facebook-id", advice: "did you mean '--identity-id'?")
            ],
        rules: ProofOptions.rules + [
            FacebookOptions.rule, .onePassword, .exclusive("provider", "facebook"),
            .exclusive("key-stdin", "key-file"), .requires(["from-mail"], oneOf: ["send-code"]),
            .requires(["wait"], oneOf: ["from-mail"]),
            .exclusive(groups: [["otp"], ["anonymous", "impersonate"]]),
            .exclusive(groups: [
                ["send-code"], ["key-stdin", "key-file"],
                [
                    "otp", "field", "password-stdin", "password-file", "token-stdin", "token-file", "provider",
                    "facebook", "anonymous", "impersonate",
                ],
            ]),
            .exclusive(groups: [
                ["field"], ["token-stdin", "token-file", "provider", "facebook"], ["anonymous"], ["impersonate"],
            ]),
            .exclusive(groups: [
                ["USERNAME", "password-stdin", "password-file"],
                ["token-stdin", "token-file", "provider", "facebook"], ["anonymous"],
                ["impersonate"],
            ]),
            .requires(ProofOptions.names, oneOf: ["provider", "facebook"]),
            .requires(["admin-key-file"], oneOf: ["impersonate"]),
            .requires(["otp"], oneOf: ["provider", "facebook"], with: ["token-stdin", "token-file"]),
        ])

    private static let user = Argument<Options>.optionalPositional(
        { $0.username = $1 }, "USERNAME",
        help: "Username or e-mail address (default: the NAME of `--as`).")

    private static let codes: [Argument<Options>] =
        [.flag({ $0.sendsCode = $1 }, "send-code", help: "Have the server send a code or link; no password.")]
        + .keySources() + [.fromMail { $0.key.isFromMail = $1 }, .wait { $0.key.wait = $1 }]

    private static let methods: [Argument<Options>] = [
        .list(
            { $0.fields.append($1) }, "field", value: "NAME=TEXT",
            help: "Send a field that the site's login asks for (rest-auth, django)."),
        .option(
            { $0.code = $1 }, "otp", value: "CODE",
            help: "Login code; `request` gets one by SMS (Parse)."),
        .flag(
            { $0.tokenFile = $1 }, "token-stdin", sets: "-", help: "Read a session or access token from standard input."
        ),
        .option({ $0.tokenFile = $1 }, "token-file", value: "FILE", help: "Read a session or access token from FILE."),
        .option(
            { $0.provider = $1 }, "provider", value: "NAME",
            help: "Log in with an identity of the provider NAME."
        ).completed(by: .words { IdentityProvider.known.map(\.name) }),
        .flag({ $0.usesFacebook = $1 }, "facebook", help: "Same as `--provider facebook`."),
    ]

    private static let anonymous = Argument<Options>.flag(
        { $0.isAnonymous = $1 }, "anonymous", help: "Log in as a new anonymous user.")

    private static let impersonation: [Argument<Options>] =
        [
            .option(
                { $0.impersonated = $1 }, "impersonate", value: "USERNAME",
                help: "Log in as USERNAME without the password."
            )
        ] + .adminKeySources()

    static func run(_ options: Options, in context: Context) throws(AuthError) -> LogInOutput {
        let client = try context.client()
        func output(_ result: LogInResult) -> LogInOutput {
            let isByCode = options.sendsCode || options.key.file != nil || options.code != nil
            if isByCode, result.createdAccount == true {
                let what = result.user.email == nil ? "number" : "address"
                context.events.warn("no account had this \(what), so the server has created one")
            }
            return LogInOutput(isSignUp: false, result: result, settings: client.settings, hints: context.hints)
        }
        guard options.sendsCode else { return output(try logIn(options, client, context)) }
        try LogIn(client).requireCodes()
        try context.requireWritable(for: client)
        let address = try CredentialsPrompt(context: context)
            .name(options.username ?? client.settings.defaultLogin, .email)
        return try LoginCode(address: address, client: client, options: options.key, context: context, output: output)
            .run { () throws(AuthError) in try LogIn(client).sendCode(to: address) }
    }

    private static func logIn(
        _ options: Options, _ client: Client, _ context: Context
    ) throws(AuthError) -> LogInResult {
        let provider = try provider(options)
        try context.requireWritable(for: client)
        if options.isAnonymous { return try LogIn(client).anonymously() }
        let prompt = CredentialsPrompt(context: context)
        if let username = options.impersonated {
            return try LogIn(client).impersonating(try prompt.username(username)) { () throws(AuthError) in
                try context.adminKey(options.admin, of: client.settings, for: "option --impersonate")
            }
        }
        let code = try options.code.map { code throws(AuthError) in try prompt.code(code) }
        if options.code == "request" { try LogIn(client).requireCodeOnRequest() }
        if let key = try MailKey(options.key, in: context) {
            return try LogIn(client).finish(key, of: options.username)
        }
        if let code, provider == nil {
            let hasPassword = prompt.hasPassword(options)
            let result = try LogIn(client).finish(code: code, of: options.username, hasPassword: hasPassword)
            if let result { return result }
            let codes = client.settings.backend.value.codes
            let mayAsk = context.prompts.areAllowed && codes.contains(.withPassword)
            guard hasPassword || mayAsk || !codes.contains(.withoutPassword) else {
                throw LogIn(client).noPendingLogin(of: options.username)
            }
        }
        if let provider {
            let source = try IdentityInput(context: context).source(provider, options, options.facebook)
            return try LogInWithIdentity(client).run(
                source, fills: options.facebook.fills, code: code, askCode: prompt.promptedCode)
        }
        if let source = options.tokenFile {
            let reader = SecretReader(what: "session token", context: context)
            return try LogIn(client).withToken(try reader.token(in: source))
        }
        let username = try prompt.login(options.username ?? client.settings.defaultLogin, of: client)
        let password = try failing(as: "cannot log in as '\(username)'") { () throws(AuthError) in
            try prompt.password(options)
        }
        let fields = try FieldOptions.userFields(text: options.fields, json: [])
        func attempt(_ password: Secret) throws(AuthError) -> LogInResult {
            let credentials = Credentials(login: username, password: password, fields: fields)
            return try LogIn(client).withPassword(credentials, code: code, askCode: prompt.promptedCode)
        }
        do throws(AuthError) {
            return try attempt(password)
        } catch {
            // `try?`: without another answer, the first error is reported.
            guard error.reason == .wrongPassword, !prompt.hasPassword(options), context.prompts.areAllowed,
                let another = try? prompt.retriedPassword(after: error)
            else { throw error }
            return try attempt(another)
        }
    }

    private static func provider(_ options: Options) throws(AuthError) -> IdentityProvider? {
        let provider =
            try options.provider.map { name throws(AuthError) in try IdentityInput.provider(name) }
            ?? (options.usesFacebook ? .facebook : nil)
        let facebookOption =
            options.facebook.permissions.isEmpty ? options.facebook.fills ? "--fill-user" : nil : "--permission"
        if let facebookOption, provider != .facebook {
            throw AuthError(.usage, "option \(facebookOption) requires --facebook", next: "add --facebook")
        }
        return provider
    }
}
