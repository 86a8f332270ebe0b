import AuthClient
import CommandTestSupport
import Dispatch
import Platform

/// The contract of configuration stores. The fake store of the command tests must behave like the configuration file.
@Suite struct ConfigurationStoreContractTests {
    enum Kind: CaseIterable, Sendable {
        case memory, file

        func make(_ folder: TestFolder) -> any ConfigurationStore {
            switch self {
            case .memory: MemoryConfigurationStore()
            case .file: ConfigurationFile(folder: PrivateFolder(path: folder.path("authctl")))
            }
        }
    }

    let folder = TestFolder()

    @Test(arguments: Kind.allCases)
    func `a configuration store saves a change`(kind: Kind) throws {
        let store = kind.make(folder)
        let profile = Profile(name: "ci", settings: ["backend": "local"])
        try store.update { configuration throws(AuthError) in
            configuration.put(profile)
            configuration.current = "ci"
        }
        try expect(store.load(), Configuration(current: "ci", profiles: [profile]))
    }

    @Test(arguments: Kind.allCases)
    func `a configuration store unsets the current profile when that profile is removed`(kind: Kind) throws {
        let store = kind.make(folder)
        try store.update { configuration throws(AuthError) in
            configuration.put(Profile(name: "ci", settings: [:]))
            configuration.current = "ci"
        }
        try store.update { configuration throws(AuthError) in configuration.remove("ci") }
        try expect(store.load(), Configuration())
    }

    @Test(arguments: Kind.allCases)
    func `a configuration store discards a failed change`(kind: Kind) throws {
        let store = kind.make(folder)
        let error = AuthError(.usage, "changed my mind")
        #expect(throws: error) {
            try store.update { configuration throws(AuthError) in
                configuration.current = "x"
                throw error
            }
        }
        try expect(store.load(), Configuration())
    }

    @Test(arguments: Kind.allCases)
    func `a configuration store saves all concurrent changes`(kind: Kind) throws {
        let store = kind.make(folder)
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            // `try?` hides an error, but a failed change shows up as a missing profile.
            try? store.update { configuration throws(AuthError) in
                configuration.put(Profile(name: "p\(number)", settings: [:]))
            }
        }
        try expect(store.load().profiles.count, 20)
    }
}
