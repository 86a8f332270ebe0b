import Foundation
import TestSupport

/// Local accounts, and accounts on servers other than Django sites.
@Suite(.mostlyWaits, .keepsInvariants) struct AccountStoryTests {
    @Test func `a local account works from signup to logout`() throws {
        try AccountStory(world: Sandbox(), profile: "default", backend: "local", server: nil).run()
    }

    @Test func `a script verifies an address and resets a password with the keys from local e-mail files`() throws {
        try MailLoop(world: Sandbox(), requestsMail: true).run()
    }

    @Test func `an account on a fake Kii Cloud server works from signup to logout`() throws {
        let server = try KiiServer()
        let world = Sandbox()
        let added = try world.run(
            "profile", "add", "site", "--backend", "kii", "--server", server.url, "--app-id", KiiServer.appID)
        expect(added.exitCode, 0, "\(added.everything)")
        try world.run("profile", "use", "site")
        try AccountStory(world: world, backend: "kii", server: server.url).run()
    }

    /// If the scheme is https, nginx is in front of `serve`.
    @Test(arguments: ["http", "https"])
    func `an account on 'authctl serve' works from signup to logout and receives e-mails`(scheme: String) throws {
        let world = Sandbox()
        let keyFile = "\(world.root)/rest-key"
        try world.write("rest-k3y\n", to: keyFile)
        let server = try ServingProgram(
            "--database", "\(world.root)/accounts/served.db", "--app-id", "shop", "--client-key-file", keyFile,
            "--mail-dir", "\(world.root)/mails", world: world)
        let front = scheme == "https" ? try TLSFront(of: server) : nil
        if front != nil { world.set("AUTHCTL_CA_CERT", to: TestAuthority.file) }
        let url = "\(front?.origin ?? "http://127.0.0.1:\(server.port)")/parse"
        let added = try world.run(
            "profile", "add", "live", "--backend", "parse", "--server", url, "--app-id", "shop", "--client-key-file",
            keyFile)
        try #require(added.exitCode == 0)
        try world.run("profile", "use", "live")
        try AccountStory(world: world, profile: "live", backend: "parse", server: url).run()
        try expect(world.run("profile", "set", "live", "mailDir", "\(world.root)/mails").exitCode, 0)
        try MailLoop(world: world, requestsMail: true).run()
    }

    @Test(.enabled(if: Host.canTrace, "needs strace"), arguments: ["token", "whoami"])
    func `a command with --as opens the session file without listing the session folder`(command: String) throws {
        let world = Sandbox()
        try world.signUp("ada", "--as", "work")
        let trace = "\(world.root)/trace"
        let result = try world.start([command, "--as", "work"], under: .strace("getdents,getdents64", into: trace))
            .wait()
        expect(result.exitCode, 0)
        #expect(try !world.text(trace).contains("getdents"))
    }
}
