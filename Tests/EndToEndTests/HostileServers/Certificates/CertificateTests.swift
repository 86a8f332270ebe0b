import MessageSnapshots
import TestSupport
import Testing

/// Servers without a valid certificate. The error is reported after one try, and no request is sent.
@Suite(.keepsSecrets) struct CertificateTests {
    private struct Case {
        let kind: ServerKind
        let operation: Operation
        /// The situation in the message file; empty if the message depends on OpenSSL's version.
        let fault: String
        let listener: ScriptedServer.Listener
        var reason = "tls"
        var authorities: String? = TestAuthority.file
        var connections = 1...1
    }

    /// All operations for Parse, and a login for each of the other backends.
    ///
    /// - Parameter change: changes the listener further.
    private func cases(
        _ certificate: String, _ fault: String, reason: String = "tls", authorities: String? = TestAuthority.file,
        connections: ClosedRange<Int> = 1...1, _ change: (inout ScriptedServer.Listener) -> Void = { _ in }
    ) -> [Case] {
        let others = ServerKind.allCases.filter { $0 != .parse }.map { ($0, Operation.login) }
        return (Operation.common.map { (.parse, $0) } + others).map { kind, operation in
            var listener = ScriptedServer.Listener(
                ["*": [operation.goodAnswer(of: kind)]], certificate: TestAuthority.path(certificate))
            change(&listener)
            return Case(
                kind: kind, operation: operation, fault: fault, listener: listener, reason: reason,
                authorities: authorities,
                connections: connections)
        }
    }

    private func expect(_ cases: [Case]) throws {
        let server = try ScriptedServer(cases.map(\.listener))
        try run(cases) { number, one in
            try OperationRun(
                one.operation, at: server.url("/parse", scheme: "https", host: "localhost", listener: number),
                one.authorities.map { ["--ca-cert", $0] } ?? [], name: one.fault, kind: one.kind)
        } then: { number, one, run in
            let message = try run.failure(8, one.reason).string("message") ?? ""
            #expect(message.contains("'localhost:\(server.ports[number])'"), "\(message)")
            if one.kind == .parse, one.operation == .login, !one.fault.isEmpty, one.reason == "tls" {
                MessageFile("process/certificates").expect(Finished.withoutPorts(message), one.fault)
            }
        }
        for (one, count) in zip(cases, server.connectionsOfAll) {
            #expect(one.connections.contains(count), "\(one.kind) \(one.operation): \(one.fault)")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `an invalid certificate is reported by its fault and nothing is sent`() throws {
        try expect(
            cases("expired", "expired") + cases("not-yet-valid", "not yet valid")
                + cases("wrong-host", "of another host") + cases("self-signed", "self-signed")
                + cases("orphan", "of an unknown issuer")
                + cases(
                    "good", "of another authority", authorities: TestAuthority.path("other-authority")))
    }

    /// The system's folder of authorities is tried first, then its bundle.
    @Test func `a certificate of an unknown authority is rejected`() throws {
        try expect(cases("good", "of an authority that the system does not have", authorities: nil, connections: 1...2))
    }

    @Test func `TLS before 1.2, plain text and TLS without encryption are rejected`() throws {
        try expect(
            cases("good", "TLS 1.0") { $0.newestTLS = "1.0" } + cases("good", "TLS 1.1") { $0.newestTLS = "1.1" }
                + cases("good", "") { $0.hasNoEncryption = true }
                + cases("good", "plain text") {
                    $0.certificate = nil
                    $0.atHello = [.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .close]
                })
    }

    /// In TLS 1.3 the server rejects the client after the client's side of the handshake is complete and the request is
    /// sent.
    @Test func `a server that requires a client certificate is reported`() throws {
        let cases = cases("good", "a client certificate is required") {
            $0.wantsCertificate = true
        }
        try expect(
            cases
                + self.cases("good", "") { listener in
                    (listener.wantsCertificate, listener.newestTLS) = (true, "1.2")
                })
    }

    /// No request was sent, so any request can be retried: the server may be restarting.
    @Test func `an aborted TLS handshake is tried three times`() throws {
        try expect(
            [ScriptedServer.Step.close, .reset].flatMap { end in
                cases("good", "", reason: "connect", connections: 3...3) { $0.atAccept = [end] }
                    + cases("good", "", reason: "connect", connections: 3...3) { $0.atHello = [end] }
            })
    }
}
