import TestSupport
import Testing

@Suite(.enabled(if: DjangoServer.isAvailable, DjangoServer.needed), .sharedSites) struct DetectedSiteTests {
    @Test(
        arguments: [
            (nil, "parse"), (.restAuth, "rest-auth"), (.djRestAuth, "rest-auth"), (.allauth, "allauth"),
        ] as [(DjangoServer.Family?, String)])
    func `profile add detects the backend at a URL and suggests the full URL if given only the origin`(
        site: DjangoServer.Family?, backend: String
    ) throws {
        let world = try Sandbox()
        let program = try site == nil ? ServingProgram() : nil
        let url = try program?.url ?? SharedSites.server("none", #require(site)).url
        let words = ["profile", "add", "site", "--app-id", "local", "--json", "--server"]
        let named = try world.start(words + [url.split(separator: "/").prefix(2).joined(separator: "//")]).wait()
        #expect(named.exitCode == 2)
        #expect(try named.error().strings("hints")?.first?.contains("--server \(url)") == true, "\(named.stderr)")
        let added = try world.start(words + [url]).wait()
        #expect(try added.document().object("item").string("backend") == backend, "\(added.everything)")
    }
}
