import Synchronization
import TestSupport

/// Servers that the tests of a suite share, because starting one takes longer than most tests.
///
/// A server starts at its first use and ends after the last test of the suite. Tests that share a server use different
/// accounts. Suites that create accounts must be `.serialized`.
final class SharedSites: Sendable {
    @TaskLocal private static var current: SharedSites?

    private struct Kind: Hashable {
        let family: DjangoServer.Family
        let mode: String
        let environment: [String: String]
    }

    private let running = Mutex<[Kind: DjangoServer]>([:])

    static func server(
        _ mode: String, _ family: DjangoServer.Family = .djRestAuth, environment: [String: String] = [:]
    ) throws -> DjangoServer {
        let sites = try #require(current, "the suite lacks the trait `.sharedSites`")
        return try sites.running.withLock { running in
            let kind = Kind(family: family, mode: mode, environment: environment)
            if let server = running[kind] { return server }
            let hasFacebook = family == .allauth || mode.hasPrefix("facebook")
            let server = try DjangoServer(family, mode, hasFacebook: hasFacebook, environment: environment)
            running[kind] = server
            return server
        }
    }

    struct Scope: SuiteTrait, TestScoping {
        func provideScope(
            for test: Test, testCase: Test.Case?, performing run: @Sendable () async throws -> Void
        ) async throws {
            try await SharedSites.$current.withValue(SharedSites()) { try await run() }
        }
    }
}

extension Trait where Self == SharedSites.Scope {
    static var sharedSites: Self { Self() }
}
