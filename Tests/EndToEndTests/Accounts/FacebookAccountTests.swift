import Foundation
import TestSupport

/// Facebook identities of local accounts, used directly or through `serve` with the backend `parse`.
@Suite(.mostlyWaits) struct FacebookAccountTests {
    enum Place: String, CaseIterable, Sendable {
        case local, parse
    }

    private let graph: GraphServer
    private let world: Sandbox

    init() throws {
        graph = try GraphServer()
        world = Sandbox()
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url)
        world.set("AUTHCTL_FACEBOOK_APP_ID", to: GraphServer.appID)
        world.set("AUTHCTL_FACEBOOK_CLIENT_TOKEN", to: "client-at-once")
    }

    @Test(arguments: Place.allCases)
    func `Facebook commands create an account, link and unlink an identity, and revoke permissions`(place: Place)
        throws
    {
        let serving = Sandbox()
        serving.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url)
        let server =
            try place == .parse ? ServingProgram("--facebook-app-id", GraphServer.appID, world: serving) : nil
        if let server {
            try world.run("profile", "set", "default", "backend", "parse")
            try world.run("profile", "set", "default", "server", server.url)
            try world.run("profile", "set", "default", "appId", ServingProgram.appID)
        }
        // Parse Server does not report that an account has no identity.
        let unlinked = LinkState(server == nil ? false : nil, false, nil)

        let created = try world.run("login", "--facebook", "--fill-user", "--json")
        try expect(created.document().flag("created"), true, "\(created.stderr)")
        try expect(created.document().strings("filled"), ["email", "name"])
        try world.run("link-facebook", "--unlink", "--json").refusal(5, "forbidden")
        try expect(world.status(), LinkState(true, false, "1002"))

        try world.signUp("ada")
        try world.link(facebook: "tok-bob", "--json").refusal(6, "identity-taken")
        for token in ["tok-otherapp", "tok-expired"] {
            try world.link(facebook: token, "--json").refusal(4, "token-refused")
        }
        try world.link(facebook: "tok-ann", "--json", "--identity-id", "1002").refusal(4, "token-refused")
        try expect(world.status(), unlinked)
        try expect(world.linkState(try world.link(facebook: "tok-ann", "--json")), LinkState(true, true, "1001"))
        try expect(world.linkState(try world.link(facebook: "tok-ann", "--json")), LinkState(true, false, "1001"))
        let replaced = try world.link(facebook: "tok-cat")
        #expect(replaced.stdout.contains("1003"), "\(replaced.stderr)")
        #expect(replaced.stderr.contains("'1001'"))
        #expect(try world.logIn(facebook: "tok-cat").stdout.contains("ada"))
        let unlink = try world.run("link-facebook", "--unlink", "--force", "--json")
        try expect(world.linkState(unlink).isLinked, false)

        let revoked = try world.logIn(facebook: "tok-bob", "--json").document()
        expect(revoked.flag("created"), false)
        let forced = try world.run("link-facebook", "--unlink", "--force", "--revoke", "--json").document()
        expect(forced.flag("permissionsRevoked"), true)
        expect(graph.requests(for: "me/permissions").map(\.method), ["DELETE"])
        #expect(graph.requests.allSatisfy { !$0.hasSecretInURL })
        for secret in ["tok-", "secret-device-code", "client-"] {
            #expect(world.files(holding: secret) == [] && serving.files(holding: secret) == [])
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a device login that receives a signal ends immediately and saves no session`(signal: Int32) throws {
        world.set("AUTHCTL_FACEBOOK_CLIENT_TOKEN", to: "client-every-60")
        let terminal = PseudoTerminal()
        let settings = terminal.settingsText
        let login = try world.start(["login", "--facebook"], terminal: terminal)
        #expect(terminal.waitFor("7 minutes"))
        if signal == SIGINT { terminal.type("\u{3}") } else { login.send(signal) }
        expect(login.wait(atMost: .seconds(5)).signal, signal)
        expect(terminal.settingsText, settings)
        #expect(!world.isThere(world.sessionFile()))
        expect(world.files(holding: "secret-device-code"), [])
    }
}
