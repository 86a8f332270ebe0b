import Foundation
import TestSupport
import Testing

/// Of servers and the way to them.
@Suite struct ServerErrorMessageTests: ErrorMessages {
    let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a server without its kind`() throws {
        try expect(
            2,
            """
            authctl: error: server 'https://example.org/parse' (from --server) does not go with backend 'local'
            authctl: hint: name its kind, such as --backend parse, or leave it out to use the accounts on this machine

            """,
            of: ["login", "ada", "--server", "https://example.org/parse"])
    }

    @Test func `a kind without a server`() throws {
        try expect(
            2,
            """
            authctl: error: backend 'parse' (from --backend) needs a server, and none is named
            authctl: hint: name it with --server URL or AUTHCTL_SERVER
            authctl: hint: save it in a profile: authctl profile add NAME --backend parse --server URL --app-id ID

            """,
            of: ["login", "ada", "--backend", "parse"])
    }

    @Test func `a server without an application id`() throws {
        try expect(
            2,
            """
            authctl: error: backend 'parse' needs an application id, and none is named
            authctl: hint: name it with --app-id ID or AUTHCTL_APP_ID

            """,
            of: ["login", "ada", "--backend", "parse", "--server", "https://example.org/parse"])
    }

    @Test func `a server that is away`() throws {
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': cannot connect to '127.0.0.1:1': connection refused
            authctl: hint: is the server running, and its URL right? it comes from --server

            """,
            of: ["login", "ada", "--password-stdin"] + options("http://127.0.0.1:1/parse"))
    }

    @Test func `a server of a profile that is away`() throws {
        try world.start(["profile", "add", "live"] + options("http://127.0.0.1:1/parse")).wait()
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': cannot connect to '127.0.0.1:1': connection refused
            authctl: hint: is the server running, and its URL right? change it: authctl profile set live server URL

            """,
            of: ["-p", "live", "login", "ada", "--password-stdin"])
    }

    @Test func `a host whose name is misspelt`() throws {
        world.set("AUTHCTL_SERVER", to: "https://parse.exampel.invalid/parse")
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': cannot find the host 'parse.exampel.invalid'
            authctl: hint: is the server's name right, and this machine on the network? it comes from AUTHCTL_SERVER

            """,
            of: ["login", "ada", "--password-stdin", "--backend", "parse", "--app-id", "shop"])
    }

    @Test func `an address without the path of the API`() throws {
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': there is no Parse server at this address
            authctl: hint: is its URL right, with the path of the API, such as /parse? it comes from --server

            """,
            of: ["login", "ada", "--password-stdin"],
            answering: ("/login", "404 Not Found", "<!DOCTYPE html><title>Not found</title>"))
    }

    @Test func `a wrong application id`() throws {
        try expect(
            5,
            """
            authctl: error: cannot log in as 'ada': the server does not accept the application id or key
            authctl: hint: are the application id and the client key those of this server? give them with --app-id ID and --client-key-file FILE

            """,
            of: ["login", "ada", "--password-stdin"],
            answering: ("/login", "403 Forbidden", #"{"error":"unauthorized"}"#))
    }

    @Test func `an authority that nobody trusts`() throws {
        let server = try ScriptedServer([ScriptedServer.Listener(certificate: TestAuthority.path("good"))])
        // Where OpenSSL verifies.
        #if os(Linux)
            let names = "(subject '/CN=authctl test good', issuer '/CN=authctl test authority') "
            let advice = "the server may leave out an intermediate certificate; else name its authority"
        #else
            let names = ""
            let advice = "if it is the right one, name a file with its authority"
        #endif
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': the certificate of '127.0.0.1:PORT' \(names)comes from an unknown authority
            authctl: hint: \(advice): --ca-cert FILE

            """,
            of: ["login", "ada", "--password-stdin"] + options(server.url("/parse", scheme: "https")))
    }

    @Test func `https where there is none`() throws {
        var plain = ScriptedServer.Listener()
        plain.atAccept = [.send("HTTP/1.0 400 Bad Request\r\n\r\n"), .close]
        let server = try ScriptedServer([plain])
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': '127.0.0.1:PORT' does not speak TLS
            authctl: hint: if it speaks plain http alone, its URL begins with http://

            """,
            of: ["login", "ada", "--password-stdin"] + options(server.url("/parse", scheme: "https")))
    }

    @Test func `plain http`() throws {
        try expect(
            2,
            """
            authctl: error: server 'http://example.org/parse' (from --server) would get passwords unencrypted over the network
            authctl: hint: use https
            authctl: hint: allow it: --allow-http

            """,
            of: ["login", "ada", "--password-stdin"] + options("http://example.org/parse"))
    }

    @Test func `too many requests`() throws {
        try expect(
            9,
            """
            authctl: error: cannot create account 'ada': too many requests
            authctl: hint: try again in a minute

            """,
            of: ["signup", "ada", "--password-stdin", "--timeout", "2"],
            answering: ("/users", "429 Too Many Requests", #"{"error":"slow down"}"#))
    }

    @Test func `a server that fails`() throws {
        try expect(
            9,
            """
            authctl: error: cannot log in as 'ada': the server failed
            authctl: hint: try again later; -v shows the requests and answers

            """,
            of: ["login", "ada", "--password-stdin"],
            answering: ("/login", "500 Internal Server Error", #"{"code":1,"error":"Internal server error."}"#))
    }

    @Test(.enabled(if: Host.loadsFromPath, "needs a dynamic loader that heeds LD_LIBRARY_PATH"))
    func `a machine without libcurl`() throws {
        try world.write("", to: "\(world.root)/libraries/libcurl.so.4")
        world.set("LD_LIBRARY_PATH", to: "\(world.root)/libraries")
        try expect(
            1,
            """
            authctl: error: cannot log in as 'ada': cannot load libcurl ('libcurl.so.4'): /sandbox/libraries/libcurl.so.4: file too short
            authctl: hint: install it: apt-get install libcurl4

            """,
            of: ["login", "ada", "--password-stdin"] + options("https://example.org/parse"))
    }
}
