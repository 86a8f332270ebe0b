import AuthBackends
import AuthctlCommands
import CommandTestSupport

extension BackendRegistry {
    /// Local accounts and two kinds of sites with settings. The journal records the settings of each created backend.
    static func withSites(_ script: Step..., journal: Journal = Journal()) -> BackendRegistry {
        let backend = FakeBackend(script, journal: journal)
        return BackendRegistry(
            [BackendDescriptor.local, .site, .shop].map { descriptor in
                BackendRegistration(descriptor: descriptor, type: FakeBackend.self) { site, _ throws(AuthError) in
                    let settings = site.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                    journal.add("made \(site.connection.backend) [\(settings.joined(separator: " "))]")
                    return backend
                }
            })
    }
}

extension BackendDescriptor {
    fileprivate static let local = BackendDescriptor(
        kind: "local", .checksNewAccounts)

    static let site = BackendDescriptor(
        kind: "site", [.takesServer, .trimsPasswords], aliases: [Alias("hosted", server: "https://hosted.example")],
        settings: [
            BackendSetting("loginPath", .path, standard: "login/", summary: "where to log in"),
            BackendSetting("outPath", .path, standard: "logout/", summary: "where to log out"),
        ], naming: .usernameOrEmail, verification: .requester)

    fileprivate static let shop = BackendDescriptor(
        kind: "shop", [.takesServer, .takesApplication],
        settings: [
            BackendSetting("loginPath", .path, standard: "in/", summary: "where to log in"),
            BackendSetting("cartPath", .path, standard: "cart/", summary: "where the cart is"),
        ])
}
