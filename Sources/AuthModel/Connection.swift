/// Which accounts a profile speaks to; what a session is bound to.
///
/// Two connections are the same only if every part is: a session is never sent to another host, port, scheme, mount
/// path, application or kind of backend than the one that gave it.
package struct Connection: Sendable, Hashable {
    /// A `BackendDescriptor.kind`.
    package let backend: String
    /// The base URL in its normal form (scheme and host in lower case, no default port, no final slash), mount path
    /// included; `nil` for the embedded accounts.
    package let server: String?
    /// Which application of that server, where it has several.
    package let appID: String?

    package init(backend: String, server: String? = nil, appID: String? = nil) {
        self.backend = backend
        self.server = server
        self.appID = appID
    }
}
