import AuthClient
import AuthModel
import CommandTestSupport
import Platform
import Testing

/// What every configuration store must do.
@Suite struct ConfigurationStoreContractTests {
    enum Kind: CaseIterable, Sendable {
        case memory, file

        /// An empty store.
        func make(_ folder: TestFolder) -> any ConfigurationStore {
            switch self {
            case .memory: MemoryConfigurationStore()
            case .file: ConfigurationFile(folder: PrivateFolder(path: folder.path("authctl"), home: nil))
            }
        }
    }

    let folder: TestFolder

    init() throws {
        folder = try TestFolder()
    }

    @Test(arguments: Kind.allCases)
    func `is empty at first`(kind: Kind) throws {
        #expect(try kind.make(folder).load() == Configuration())
    }

    @Test(arguments: Kind.allCases)
    func `keeps a change`(kind: Kind) throws {
        let store = kind.make(folder)
        let profile = Profile(name: "ci", settings: ["backend": "local"])
        let wasLoose = try store.update { configuration throws(AuthError) in
            configuration["ci"] = profile
            configuration.current = "ci"
        }
        #expect(!wasLoose)
        #expect(try store.load() == Configuration(current: "ci", profiles: [profile]))
    }

    @Test(arguments: Kind.allCases)
    func `hands a change what the one before left`(kind: Kind) throws {
        let store = kind.make(folder)
        for name in ["a", "b"] {
            _ = try store.update { configuration throws(AuthError) in
                configuration[name] = Profile(name: name, settings: [:])
            }
        }
        #expect(try store.load().profiles.map(\.name) == ["a", "b"])
    }

    @Test(arguments: Kind.allCases)
    func `keeps nothing of a change that fails`(kind: Kind) throws {
        let store = kind.make(folder)
        let error = AuthError(.usage, "changed my mind")
        #expect(throws: error) {
            try store.update { configuration throws(AuthError) in
                configuration.current = "x"
                throw error
            }
        }
        #expect(try store.load() == Configuration())
    }
}
