import TestSupport

/// Local accounts in a process with a memory limit.
@Suite(.mostlyWaits, .keepsInvariants) struct MemoryLimitTests {
    /// The password hash adds 19 MiB to the memory use of a login. Limits that are too low for the rest of a login are
    /// not tested, because Swift would end the process.
    @Test func `a local login that runs out of memory reports an internal error, not a server error`() throws {
        let world = Sandbox()
        try world.signUp("ada")
        let limits = try stride(from: 64_000, through: 24_000, by: -2000).filter { limit in
            let smaller = "ulimit -v \(limit - 4000)"
            return try world.start(["whoami", "--offline"], under: .shell(smaller)).wait().exitCode == 0
        }
        let runs = try limits.map { limit in
            try world.start(
                ["login", "ada", "--password-stdin", "--json"], input: .password, under: .shell("ulimit -v \(limit)")
            ).wait()
        }
        let failures = runs.filter { $0.exitCode == 1 }
        #expect(!failures.isEmpty, "\(runs.map(\.exitCode))")
        for failure in failures {
            let error = try failure.refusal(1, "internal")
            expect(error.string("message"), "cannot log in as 'ada': out of memory")
            expect(error.flag("retryable"), false)
        }
        #expect(runs.allSatisfy { [0, 1].contains($0.exitCode) }, "\(runs.map(\.exitCode))")
    }
}
