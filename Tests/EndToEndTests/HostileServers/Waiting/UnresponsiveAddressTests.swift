import TestSupport
import Testing

/// A host of two addresses, of which the first one takes no connection and does not say so.
@Suite(.keepsInvariants, .mostlyWaits) struct UnresponsiveAddressTests {
    @Test func `an unresponsive first address delays the second one only briefly`() throws {
        let server = try ScriptedServer(["*": [Operation.whoami.goodAnswer]])
        let deaf = try UnresponsiveListener(port: server.ports[0])
        defer { deaf.close() }
        // Whoever waited for the first one would wait half of that time.
        try OperationRun(
            .whoami, at: server.url("/parse", host: "localhost"), ["--connect-timeout", "60", "--timeout", "60"]
        )
        .success()
        #expect(server.requests.count == 1)
        // Nobody answers there, so that this is not a listener like any other.
        let message = try OperationRun(.whoami, at: server.url("/parse", host: "[::1]"), ["--timeout", "1"])
            .failure(8, "timeout").string("message")
        #expect(message?.contains("'[::1]:\(server.ports[0])'") == true)
    }
}
