/// How requests to hosts are sent.
package struct NetworkSettings: Sendable, Equatable {
    /// One request from start to end, by the wall clock, with all that is done for it: redirects, further tries.
    package var timeLimit: Duration
    /// Until the connection stands, with its encryption.
    package var connectLimit: Duration
    /// The path of a file of authorities (PEM) to trust in the place of the system's.
    package var authorities: String?
    /// The URL of the proxy that https requests go through, maybe with `user:password@`.
    package var proxy: String?
    /// Hosts that are reached without it, as `NO_PROXY` lists them: `a.test,.b.test` or `*`.
    package var hostsWithoutProxy: String?

    package init(
        timeLimit: Duration = .seconds(30), connectLimit: Duration = .seconds(10), authorities: String? = nil,
        proxy: String? = nil, hostsWithoutProxy: String? = nil
    ) {
        self.timeLimit = timeLimit
        self.connectLimit = connectLimit
        self.authorities = authorities
        self.proxy = proxy
        self.hostsWithoutProxy = hostsWithoutProxy
    }
}
