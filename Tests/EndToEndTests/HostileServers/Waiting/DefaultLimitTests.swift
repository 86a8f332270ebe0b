import Foundation
import TestSupport
import Testing

/// The time limit of a request without `--timeout`.
@Suite(.keepsSecrets, .mostlyWaits) struct DefaultLimitTests {
    @Test func `the default time limit is 30 seconds`() throws {
        let server = try ScriptedServer(["*": [[.stall]]])
        let world = try Sandbox()
        let start = Date()
        let programs = try ServerKind.allCases.map { kind in
            let url = server.url("/api", host: "localhost")
            let words = ["login", "ada", "--password-stdin", "--json", "--backend", kind.rawValue, "--server", url]
            return try world.start(
                words + kind.options, input: .password, environment: ["AUTHCTL_CLIENT_KEY": OperationRun.clientKey])
        }
        for program in programs {
            let (end, seconds) = (program.wait(atMost: .seconds(60)), Date().timeIntervalSince(start))
            #expect(end.exitCode == 8)
            let error = try end.error()
            #expect(error.string("reason") == "timeout")
            #expect(error.string("message")?.hasSuffix(" within 30 s") == true)
            // On a busy machine the end may be noticed late.
            #expect((29.5...50).contains(seconds))
        }
        #expect(server.requests.count == programs.count)
    }
}
