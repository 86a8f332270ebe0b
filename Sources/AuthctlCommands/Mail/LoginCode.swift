import AuthClient
import AuthModel
import Platform

/// A login without a password: its code or link comes from an e-mail, from the terminal, or from a later command.
struct LoginCode {
    let address: String
    let client: Client
    let options: MailKeyOptions
    let context: Context
    let output: (LogInResult) -> LogInOutput

    /// - Parameter send: requests the code or link.
    func run(_ send: () throws(AuthError) -> LogInResult) throws(AuthError) -> LogInOutput {
        var search = MailKeySearch(
            user: User(login: address), addresses: [address], purpose: .login, wait: options.wait)
        // Only an emulator lists text messages.
        let hasMail = !address.looksLikePhone || client.settings.isForEmulator
        if options.isFromMail {
            guard hasMail else {
                throw AuthError(.usage, "--from-mail finds no text messages", next: "leave it out")
            }
            try search.excludeEarlier(in: context)
        } else if hasMail, context.prompts.areAllowed {
            // `try?`: without a place for e-mails, the user pastes the code.
            try? search.excludeEarlier(in: context)
        }
        let result = try send()
        guard let pending = result.pending else { return output(result) }
        let takesLinks = client.settings.backend.value.codes.contains(.withAddress)
        func finish(_ key: MailKey) throws(AuthError) -> LogInOutput {
            output(try LogIn(client).finish(key, of: address, with: pending))
        }
        guard options.isFromMail else {
            context.noteMailFolder(of: client)
            return try context.offerKey(
                after: output(result), of: ["login"] + .argument(address), in: search, finish: finish)
        }
        var hasLinkAlone = false
        do throws(AuthError) {
            return try search.run(in: context) { key, _ throws(AuthError) in
                do throws(AuthError) {
                    return try finish(key)
                } catch {
                    // Anybody can send an e-mail with an unsuitable link, so it does not end the search.
                    guard error.reason == .usage else { throw error }
                    guard takesLinks else {
                        hasLinkAlone = true
                        throw AuthError(
                            .notFound, "the e-mail to '\(address)' has a link, but no code",
                            next: NextStep(
                                "if no account has this address", run: ["signup", "--send-code"] + .argument(address)))
                    }
                    throw AuthError(.notFound, error.message, nextSteps: error.nextSteps)
                }
            }
        } catch {
            guard error.reason == .notFound, !hasLinkAlone else { throw error }
            var error =
                result.createdAccount == true
                ? error.explaining("the account '\(address)' was created, but has no session") : error
            let step = NextStep(
                "the login still waits for its \(takesLinks ? "link or code" : "code")",
                run: ["login"] + .argument(address) + (takesLinks ? ["--key-stdin"] : ["--otp", "CODE"]))
            error.nextSteps.insert(step, at: 0)
            throw error
        }
    }
}
