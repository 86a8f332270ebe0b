import AuthModel

extension Administering {
    /// Logs in as the user with this name, as `login --impersonate` does.
    func logIn(as name: String, adminKey: Secret?) throws(BackendError) -> Reply<NewSession> {
        try logIn(as: try user(named: name, adminKey: adminKey), adminKey: adminKey)
    }
}

extension AccountChange {
    init(_ fill: (inout AccountChange) -> Void) {
        self.init()
        fill(&self)
    }
}
