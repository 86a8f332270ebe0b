package import AuthModel
package import Transport

/// All that names a kind of backend. Each backend has one in its folder. Its members are functions, so that the start of
/// a command builds none of them.
package struct BackendRegistration: Sendable {
    package typealias Failure = AuthError

    let descriptor: @Sendable () -> BackendDescriptor
    /// Its conformances show the abilities of the backend.
    let type: any Backend.Type
    /// Requests whose responses identify the server.
    let probes: @Sendable () -> [ServerProbe]
    /// Whether the URL is that of the hosted service, which rejects every request without the client key. Other servers
    /// may require one, too.
    package let isService: @Sendable (_ server: String) -> Bool
    /// Throws if the client key is a secret key: an app's users would get all rights.
    package let checkClientKey: @Sendable (Secret) throws(Failure) -> Void
    /// Where apps keep the connection.
    package let appNames: @Sendable () -> AppNames
    /// The e-mails, or the text messages, that the server itself lists, for tests; `nil` if it lists none.
    package let mails: @Sendable (Site, _ isPhone: Bool) throws(Failure) -> MailListing?
    let make: @Sendable (Site, HTTPStack) throws(Failure) -> any Backend

    init(
        descriptor: @autoclosure @escaping @Sendable () -> BackendDescriptor, type: any Backend.Type,
        probes: @autoclosure @escaping @Sendable () -> [ServerProbe],
        isService: @escaping @Sendable (_ server: String) -> Bool = { _ in false },
        checkClientKey: @escaping @Sendable (Secret) throws(Failure) -> Void = { _ in },
        appNames: @autoclosure @escaping @Sendable () -> AppNames = AppNames(),
        mails: @escaping @Sendable (Site, _ isPhone: Bool) throws(Failure) -> MailListing? = { _, _ in nil },
        make: @escaping @Sendable (Site, HTTPStack) throws(Failure) -> any Backend
    ) {
        self.descriptor = descriptor
        self.type = type
        self.probes = probes
        self.isService = isService
        self.checkClientKey = checkClientKey
        self.appNames = appNames
        self.mails = mails
        self.make = make
    }

    package init(
        descriptor: @autoclosure @escaping @Sendable () -> BackendDescriptor, type: any Backend.Type,
        make: @escaping @Sendable (Site, HTTPStack) throws(Failure) -> any Backend
    ) {
        self.init(descriptor: descriptor(), type: type, probes: [], make: make)
    }
}
