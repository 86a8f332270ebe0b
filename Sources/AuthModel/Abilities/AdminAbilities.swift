/// A backend whose administrator's key is checked before it is used: its server may treat a wrong key like none.
package protocol AdminKeyChecking: Backend {
    /// - Throws: `BackendError` `badAppKey` if the server does not accept the key.
    func check(adminKey: Secret) throws(BackendError)
}

extension Backend {
    /// Sends a request with the administrator's key. A refusal counts only if the server still accepts the key: a server
    /// that treats it like none says that a hidden account does not exist.
    package func administering<Value>(
        with adminKey: Secret?, _ send: () throws(BackendError) -> Value
    ) throws(BackendError) -> Value {
        do throws(BackendError) {
            return try send()
        } catch {
            guard [.notFound, .forbidden, .invalidFields].contains(error.reason), let adminKey,
                let backend = self as? any AdminKeyChecking
            else { throw error }
            try backend.check(adminKey: adminKey)
            throw error
        }
    }
}

/// A backend whose administrator can create accounts that need no verification, also where signups are closed.
package protocol AdminCreating: Backend {
    func createUser(_ account: NewAccount, adminKey: Secret) throws(BackendError) -> SignUpOutcome
}
