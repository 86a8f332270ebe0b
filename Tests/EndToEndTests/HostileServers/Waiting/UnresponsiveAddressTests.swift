import TestSupport
import Testing

/// A host with two addresses, the first of which does not respond to connection attempts.
@Suite(.keepsInvariants, .mostlyWaits) struct UnresponsiveAddressTests {
    @Test func `an unresponsive first address delays the connection to the second address only briefly`() throws {
        let server = try ScriptedServer(["*": [ParseSession.user]])
        let deaf = try UnresponsiveListener(port: server.ports[0])
        defer { deaf.stop() }
        let world = try Sandbox()
        // Waiting for the first address to time out would take 30 seconds, half of the time limit.
        let start = ContinuousClock.now
        let whoami = try world.run(
            "whoami", "--connect-timeout", "60", "--timeout", "60",
            environment: ParseSession.environment(at: server.url("/parse", host: "localhost")))
        #expect(whoami.exitCode == 0, "\(whoami.stderr)")
        #expect(ContinuousClock.now - start < .seconds(15))
        // This request proves that the first address does not respond.
        let first = try world.run(
            "whoami", "--json", "--timeout", "1",
            environment: ParseSession.environment(at: server.url("/parse", host: "[::1]")))
        #expect(try first.document().object("error").string("reason") == "timeout")
    }
}
