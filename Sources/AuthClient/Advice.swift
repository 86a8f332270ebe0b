package import AuthModel

/// Adds the next steps that depend on the settings to errors of backends: the server, its keys and the connection.
///
/// All other next steps are beside the code that finds the error: in a backend's error table, or in the use case.
struct Advice {
    let settings: Settings
    /// Whether `--verbose` shows the requests to the user.
    let isVerbose: Bool

    func completing(_ error: AuthError) -> AuthError {
        var error = error.naming(settings)
        guard settings.connection.server != nil else { return error }
        switch error.reason {
        // The path in the server URL is probably wrong, unless the backend knows better.
        case .wrongEndpoint where error.nextSteps.isEmpty: error.nextSteps = stepsToServer(error.reason)
        // Parse Server sends the same response, without an error code, for a wrong client key, a missing client key and
        // an unknown application. Other servers send an error code for an unknown application.
        case .badAppKey where error.nextSteps.isEmpty:
            error.nextSteps = (error.server?.code == .null ? [checkingClientKey] : []) + [checkingApplication]
        default: error = error.suggesting(stepsToServer(error.reason))
        }
        return error
    }

    private func stepsToServer(_ reason: AuthError.Reason) -> [NextStep] {
        switch reason {
        case .dns: return [checkingServer("check the server's name and this machine's network")]
        case .connect: return [checkingServer("check that the server is running and its URL is right")]
        case .timeout: return ["try again later, or allow more time: --timeout SECONDS"]
        case .wrongEndpoint:
            let example = settings.backend.value.usualMount.map { ", such as \($0)" } ?? ""
            return [checkingServer("check its URL, including the path of the API\(example)")]
        case .serverFault, .invalidResponse:
            let later: NextStep = isVerbose ? "try again later" : "try again later; to see the requests, add -v"
            return reason == .invalidResponse ? [checkingServer("check the server's URL"), later] : [later]
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

    /// Parse Server has a separate key for each kind of client, and authctl uses the REST key.
    private var clientKey: String {
        settings.backend.value.has(.hasKeyPerClient) ? "client key (the REST key)" : "client key"
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

extension AuthError {
    /// Fills in the profile in use. If its settings are for another server, names a variable or a new profile instead.
    package func naming(_ settings: Settings) -> AuthError {
        let variables = [
            "clientKeyFile": "AUTHCTL_CLIENT_KEY_FILE=FILE", "apiURL": "AUTHCTL_API_URL=URL",
            "mailDir": "AUTHCTL_MAIL_DIR=FOLDER",
        ]
        var error = self
        error.nextSteps = nextSteps.flatMap { step in
            var (steps, profile) = ([step], settings.profile.value)
            let setsProfile = step.command.starts(with: ["profile", "set", NextStep.profile])
            let setting = setsProfile ? step.command.dropFirst(3).first ?? "" : ""
            let givenKey: String? =
                switch settings.clientKey?.origin {
                case .environment(let name), .option(let name): name
                default: nil
                }
            if setting == "clientKeyFile", let givenKey {
                return [NextStep("\(step.sentence) (it comes from \(givenKey))")]
            }
            if !settings.usesProfile, !setting.isEmpty {
                if let variable = variables[setting] { return [NextStep("\(step.sentence): \(variable)")] }
                profile = "NAME"
                let add = ["profile", "add", profile] + settings.connection.options
                steps.insert(NextStep("create a profile of this server", run: add), at: 0)
            }
            for index in steps.indices {
                steps[index].command = steps[index].command.map { $0 == NextStep.profile ? profile : $0 }
            }
            return steps
        }
        return error
    }
}
