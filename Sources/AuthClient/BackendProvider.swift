package import AuthModel
import Synchronization

/// Creates the backend of the settings once, and calls it with progress shown.
package final class BackendProvider: Sendable {
    package typealias Failure = AuthError

    private let settings: Settings
    private let events: any Events
    /// Whether the user sees the requests.
    private let isVerbose: Bool
    private let make: @Sendable () throws(Failure) -> any Backend
    private let backend = Mutex<(any Backend)?>(nil)

    init(
        settings: Settings, events: any Events, isVerbose: Bool = false,
        make: @escaping @Sendable () throws(Failure) -> any Backend
    ) {
        self.settings = settings
        self.events = events
        self.isVerbose = isVerbose
        self.make = make
    }

    /// The first call creates the backend, which may read a key file and warn about plain http.
    func connect() throws(AuthError) -> any Backend {
        try backend.withLock { backend throws(AuthError) in
            if let backend { return backend }
            let made = try make()
            backend = made
            return made
        }
    }

    /// Returns the backend as one with a further ability.
    ///
    /// - Throws: `AuthError` `unsupported`: `backend 'local' cannot` and the activity.
    func require<Ability>(_ ability: Ability.Type, to activity: String) throws(AuthError) -> Ability {
        guard let able = try connect() as? Ability else {
            throw AuthError(.unsupported, "backend '\(settings.connection.backend)' cannot \(activity)")
        }
        return able
    }

    /// Whether a next step that needs this ability would work.
    func has<Ability>(_ ability: Ability.Type) -> Bool {
        // `try?`: without a backend, no step that needs it works.
        (try? connect()) is Ability
    }

    /// Shows progress during a call. If the server is unreachable or fails, the error says what to check.
    ///
    /// - Parameter activity: shown on a terminal: "logging in".
    func call<Result>(_ activity: String, _ body: () throws(AuthError) -> Result) throws(AuthError) -> Result {
        do throws(AuthError) {
            return try events.during(activity, body)
        } catch {
            guard settings.connection.server != nil else { throw error }
            var error = error
            if error.reason == .badAppKey, error.nextSteps.isEmpty { error.nextSteps = stepsAfterBadKey(error.server) }
            guard let step = nextStep(after: error.reason) else { throw error }
            // The path is the likely cause, and only the settings know the usual one.
            guard error.reason == .wrongEndpoint else { throw error.suggesting(step) }
            error.nextSteps = [step]
            throw error
        }
    }

    private func nextStep(after reason: AuthError.Reason) -> NextStep? {
        switch reason {
        case .dns: return checkingServer("check the server's name and this machine's network")
        case .connect: return checkingServer("check that the server is running and its URL is right")
        case .timeout: return "try again later, or allow more time: --timeout SECONDS"
        case .wrongEndpoint:
            let example = settings.backend.value.usualMount.map { ", such as \($0)" } ?? ""
            return checkingServer("check its URL, including the path of the API\(example)")
        case .serverFault, .invalidResponse:
            return isVerbose ? "try again later" : "try again later; to see the requests, add -v"
        case .rateLimited: return "try again in a minute"
        default: return nil
        }
    }

    private func checkingServer(_ question: String) -> NextStep {
        switch settings.serverOrigin {
        case .option(let name), .environment(let name): NextStep("\(question) (it comes from \(name))")
        case .profile(let name): NextStep("\(question); to change it", run: ["profile", "set", name, "server", "URL"])
        case .configuration, .builtIn: NextStep(question)
        }
    }

    /// Parse Server sends the same response for a wrong client key, for a missing one and for an unknown application;
    /// other servers send a code for the application.
    private func stepsAfterBadKey(_ server: ServerDetail?) -> [NextStep] {
        (server?.code == .null ? [checkingClientKey] : []) + [checkingApplication]
    }

    /// Parse Server has a key for each kind of client.
    private var clientKey: String {
        settings.connection.backend == "parse" ? "client key (the REST key)" : "client key"
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

extension Backend {
    /// Whether revoking this session logs out all devices of its user.
    func sharesAmongDevices(_ session: Session) -> Bool {
        (self as? any SessionSharing)?.isShared(session) ?? false
    }
}
