import TestSupport

/// A system stores its CA certificates in one bundle file or in a folder of files named by hash. authctl reads both.
@Suite(.mostlyWaits, .keepsInvariants, .enabled(if: Host.canMount, "needs root and unshare -m")) struct TrustPathTests {
    private enum Place: String, CaseIterable {
        case folder = #"cp "$0" "/etc/ssl/certs/$(openssl x509 -hash -noout -in "$0").0""#
        case bundle = #"cp "$0" /etc/ssl/certs/ca-certificates.crt"#
        /// The folder has a different authority; the authority of the server is only in the bundle.
        case both =
            #"cp "$1" "/etc/ssl/certs/$(openssl x509 -hash -noout -in "$1").0"; cp "$0" /etc/ssl/certs/ca-certificates.crt"#

        /// A wrapper that runs another command with these CA certificates in place of the system's.
        var command: [String] {
            let script = #"mount -t tmpfs none /etc/ssl/certs && \#(rawValue) && shift && exec "$@""#
            let files = [TestAuthority.file, TestAuthority.path("other-authority")]
            return ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script] + files
        }
    }

    private static let faults = [
        ("good", false), ("chain", false), ("expired", true), ("not-yet-valid", true), ("wrong-host", true),
        ("self-signed", true), ("orphan", true),
    ]

    @Test(arguments: faults)
    func `authctl accepts valid and rejects invalid certificates with the system's CA folder or CA bundle`(
        certificate: String, isRejected: Bool
    )
        throws
    {
        for place in Place.allCases {
            let server = try ScriptedServer([
                .init(["*": [ParseSession.user]], certificate: TestAuthority.path(certificate))
            ])
            let result = try whoami(at: server, in: place)
            expect(result.exitCode, (isRejected ? 8 : 0), "\(place): \(result.everything)")
            expect(server.requests.count, (isRejected ? 0 : 1))
            guard isRejected else { continue }
            let error = try result.document().object("error")
            expect(error.string("reason"), "tls")
            let message = try #require(error.string("message"))
            MessageFile("process/certificates").expect(Finished.withoutPorts(message), certificate)
        }
    }

    private func whoami(at server: ScriptedServer, listener: Int = 0, in place: Place) throws -> Finished {
        let url = server.url("/parse", scheme: "https", host: "localhost", listener: listener)
        return try Sandbox().start(
            ["whoami", "--json"],
            environment: [
                "AUTHCTL_TOKEN": ParseSession.token, "AUTHCTL_BACKEND": "parse", "AUTHCTL_SERVER": url,
                "AUTHCTL_APP_ID": "shop",
            ], under: place.command
        ).wait()
    }
}
