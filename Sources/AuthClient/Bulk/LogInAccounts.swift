package import AuthModel
package import Platform
import Synchronization

/// Logs in to many accounts, and writes the tokens of their sessions to a file. Skips the accounts whose tokens the file
/// already has, so that another run continues the work.
package final class LogInAccounts: BulkWork {
    private let source: Mutex<AccountSource>
    private let tokens: TokensFile
    private let verification: [String]

    /// - Parameters:
    ///   - verification: the command that verifies the e-mails of accounts.
    ///   - keepsRefreshTokens: whether the file of tokens receives the refresh tokens, too.
    ///   - replaces: whether the first session replaces all that the file has.
    /// - Throws: `AuthError` `usage` if the file of tokens is for another server; `usage` or `corrupt` if authctl did not
    ///   write it.
    package init(
        _ source: AccountSource, tokens: AppendFile, verification: [String], keepsRefreshTokens: Bool = false,
        replaces: Bool = false, _ client: Client
    ) throws(AuthError) {
        self.source = Mutex(source)
        self.verification = verification
        self.tokens = try TokensFile(tokens, keepsRefreshTokens: keepsRefreshTokens, replaces: replaces, client)
    }

    package func next() throws(AuthError) -> AccountSource.Item? {
        try source.withLock { source throws(AuthError) in
            try source.next(checksValues: false, generatesPasswords: false)
        }
    }

    package func knownResult(of item: AccountSource.Item) -> BulkResult? {
        if let error = item.error { return BulkResult(item.row, .failed, error) }
        return tokens.names.contains(item.row.name) ? BulkResult(item.row, .skipped) : nil
    }

    package func send(_ item: inout AccountSource.Item, _ worker: BulkWorker) throws(AuthError) -> BulkResult {
        let row = item.row
        guard let password = row.password else { throw AuthError(.internal, "a row has no password") }
        let new = try worker.session(of: row, password)
        try tokens.add(new, of: row)
        return BulkResult(row, .loggedIn, id: new.user.id)
    }

    package func failed(_ item: AccountSource.Item, _ error: AuthError) -> BulkResult {
        var result = BulkResult(item.row, .failed, error)
        if error.reason == .emailUnverified {
            result.remedy = NextStep("verify the e-mails", run: verification)
        } else if error.fact == .passwordIsRight {
            result.remedy = NextStep("if the e-mails are not verified, verify them", run: verification)
        } else if error.fact == .wantsEmail, item.row.email == nil {
            result.remedy = .giveEmails
        }
        return result
    }

    package func finish() {}
}

extension NextStep {
    static let giveEmails: NextStep = "give each row an e-mail: add a column or member 'email'"
}
