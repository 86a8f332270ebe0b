import AuthModel
import CommandTestSupport
import Testing
import Transport

@testable import AuthBackends

@Suite struct BackendRegistryTests {
    @Test func `begins with the accounts on this machine`() {
        #expect(BackendRegistry.standard.descriptors.first?.kind == "local")
        #expect(BackendRegistry.standard.descriptors.first?.checksNewAccounts == true)
    }

    @Test func `has every kind once, each with half a sentence for help`() {
        let kinds = BackendRegistry.standard.descriptors.map(\.kind)
        #expect(Set(kinds).count == kinds.count)
        for descriptor in BackendRegistry.standard.descriptors { #expect(!descriptor.summary.isEmpty) }
    }

    @Test func `knows Back4App as a Parse Server with a URL of its own`() throws {
        let parse = try #require(BackendRegistry.standard.descriptors.first { $0.words.contains("back4app") })
        #expect(parse.kind == "parse")
        #expect(parse.server(meantBy: "back4app") == "https://parseapi.back4app.com")
        #expect(parse.server(meantBy: "parse") == nil)
    }

    @Test func `makes a backend that asks the server inside this program`() throws {
        let backend = try Self.backend(for: Site(.local), embedded: ReplayingTransport(.currentUser()))
        #expect(try backend.currentUser(.ada).value.username == "ada")
    }

    @Test func `makes a backend that asks a host, with the keys of its application`() throws {
        let request = """
            GET https://a.example/parse/users/me
            X-Parse-Application-Id: shop
            X-Parse-REST-API-Key: k3y
            X-Parse-Session-Token: \(Exchange.adaToken)
            """
        let connection = Connection(backend: "parse", server: "https://a.example/parse", appID: "shop")
        let backend = try Self.backend(
            for: Site(connection, clientKey: Secret("k3y")),
            network: ReplayingTransport(Exchange(request, 200, Exchange.adaUser)))
        #expect(try backend.currentUser(.ada).value.username == "ada")
    }

    @Test func `makes a backend that lists sessions`() throws {
        #expect(try Self.backend(for: Site(.local)) is any SessionListing)
    }

    @Test(arguments: ["", "Local", "back4app", "local "])
    func `makes nothing of a kind that it does not know`(kind: String) {
        let error = #expect(throws: AuthError.self) { try Self.backend(for: Site(Connection(backend: kind))) }
        #expect(error?.reason == .internal)
    }

    private static func backend(
        for site: Site, embedded: ReplayingTransport = ReplayingTransport(),
        network: ReplayingTransport = ReplayingTransport()
    ) throws(AuthError) -> any Backend {
        try BackendRegistry.standard.makeBackend(
            for: site,
            Transports(
                embedded: { () throws(AuthError) in RedactingTransport(embedded) },
                network: { url throws(AuthError) in
                    #expect(url == site.connection.server)
                    return RedactingTransport(network)
                },
                clock: .fixed(.sampleNow)))
    }
}
