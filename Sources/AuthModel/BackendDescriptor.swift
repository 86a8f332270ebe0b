/// What one needs to know of a kind of backend before any request.
package struct BackendDescriptor: Sendable, Equatable {
    /// The word for it on the command line and in output: `local`, `parse`, …
    package let kind: String
    /// Half a sentence for help.
    package let summary: String
    /// Whether it is reached at a URL.
    package let takesServer: Bool
    /// Whether user name, password and e-mail are checked here before they are sent.
    package let checksNewAccounts: Bool

    package init(kind: String, summary: String, takesServer: Bool, checksNewAccounts: Bool) {
        self.kind = kind
        self.summary = summary
        self.takesServer = takesServer
        self.checksNewAccounts = checksNewAccounts
    }
}
