import AuthModel

/// What somebody may do whose server cannot be asked, or refuses.
extension Client {
    /// Does something that may take a while; a failure says what to look at.
    func during<Result>(
        _ activity: String, _ body: () throws(AuthError) -> Result
    ) throws(AuthError) -> Result {
        do throws(AuthError) {
            return try events.during(activity, body)
        } catch {
            throw withNextStep(error)
        }
    }

    private func withNextStep(_ error: AuthError) -> AuthError {
        guard settings.connection.server != nil else { return error }
        switch error.reason {
        case .dns: return error.hinting("is the server's name right, and this machine on the network?\(whereServerIs)")
        case .connect: return error.hinting("is the server running, and its URL right?\(whereServerIs)")
        case .timeout: return error.hinting("try again later, or wait longer with --timeout SECONDS")
        case .wrongEndpoint:
            var error = error
            let example = settings.backend.value.usualMount.map { ", such as \($0)" } ?? ""
            error.hint = "is its URL right, with the path of the API\(example)?\(whereServerIs)"
            return error
        case .badAppKey:
            return error.hinting("are the application id and the client key those of this server?\(whereApplicationIs)")
        case .serverFault, .brokenAnswer: return error.hinting("try again later; -v shows the requests and answers")
        case .rateLimited: return error.hinting("try again in a minute")
        default: return error
        }
    }

    private var whereServerIs: String {
        switch settings.serverOrigin {
        case .option(let name), .environment(let name): " it comes from \(name)"
        case .profile(let name): " change it: authctl profile set \(name) server URL"
        case .configuration, .builtIn: ""
        }
    }

    private var whereApplicationIs: String {
        switch settings.serverOrigin {
        case .profile(let name): " change them: authctl profile set \(name) appId ID"
        case .option, .environment, .configuration, .builtIn: " give them with --app-id ID and --client-key-file FILE"
        }
    }
}
