import TestSupport
import Testing

/// A host with two addresses. The first one drops connection attempts without a response.
@Suite(.keepsInvariants, .mostlyWaits) struct UnresponsiveAddressTests {
    @Test func `an unresponsive first address delays the second one only briefly`() throws {
        let server = try ScriptedServer(["*": [Operation.whoami.goodAnswer]])
        let deaf = try UnresponsiveListener(port: server.ports[0])
        defer { deaf.stop() }
        // Waiting for the first address would take half of this time.
        try OperationRun(
            .whoami, at: server.url("/parse", host: "localhost"), ["--connect-timeout", "60", "--timeout", "60"]
        )
        .success()
        #expect(server.requests.count { $0.target == "/parse/users/me" } == 1)
        // Proof that the first address does not respond.
        let message = try OperationRun(.whoami, at: server.url("/parse", host: "[::1]"), ["--timeout", "1"])
            .failure(8, "timeout").string("message")
        #expect(message?.contains("'[::1]:\(server.ports[0])'") == true)
    }
}
