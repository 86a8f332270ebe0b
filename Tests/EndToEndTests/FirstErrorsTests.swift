import Foundation
import TestSupport
import Testing

/// The errors that somebody new is likeliest to meet, word for word: what failed, why, and the next step.
///
/// Read before they were accepted by somebody who did not know the tool.
@Suite struct FirstErrorsTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    // MARK: - An account

    @Test func `a wrong password`() throws {
        try world.signUp("ada")
        try expect(
            4,
            """
            authctl: error: cannot log in as 'ada': wrong user name or password
            authctl: hint: no account yet? make one: authctl signup ada; forgot the password? choose another: authctl password reset ADDRESS

            """,
            of: ["login", "ada", "--password-stdin"], input: "not that one\n")
    }

    @Test func `a name that nobody has`() throws {
        try expect(
            4,
            """
            authctl: error: cannot log in as 'bob@example.org': wrong user name or password
            authctl: hint: no account yet? make one: authctl signup USERNAME --email bob@example.org; forgot the password? choose another: authctl password reset bob@example.org

            """,
            of: ["login", "bob@example.org", "--password-stdin"])
    }

    @Test func `a name that is taken`() throws {
        try world.signUp("ada")
        try expect(
            6,
            """
            authctl: error: cannot create account 'ada': the user name is taken
            authctl: hint: is it yours? log in: authctl login ada

            """,
            of: ["signup", "ada", "--password-stdin"])
    }

    @Test func `an e-mail that is taken`() throws {
        try world.signUp("ada", "--email", "ada@example.org")
        try expect(
            6,
            """
            authctl: error: cannot create account 'bob': the e-mail is taken
            authctl: hint: is it yours? log in: authctl login ada@example.org

            """,
            of: ["signup", "bob", "--email", "ada@example.org", "--password-stdin"])
    }

    @Test func `a password that is too short`() throws {
        try expect(
            7,
            """
            authctl: error: cannot create account 'ada': password must have at least 8 characters
            authctl: hint: fix that and try again, or leave the check to the server with --skip-checks

            """,
            of: ["signup", "ada", "--password-stdin"], input: "short\n")
    }

    @Test func `a second factor that nobody gave`() throws {
        try expect(
            5,
            """
            authctl: error: cannot log in as 'ada': the account has a second factor
            authctl: hint: give the one-time code, or a recovery code: authctl login --backend parse --server http://127.0.0.1:PORT/parse --app-id shop --otp CODE ada

            """,
            of: ["login", "ada", "--password-stdin"],
            answering: ("/login", "400 Bad Request", #"{"code":-1,"error":"Missing additional authData mfa"}"#))
    }

    @Test func `an account that is locked`() throws {
        try expect(
            5,
            """
            authctl: error: cannot log in as 'ada': the account is locked after too many wrong passwords
            authctl: hint: try again in 5 minutes: until then the right password is refused, too

            """,
            of: ["login", "ada", "--password-stdin"],
            answering: (
                "/login", "404 Not Found",
                #"{"code":101,"error":"Your account is locked due to multiple failed login attempts. Please try again after 5 minute(s)"}"#
            ))
    }

    @Test func `an address that is not confirmed`() throws {
        try expect(
            5,
            """
            authctl: error: cannot log in as 'ada': the e-mail is not verified yet
            authctl: hint: follow the link in the mail, or have it sent again: authctl verify-email --backend parse --server http://127.0.0.1:PORT/parse --app-id shop --email ADDRESS

            """,
            of: ["login", "ada", "--password-stdin"],
            answering: ("/login", "400 Bad Request", #"{"code":205,"error":"User email is not verified."}"#))
    }

    // MARK: - A session

    @Test(arguments: [["token"], ["sessions"], ["exec", "--", "true"], ["logout", "-p", "ci"]])
    func `nobody logged in`(words: [String]) throws {
        try world.run("profile", "add", "ci", "--backend", "local")
        guard words != ["logout", "-p", "ci"] else {
            #expect(try world.start(words).wait().exitCode == 0)
            return
        }
        try expect(
            3,
            """
            authctl: error: nobody is logged in (profile 'default')
            authctl: hint: log in: authctl login USERNAME, or make an account: authctl signup USERNAME

            """,
            of: words)
    }

    @Test func `a session that was ended elsewhere`() throws {
        try world.signUp("ada")
        let kept = try world.bytes(world.sessionFile())
        try world.run("logout")
        try world.write(kept, to: world.sessionFile())
        try expect(
            4,
            """
            authctl: error: cannot list sessions: the server does not accept this session any more
            authctl: hint: log in again: authctl login

            """,
            of: ["sessions"])
    }

    @Test func `a session from a variable that was ended elsewhere`() throws {
        try world.signUp("ada")
        world.set("AUTHCTL_TOKEN", to: "r:ended")
        try expect(
            4,
            """
            authctl: error: cannot list sessions: the server does not accept this session any more
            authctl: hint: put a new session into AUTHCTL_TOKEN, or unset it

            """,
            of: ["sessions", "--backend", "local"])
    }

    // MARK: - Words

    @Test func `a command that is misspelt`() throws {
        try expect(
            2,
            """
            authctl: error: unknown command 'logni'
            authctl: hint: did you mean 'login'? see 'authctl --help'

            """,
            of: ["logni"])
    }

    @Test func `an option that is misspelt`() throws {
        try expect(
            2,
            """
            authctl: error: unknown option '--pasword-stdin'
            authctl: hint: did you mean '--password-stdin'? see 'authctl login --help'

            """,
            of: ["login", "ada", "--pasword-stdin"])
    }

    @Test func `an option without its value`() throws {
        try expect(
            2,
            """
            authctl: error: option '--profile' needs a value: NAME
            authctl: hint: see 'authctl whoami --help'

            """,
            of: ["whoami", "--profile"])
    }

    @Test func `a password in the command line`() throws {
        try expect(
            2,
            """
            authctl: error: there is no option '--password'
            authctl: hint: a password in a command line can be seen by others; leave it out to be asked, or use --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

            """,
            of: ["login", "ada", "--password", "secret"])
    }

    @Test func `a profile that there is not`() throws {
        try expect(
            2,
            """
            authctl: error: there is no profile 'work' (from --profile)
            authctl: hint: see 'authctl profile list', or make it: authctl profile add work --backend local

            """,
            of: ["whoami", "-p", "work"])
    }

    @Test func `no terminal to ask at`() throws {
        try expect(
            2,
            """
            authctl: error: a password is missing, and nobody can be asked: standard input is no terminal
            authctl: hint: give it with --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

            """,
            of: ["login", "ada"])
    }

    @Test func `a job without a password`() throws {
        world.set("CI", to: "true")
        try expect(
            2,
            """
            authctl: error: a password is missing, and nobody can be asked: CI is set
            authctl: hint: give it with --password-stdin, --password-file FILE or AUTHCTL_PASSWORD

            """,
            of: ["login", "ada"])
    }

    // MARK: - A server

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
            authctl: hint: name it with --server URL or AUTHCTL_SERVER, or keep it: authctl profile add NAME --backend parse --server URL --app-id ID

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
        try expect(
            8,
            """
            authctl: error: cannot log in as 'ada': the certificate of '127.0.0.1:PORT' comes from an unknown authority
            authctl: hint: if it is the right one, name a file with its authority: --ca-cert FILE

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
            authctl: hint: use https, or allow it: --allow-http

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
            authctl: hint: try again later; -v shows what the server said

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

    // MARK: - Files

    @Test func `a session file that others can change`() throws {
        try world.signUp("ada")
        chmod(world.sessionFile(), 0o666)
        try expect(
            12,
            """
            authctl: error: '/sandbox/home/.config/authctl/sessions/default.json' can be changed by other users
            authctl: hint: run: chmod go-w /sandbox/home/.config/authctl/sessions/default.json

            """,
            of: ["whoami"])
    }

    @Test func `a session file that is damaged`() throws {
        try world.signUp("ada")
        try world.write(Array(try world.bytes(world.sessionFile()).prefix(100)), to: world.sessionFile())
        try expect(
            12,
            """
            authctl: error: '/sandbox/home/.config/authctl/sessions/default.json' is cut off at byte 100
            authctl: hint: move it away, then log in again: mv /sandbox/home/.config/authctl/sessions/default.json /sandbox/home/.config/authctl/sessions/default.json.bad

            """,
            of: ["whoami"])
    }

    @Test func `a configuration with a comma too many`() throws {
        try world.write("{\"v\": 1,\n \"profiles\": {,}}\n", to: world.configurationFile)
        try expect(
            12,
            """
            authctl: error: '/sandbox/home/.config/authctl/config.json' is no configuration: '"' was expected (line 2, column 15)
            authctl: hint: fix it in an editor, or move it away: mv /sandbox/home/.config/authctl/config.json /sandbox/home/.config/authctl/config.json.bad

            """,
            of: ["whoami"])
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `a disk that is full`() throws {
        let script = """
            mkdir -p ~/.config ~/.local/share/authctl && chmod 700 ~/.config ~/.local/share/authctl
            mount -t tmpfs -o size=64k,mode=700 none ~/.local/share/authctl || exit 99
            cat /dev/zero >~/.local/share/authctl/filler 2>/dev/null
            exec "$A" signup ada --password-stdin <<<'\(Sandbox.password)'
            """
        let result = try world.start(
            [], environment: ["A": BuiltBinary.path],
            program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
        ).wait()
        #expect(result.exitCode == 12)
        #expect(
            result.stderr.replacing(world.root, with: "/sandbox") == """
                authctl: error: cannot create account 'ada': cannot write the account database \
                '/sandbox/home/.local/share/authctl/local.db': no space left
                authctl: hint: free some space and try again

                """)
    }

    @Test func `a home folder that cannot be written to`() throws {
        world.set("HOME", to: "/nowhere")
        try expect(
            12,
            """
            authctl: error: there is no home folder '/nowhere'
            authctl: hint: set HOME, or AUTHCTL_CONFIG_DIR

            """,
            of: ["signup", "ada", "--password-stdin"])
    }

    // MARK: -

    private func options(_ url: String) -> [String] { ["--backend", "parse", "--app-id", "shop", "--server", url] }

    private func expect(
        _ code: Int32, _ text: String, of words: [String], input: Input = .password,
        answering answer: (path: String, status: String, body: String)? = nil,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let server = try answer.map { try ScriptedServer($0.path, $0.status, $0.body) }
        let result = try world.start(words + (server?.options ?? []), input: input).wait()
        #expect(result.exitCode == code, sourceLocation: location)
        let said = result.stderr.replacing(world.root, with: "/sandbox").replacing(#/(127\.0\.0\.1):\d{4,}/#) {
            "\($0.1):PORT"
        }
        #expect(said == text, sourceLocation: location)
    }
}
