import Foundation
import TestSupport

@Suite(.mostlyWaits, .keepsInvariants) struct InterruptedRequestTests {
    /// Cases in which the client waits for a response, for the rest of a response, or for a retry.
    private static let cases: [(words: [String], answer: ScriptedServer.Answer)] = [
        (["login", "ada", "--password-stdin"], [.stall]), (["signup", "ada", "--password-stdin"], [.stall]),
        (["logout"], [.stall]),
        (
            ["login", "ada", "--password-stdin"],
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), .stall]
        ),
        (["whoami"], .answer("503 No", ["Retry-After: 20"])),
    ]

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends a request immediately and leaves all files unchanged`(signal: Int32) throws {
        let server = try ScriptedServer(Self.cases.map { .init(["*": [$0.answer]]) })
        let runs = try Self.cases.enumerated().map { number, one in
            let world = Sandbox()
            let url = server.url("/api", listener: number)
            try world.keepSession(for: url)
            let before = world.snapshot()
            return (world, before, try world.start(one.words + ParseSession.options(at: url), input: .password))
        }
        let limit = Date(timeIntervalSinceNow: 20)
        while Set(server.requests.map(\.listener)).count < runs.count, Date() < limit { usleep(20_000) }
        // Leave time for the responses to arrive.
        usleep(100_000)
        for ((world, before, program), one) in zip(runs, Self.cases) {
            let begin = Date()
            program.send(signal)
            let end = program.wait()
            // 5 seconds is much less than the 20 or 30 seconds that the client would wait.
            #expect(Date().timeIntervalSince(begin) < 5)
            expect(end.signal, signal, "\(one.words): \(end.everything)")
            // Only Ctrl-C during a signup prints a message: the account may exist.
            let isTold = signal == SIGINT && one.words[0] == "signup"
            expect(isTold, end.everything.contains("the account may exist; to check, run: authctl login "))
            expect(end.everything.split(separator: "\n").count, (isTold ? 1 : 0), "\(one.words)")
            expect(world.snapshot(), before, "\(one.words)")
        }
        expect(server.requests.count, runs.count)
    }
}
