import Foundation
import TestSupport
import Testing

/// While a server does not answer.
@Suite(.mostlyWaits) struct ConventionWaitingTests {
    private let world: Sandbox
    private let server: ScriptedServer

    init() throws {
        world = try Sandbox()
        server = try ScriptedServer(["*": [[.stall]]])
    }

    @Test func `an interruption ends a command at once, as a shell expects of it`() throws {
        let login = try startLogin()
        let begin = Date()
        login.send(SIGINT)
        let end = login.wait()
        #expect(end.signal == SIGINT)
        #expect(end.stdout.isEmpty)
        #expect(Date().timeIntervalSince(begin) < 5)
        #expect(!world.isThere(world.sessionFile()))
    }

    @Test func `the list of processes shows no secret`() throws {
        let login = try startLogin()
        let words = try world.text("/proc/\(login.process)/cmdline")
        #expect(words.hasPrefix("\(BuiltBinary.path)\0login\0ada\0"))
        #expect(!words.contains(Sandbox.password))
        login.send(SIGTERM)
        #expect(login.wait().signal == SIGTERM)
    }

    @Test func `of a time limit given twice the last counts`() throws {
        let result = try world.start(
            ["login", "ada", "--password-stdin", "--timeout", "500", "--timeout=0.3"] + server.options,
            input: .password
        ).wait()
        #expect(result.exitCode == 8)
        #expect(result.stderr.contains("within 300 ms"))
    }

    /// Returns when its request is with the server.
    private func startLogin() throws -> RunningProgram {
        let login = try world.start(["login", "ada", "--password-stdin"] + server.options, input: .password)
        let end = Date(timeIntervalSinceNow: 20)
        while server.requests.isEmpty, Date() < end { usleep(5000) }
        #expect(server.requests.count == 1)
        return login
    }
}
