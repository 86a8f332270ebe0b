import AuthModel

extension ParseBackend: SecondFactor {
    /// Servers before 6.4 take the password and do not look at the code.
    func logIn(_ credentials: Credentials, code: Secret) throws(AuthError) -> Reply<LogInOutcome> {
        do throws(AuthError) {
            let payload = try send(endpoints.logIn(credentials, code: code), .secondFactor)
            return Reply(.session(try logIn(from: payload, as: credentials.login)))
        } catch {
            guard error.reason == .unsupported else { throw error }
            var error = error
            error.message = "the server has no second factor"
            error.hint = "leave out --otp"
            throw error
        }
    }
}
