package import AuthClient
package import AuthModel
import Synchronization

/// A configuration in memory. `ConfigurationStoreContractTests` checks that it behaves like the configuration file.
package final class MemoryConfigurationStore: ConfigurationStore {
    private let state: Mutex<Configuration>
    private let failure = Mutex<AuthError?>(nil)
    /// Locked while a change reads and writes the configuration.
    private let changing = Mutex(())

    package init(_ configuration: Configuration = Configuration()) {
        state = Mutex(configuration)
    }

    package var current: Configuration { state.withLock { $0 } }

    /// Replaces the configuration with profiles of backend `local`.
    package func put(profiles: String..., current: String? = nil) {
        put(profiles.map { Profile(name: $0, settings: ["backend": "local"]) }, current: current)
    }

    package func put(_ profiles: [Profile], current: String? = nil) {
        state.withLock { $0 = Configuration(current: current, profiles: profiles) }
    }

    package func fail(with error: AuthError) {
        failure.withLock { $0 = error }
    }

    package func load() throws(AuthError) -> Configuration {
        try failIfWanted()
        return current
    }

    package func update(_ change: (inout Configuration) throws(AuthError) -> Void) throws(AuthError) {
        try failIfWanted()
        try changing.withLock { _ throws(AuthError) in
            var changed = current
            try change(&changed)
            state.withLock { [changed] in $0 = changed }
        }
    }

    private func failIfWanted() throws(AuthError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
