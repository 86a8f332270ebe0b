import TestSupport

/// Messages about connections that fail before a response: a refused connection, TLS, an unusable libcurl.
@Suite(.mostlyWaits) struct ConnectionMessageTests {
    private let world = Sandbox()

    private func logIn(_ words: String..., at url: String? = nil) throws -> Finished {
        let connection = url.map { ["--backend", "parse", "--app-id", "shop", "--server", $0] } ?? []
        return try world.start(["login", "ada", "--password-stdin"] + words + connection, input: .password).wait()
    }

    @Test func `the error about a refused connection names the server and the source of its URL`() throws {
        let url = "http://127.0.0.1:1/parse"
        try world.run("profile", "add", "live", "--backend", "parse", "--app-id", "shop", "--server", url)
        try logIn(at: url).expectTranscript(in: "connections", "option", of: world)
        try logIn("-p", "live").expectTranscript(in: "connections", "profile", of: world)
    }

    #if os(Linux)
        @Test func `the error about a certificate from an unknown authority suggests --ca-cert`() throws {
            let server = try ScriptedServer([ScriptedServer.Listener(certificate: TestAuthority.path("good"))])
            try logIn(at: server.url("/parse", scheme: "https")).expectTranscript(in: "connections", of: world)
        }
    #endif

    @Test func `the error about a server without TLS suggests an http URL`() throws {
        var plain = ScriptedServer.Listener()
        plain.atAccept = [.send("HTTP/1.0 400 Bad Request\r\n\r\n"), .close]
        let server = try ScriptedServer([plain])
        try logIn(at: server.url("/parse", scheme: "https")).expectTranscript(in: "connections", of: world)
    }

    @Test(.enabled(if: Host.loadsFromPath, "needs a dynamic loader that respects LD_LIBRARY_PATH"))
    func `the error about a libcurl that cannot be loaded suggests installing it`() throws {
        try world.write("", to: "\(world.root)/libraries/libcurl.so.4")
        world.set("LD_LIBRARY_PATH", to: "\(world.root)/libraries")
        try logIn(at: "https://example.org/parse").expectTranscript(in: "connections", of: world)
    }
}
