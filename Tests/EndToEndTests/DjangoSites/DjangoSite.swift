import TestSupport
import Testing

/// A sandbox whose current profile `site` selects a Django server.
struct DjangoSite {
    let server: DjangoServer
    let world: Sandbox

    /// Uses the server that the tests of this suite share.
    init(_ family: DjangoServer.Family) throws {
        try self.init(at: try #require(SharedDjangoServers.current[family]))
    }

    init(at server: DjangoServer) throws {
        self.server = server
        world = try Sandbox()
        // The server's family is also the name of the backend.
        let kind = server.url.hasSuffix("dj-rest-auth") ? "dj-rest-auth" : "rest-auth"
        let added = try world.run("profile", "add", "site", "--backend", kind, "--server", server.url)
        try #require(added.exitCode == 0, "\(added.everything)")
        try world.run("profile", "use", "site")
    }

    /// Signs up with the address `NAME@example.com`.
    @discardableResult
    func signUp(_ name: String, _ more: String..., password: String = Sandbox.password) throws -> Finished {
        let words = ["signup", name, "--email", "\(name)@example.com", "--password-stdin"]
        return try world.start(words + more, input: "\(password)\n").wait()
    }

    @discardableResult
    func logIn(
        _ name: String, _ more: String..., password: String = Sandbox.password, environment: [String: String?] = [:]
    ) throws -> Finished {
        try world.start(
            ["login", name, "--password-stdin"] + more, input: "\(password)\n", environment: environment
        ).wait()
    }

    func changePassword(_ more: String..., from current: String, to new: String) throws -> Finished {
        try world.start(["password", "change", "--password-stdin"] + more, input: "\(current)\n\(new)\n").wait()
    }

    /// Sends the new password with the values from a reset link, as the site's page would.
    func choosePassword(_ new: String, with reset: (uid: String, token: String)) throws -> DjangoServer.Answer {
        let passwords = #""new_password1":"\#(new)","new_password2":"\#(new)""#
        return try server.post(
            "password/reset/confirm/", #"{"uid":"\#(reset.uid)","token":"\#(reset.token)",\#(passwords)}"#)
    }

    /// The newest mail to an address.
    func mail(to address: String) throws -> DjangoServer.Mail {
        try #require(server.mails.last { $0.text.hasPrefix("To: \(address)\n") })
    }

    var token: String { get throws { try world.token("site") } }
}

/// Starts a server of each family before the first test of a suite, and ends them after the last one.
///
/// Tests that share the servers use different accounts.
struct SharedDjangoServers: SuiteTrait, TestScoping {
    @TaskLocal static var current: [DjangoServer.Family: DjangoServer] = [:]

    let mode: String

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        var servers: [DjangoServer.Family: DjangoServer] = [:]
        for family in DjangoServer.Family.restAuths { servers[family] = try DjangoServer(family, mode) }
        try await Self.$current.withValue(servers) { try await function() }
    }
}

extension Trait where Self == SharedDjangoServers {
    static func sharedDjangoServers(_ mode: String) -> Self { Self(mode: mode) }
}

extension Finished {
    /// Checks a failed run with `--json`: exit code, reason and empty standard output.
    ///
    /// - Returns: the error.
    @discardableResult
    func refusal(
        _ exit: Int32, _ reason: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> JSONDocument {
        #expect(exitCode == exit, "\(everything)", sourceLocation: sourceLocation)
        #expect(output.isEmpty, sourceLocation: sourceLocation)
        let error = try error()
        #expect(error.number("exit") == Int(exit), sourceLocation: sourceLocation)
        #expect(error.string("reason") == reason, "\(everything)", sourceLocation: sourceLocation)
        return error
    }
}
