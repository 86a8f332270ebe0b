package import AuthModel
package import Transport

/// The backend kinds that authctl supports. The first one is the default.
package struct BackendRegistry: Sendable {
    package static let standard = BackendRegistry([
        .local, .parse, .restAuth, .allauth, .django, .pocketbase, .supabase, .firebase, .kii,
    ])

    /// The kinds of server in the order of their probes. A site can have the APIs of both allauth and rest-auth.
    static let detected: [BackendRegistration] = [
        .parse, .allauth, .restAuth, .pocketbase, .supabase, .firebase, .django,
    ]

    /// The formats of errors in the order in which a response is compared with them. That of Django REST framework is
    /// the last one, because it has no member of its own.
    static let errorFormats = [
        KiiErrors.format, AllauthErrors.format, PocketBaseErrors.format, SupabaseErrors.format, FirebaseErrors.format,
        ParseErrors.format, RestAuthErrors.format,
    ].compactMap(\.self)

    private let registrations: [BackendRegistration]

    package init(_ registrations: [BackendRegistration]) {
        self.registrations = registrations
    }

    package var descriptors: BackendKinds { BackendKinds(registrations.map(\.descriptor)) }

    /// The names and aliases of all backend kinds.
    package var words: [String] { descriptors.flatMap(\.words) }

    func kinds(where isIncluded: (any Backend.Type, BackendDescriptor) -> Bool) -> [String] {
        registrations.filter { isIncluded($0.type, $0.descriptor()) }.map { $0.descriptor().kind }
    }

    /// The registration of a kind of backend, named as in `BackendDescriptor.kind`.
    package subscript(kind: String) -> BackendRegistration? { registrations.first { $0.descriptor().kind == kind } }

    /// Creates the backend for a site. Throws an internal error if the site's backend kind is not registered.
    package func makeBackend(for site: Site, _ stack: HTTPStack) throws(AuthError) -> any Backend {
        let kind = site.connection.backend
        guard let registration = self[kind] else { throw AuthError(.internal, "unknown backend '\(kind)'") }
        return try registration.make(site, stack)
    }
}
