import AuthModel

/// Adds next steps to errors from backends, by rules that all backends and commands share.
///
/// `Attempt.swift` contains the steps that depend on the command and its arguments.
struct Advice {
    let settings: Settings
    /// Whether `--verbose` shows the requests to the user.
    let isVerbose: Bool

    func completing(_ error: AuthError) -> AuthError {
        var error = error
        if error.nextSteps.isEmpty { error.nextSteps = error.fact.map(steps) ?? steps(after: error) }
        guard settings.connection.server != nil else { return error }
        switch error.reason {
        // The path in the server URL is probably wrong, so this step replaces all others.
        case .wrongEndpoint: error.nextSteps = stepsToServer(error.reason)
        case .badAppKey where error.nextSteps.isEmpty: error.nextSteps = stepsAfterBadKey(error.server)
        default: error = error.suggesting(stepsToServer(error.reason))
        }
        return error
    }

    /// Adds next steps to the error of a request to Facebook.
    func completing(atFacebook error: AuthError) -> AuthError { error.suggesting(steps(after: error)) }

    // MARK: - Next steps for a fact

    private func steps(after fact: AuthError.Fact) -> [NextStep] {
        switch fact {
        // `Attempt` suggests a password reset.
        case .accountExists: []
        case .accountDeleted: [NextStep("create another account", run: ["signup"])]
        case .anotherIdentityLinked: ["unlink that identity first, with --unlink"]
        case .issuesNoToken: ["set TOKEN_MODEL or USE_JWT in the site's REST_AUTH settings"]
        case .lacksIdentityID: ["add --identity-id ID"]
        case .lacksLoginName: ["the account can only be used with its session"]
        case .lacksPassword: [.resetPassword]
        case .lacksSecondToken: ["use --token-file FILE and --id-token-file FILE"]
        case .lacksTokenAuthentication:
            ["add TokenAuthentication to DEFAULT_AUTHENTICATION_CLASSES in the site's REST_FRAMEWORK settings"]
        case .locked(let minutes):
            [
                """
                try again \(minutes.map { "in \($0) minute\($0 == 1 ? "" : "s")" } ?? "later"): until then, even the \
                correct password is rejected
                """
            ]
        case .missingSlash(let path): ["use the path '\(path)'"]
        case .missingView(let setting):
            [
                NextStep(
                    "if the view has another path, set it",
                    run: ["profile", "set", settings.profile.value, setting, "PATH"])
            ]
        case .needsLoginOfCode: ["log in to the account of the code, then verify again"]
        case .needsWholeLink: ["give the whole link from the e-mail: use --key-stdin"]
        case .onlyFacebook:
            [
                NextStep(
                    "to test with other providers, sign up and link in the shell of a test server",
                    run: ["serve", "--ephemeral", "--test-identities", "--", "sh"])
            ]
        case .otherApplication: ["use the profile of that application, or its --app-id"]
        case .otherPurpose(let command): [NextStep("use the command of this link", run: command + ["--key-stdin"])]
        case .otherProviders(let names):
            names.isEmpty ? [] : [NextStep("it accepts \(names.joined(separator: ", "))")]
        case .sendsOnlyAtLogin: ["log in with the right password to get a new e-mail"]
        case .similarName(let name):
            [
                NextStep(
                    "usernames and e-mails are case-sensitive; log in as '\(name)'",
                    run: ["login"] + .argument(name))
            ]
        case .wantsEmail: ["use the e-mail instead of the username"]
        case .wantsNoRedirectURI: ["remove --redirect-uri"]
        case .wantsUsername: ["use the username instead of the e-mail"]
        }
    }

    // MARK: - Next steps for a reason and an operation

    private func steps(after error: AuthError) -> [NextStep] {
        guard let operation = error.operation else { return [] }
        switch (error.reason, operation) {
        case (_, .logInDevice), (_, .inspectToken), (_, .revokePermissions):
            return stepsAtFacebook(error.reason, operation)
        case (.outcomeUnknown, _): return stepsToCheck(operation)
        case (.rateLimited, _):
            return error.retryAfter.map { ["try again after \($0) second\($0 == 1 ? "" : "s")"] } ?? []
        case (.badAppKey, .impersonate), (.badAppKey, .listUsers):
            return [
                "check the master key and the application id",
                "check that the server's option masterKeyIps allows the address of this machine",
            ]
        case (.forbidden, _) where error.evidence == .status && error.server?.status == 401:
            return ["check the server URL"]
        case (.notFound, .verifyEmail) where error.server?.status == 409,
            (.notFound, .sendVerification) where error.server?.status == 409:
            return ["if the e-mail is not verified yet, log in again to get a new e-mail"]
        case (.tokenRefused, .logInWithIdentity), (.tokenRefused, .linkIdentity):
            return ["get a new token or code, issued for the app that the server is configured for"]
                + stepsAfterRejectedProof
        // dj-rest-auth 7.2 does not catch the `OAuth2Error` that allauth's views for Google and Apple raise. Source:
        // `registration/serializers.py`; allauth 65.21, `providers/google/views.py`.
        case (.serverFault, .logInWithIdentity) where traits.contains(.asksProvider),
            (.serverFault, .linkIdentity) where traits.contains(.asksProvider):
            return error.server?.status == 500
                ? ["some sites fail when the proof is invalid or used, or the provider is unreachable: get a new token"]
                : []
        case (.serverFault, .unlinkIdentity) where traits.contains(.asksProvider):
            var step = NextStep.resetPassword
            step.sentence =
                "some sites fail when the identity is the account's last authentication method: \(step.sentence)"
            return [step]
        default: return []
        }
    }

    private var traits: Set<BackendDescriptor.Trait> { settings.backend.value.traits }

    private var stepsAfterRejectedProof: [NextStep] {
        if traits.contains(.asksProvider) { return ["check that the site can reach the provider"] }
        // allauth accepts each value of the `jti` claim only once. Source: allauth 65.21, `internal/jwtkit.py`.
        return traits.contains(.acceptsIDTokenOnce) ? ["sites accept an ID token only once"] : []
    }

    /// Returns the steps after a request with an unknown outcome: check the outcome, or repeat the request.
    private func stepsToCheck(_ operation: Operation) -> [NextStep] {
        switch operation {
        case .signUp: ["the account may exist; to check, log in with the same name and password"]
        case .logInAnonymously: ["run the login again to get another anonymous user"]
        case .refresh: ["if the next command fails with exit code 4, log in again"]
        case .changePassword:
            ["the password may be changed and the session revoked; to check, log in with the new password"]
        case .requestPasswordReset, .sendVerification:
            ["the e-mail may have been sent: check the inbox before you try again"]
        case .finishPasswordReset: ["the password may be changed; to check, log in with the new one"]
        case .verifyEmail: ["the e-mail may be verified; to check, log in"]
        case .updateUser: ["check the account before you try again"]
        case .deleteAccount: ["the account may be deleted; to check, log in"]
        case .callAPI: ["the request may have had its effect: check before you send it again"]
        case .logInWithIdentity, .linkIdentity: ["get a new token or code, then run the command again"]
        case .revokeSessions, .unlinkIdentity: ["run the command again: repeating it is safe"]
        default: []
        }
    }

    private func stepsAtFacebook(_ reason: AuthError.Reason, _ operation: Operation) -> [NextStep] {
        switch reason {
        case .tokenRefused: ["get a new token with the required permissions"]
        case .badAppKey: ["copy both from the app's settings on Facebook; the client token is under 'Advanced'"]
        case .rateLimited, .serverFault: ["try again in a few minutes"]
        case .forbidden where operation == .logInDevice:
            ["in the app's settings on Facebook, check 'Login from Devices' and the permissions"]
        case _ where operation == .revokePermissions && reason != .forbidden:
            ["to check, see 'Apps and websites' in the settings on Facebook"]
        default: []
        }
    }

    // MARK: - Next steps for the settings

    private func stepsToServer(_ reason: AuthError.Reason) -> [NextStep] {
        switch reason {
        case .dns: return [checkingServer("check the server's name and this machine's network")]
        case .connect: return [checkingServer("check that the server is running and its URL is right")]
        case .timeout: return ["try again later, or allow more time: --timeout SECONDS"]
        case .wrongEndpoint:
            let example = settings.backend.value.usualMount.map { ", such as \($0)" } ?? ""
            return [checkingServer("check its URL, including the path of the API\(example)")]
        case .serverFault, .invalidResponse:
            return [isVerbose ? "try again later" : "try again later; to see the requests, add -v"]
        case .rateLimited: return ["try again in a minute"]
        default: return []
        }
    }

    private func checkingServer(_ question: String) -> NextStep {
        switch settings.serverOrigin {
        case .option(let name), .environment(let name): NextStep("\(question) (it comes from \(name))")
        case .profile(let name): NextStep("\(question); to change it", run: ["profile", "set", name, "server", "URL"])
        case .configuration, .builtIn: NextStep(question)
        }
    }

    /// Parse Server sends the same response, without an error code, for a wrong client key, a missing client key and an
    /// unknown application. Other servers send an error code for an unknown application.
    private func stepsAfterBadKey(_ server: ServerDetail?) -> [NextStep] {
        (server?.code == .null ? [checkingClientKey] : []) + [checkingApplication]
    }

    /// Parse Server has a separate key for each kind of client, and authctl uses the REST key.
    private var clientKey: String {
        traits.contains(.hasKeyPerClient) ? "client key (the REST key)" : "client key"
    }

    private var checkingClientKey: NextStep {
        switch (settings.clientKey?.origin, settings.serverOrigin) {
        case (.option(let name), _), (.environment(let name), _):
            NextStep("check the \(clientKey) of this server (it comes from \(name))")
        case (.profile(let name), _):
            NextStep(
                "check the \(clientKey) of this server; to change it",
                run: ["profile", "set", name, "clientKeyFile", "FILE"])
        case (_, .profile(let name)):
            NextStep(
                "if the server requires a \(clientKey), set it", run: ["profile", "set", name, "clientKeyFile", "FILE"])
        default: NextStep("if the server requires a \(clientKey), add --client-key-file FILE")
        }
    }

    private var checkingApplication: NextStep {
        switch settings.serverOrigin {
        case .profile(let name):
            NextStep("check the application id; to change it", run: ["profile", "set", name, "appId", "ID"])
        case .option, .environment, .configuration, .builtIn: "check the application id: --app-id ID"
        }
    }
}

extension NextStep {
    fileprivate static let resetPassword = NextStep("set a password first", run: ["password", "reset", "ADDRESS"])
}
