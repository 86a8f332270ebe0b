package import AuthBackends
package import AuthModel

/// The kinds of backend that there are, and how one of them is made.
package struct Backends: Sendable {
    package typealias Failure = AuthError

    /// The first is the one with nothing configured.
    package let descriptors: @Sendable () -> [BackendDescriptor]
    package let make: @Sendable (Site, Transports) throws(Failure) -> any Backend

    package init(
        descriptors: @escaping @Sendable () -> [BackendDescriptor],
        make: @escaping @Sendable (Site, Transports) throws(Failure) -> any Backend
    ) {
        self.descriptors = descriptors
        self.make = make
    }

    /// Those of the registry.
    package static let registered = Backends(
        descriptors: { BackendRegistry.descriptors },
        make: { site, transports throws(AuthError) in try BackendRegistry.makeBackend(for: site, transports) })
}

extension [BackendDescriptor] {
    /// The kind that a word means.
    func meant(by word: String) -> BackendDescriptor? { first { $0.words.contains(word) } }

    /// What can be set of all kinds, each once.
    var settings: [BackendSetting] {
        flatMap(\.settings).reduce(into: []) { settings, setting in
            if !settings.contains(where: { $0.key == setting.key }) { settings.append(setting) }
        }
    }

    /// Those that all kinds have.
    var sharedSettings: [BackendSetting] {
        settings.filter { setting in allSatisfy { $0.settings.contains(setting) } }
    }

    /// The same by the words of the command line.
    var settingWords: [String] { settings.map(\.word) }
}
