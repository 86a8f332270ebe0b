import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct BackendRegistryTests {
    @Test func `begins with the accounts on this machine`() {
        #expect(BackendRegistry.descriptors.first?.kind == "local")
        #expect(BackendRegistry.descriptors.first?.checksNewAccounts == true)
    }

    @Test func `has every kind once, each with half a sentence for help`() {
        let kinds = BackendRegistry.descriptors.map(\.kind)
        #expect(Set(kinds).count == kinds.count)
        for descriptor in BackendRegistry.descriptors { #expect(!descriptor.summary.isEmpty) }
    }

    @Test func `makes a backend that asks the server inside this program`() throws {
        let server = ReplayingTransport(.currentUser())
        let backend = try BackendRegistry.makeBackend(for: .local, Transports { () throws(AuthError) in server })
        #expect(try backend.currentUser(.ada).value.username == "ada")
    }

    @Test func `makes a backend that lists sessions`() throws {
        let transports = Transports { () throws(AuthError) in ReplayingTransport() }
        #expect(try BackendRegistry.makeBackend(for: .local, transports) is any SessionListing)
    }

    @Test(arguments: ["", "Local", "parse", "local "])
    func `makes nothing of a kind that it does not know`(kind: String) {
        let transports = Transports { () throws(AuthError) in ReplayingTransport() }
        let error = #expect(throws: AuthError.self) {
            try BackendRegistry.makeBackend(for: Connection(backend: kind), transports)
        }
        #expect(error?.reason == .internal)
    }
}
