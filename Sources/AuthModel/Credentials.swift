/// What somebody logs in with.
package struct Credentials: Sendable, Equatable {
    /// A user name or an e-mail, as the backend takes it.
    package let login: String
    package let password: Secret

    package init(login: String, password: Secret) {
        self.login = login
        self.password = password
    }
}
