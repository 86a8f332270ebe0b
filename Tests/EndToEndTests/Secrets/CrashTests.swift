import Foundation
import TestSupport

/// Neither a crash nor a debugging feature of a library shows a secret.
@Suite(.mostlyWaits, .keepsStore) struct CrashTests {
    private let world = Sandbox()
    private let canary = "canary-pa55word-of-a-crash"

    init() throws {
        world.set("SWIFT_BACKTRACE", to: "enable=yes,interactive=no,registers=all,threads=all,\(Self.backtracer)")
    }

    /// Selects the Swift toolchain's backtracer. Without one, a crash prints nothing, so the tests would prove nothing.
    private static let backtracer =
        ProcessInfo.processInfo.environment["PATH"]!.split(separator: ":")
        .map { "\($0)/../libexec/swift/linux/swift-backtrace-static" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
        .map { "swift-backtrace=\($0)" } ?? "threads=all"

    @Test(arguments: [SIGSEGV, SIGABRT, SIGBUS])
    func `a crashing login leaves no core file and prints no memory contents`(signal: Int32) throws {
        let server = try ScriptedServer(["*": [[.stall]]])
        let login = try world.start(
            ["login", "ada", "--password-stdin"] + ParseSession.options(at: server.url("/parse")), input: "\(canary)\n",
            under: .shell("ulimit -c unlimited"))
        let end = Date(timeIntervalSinceNow: 20)
        while server.requests.isEmpty, Date() < end { usleep(5000) }
        login.send(signal)
        let finished = login.wait()
        expect(finished.signal, signal)
        #expect(!finished.everything.contains("Registers"))
        #expect(!finished.everything.contains("rash"))
        expect(world.snapshot(), [:])
    }

    @Test func `a crashing serve leaves no core file`() throws {
        let serving = try ServingProgram(world: world, under: .shell("ulimit -c unlimited"))
        try expect(serving.signUp().status, 201)
        let before = Set(world.contents(of: world.home))
        let body = #"{"username":"ada","password":"\#(Sandbox.password)"}"#
        // Each password hash takes tens of milliseconds, so the signal arrives during a hash.
        let asking = try (0..<4).map { _ in
            try world.start(
                [
                    "-s", "-X", "POST", "-H", "X-Parse-Application-Id: local", "-H", "Content-Type: application/json",
                    "--data-binary", body, "\(serving.url)/login",
                ], program: ["/usr/bin/curl"])
        }
        usleep(40_000)
        serving.program.send(SIGSEGV)
        let finished = serving.program.wait()
        expect(finished.signal, SIGSEGV)
        #expect(!finished.everything.contains("Registers"))
        for program in asking { program.wait() }
        #expect(Set(world.contents(of: world.home)).subtracting(before).allSatisfy { $0.contains("/local.db") })
    }

    @Test func `authctl ignores SSLKEYLOGFILE, and exec passes the variable to its command`() throws {
        let server = try ScriptedServer([
            ScriptedServer.Listener(
                ["*": [.answer("404 Not Found", ["Content-Type: application/json"], #"{"code":101,"error":"no"}"#)]],
                certificate: TestAuthority.path("good"))
        ])
        let keys = "\(world.root)/keys"
        let environment = ["SSLKEYLOGFILE": keys]
        let login = try world.start(
            [
                "login", "ada", "--password-stdin", "--ca-cert", TestAuthority.file,
            ] + ParseSession.options(at: server.url("/parse", scheme: "https", host: "localhost")), input: .password,
            environment: environment
        ).wait()
        expect(login.exitCode, 4, "\(login.stderr)")
        expect(server.handshakes(), 1)
        #expect(!world.isThere(keys))
        try world.signUp("ada")
        let command = try world.run("exec", "--", "sh", "-c", "echo $SSLKEYLOGFILE", environment: environment)
        expect(command.stdout, "\(keys)\n")
    }
}
