import Foundation
import TestSupport
import Testing

/// Of accounts and sessions.
@Suite struct AccountErrorMessageTests: ErrorMessages {
    let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a wrong password`() throws {
        try world.signUp("ada")
        try expect(
            4,
            """
            authctl: error: cannot log in as 'ada': wrong user name or password
            authctl: hint: create an account: authctl signup ada
            authctl: hint: reset the password: authctl password reset ADDRESS

            """,
            of: ["login", "ada", "--password-stdin"], input: "not that one\n")
    }

    @Test func `a name that nobody has`() throws {
        try expect(
            4,
            """
            authctl: error: cannot log in as 'bob@example.org': wrong user name or password
            authctl: hint: create an account: authctl signup USERNAME --email bob@example.org
            authctl: hint: reset the password: authctl password reset bob@example.org

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
            authctl: hint: log in: authctl login USERNAME
            authctl: hint: create an account: authctl signup USERNAME

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
            authctl: hint: put a new session into AUTHCTL_TOKEN
            authctl: hint: unset AUTHCTL_TOKEN

            """,
            of: ["sessions", "--backend", "local"])
    }
}
