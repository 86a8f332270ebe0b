import TestSupport

/// The fakes of services, compared with what the services answered.
@Suite(.mostlyWaits) struct FakeServerTests {
    @Test(arguments: ["firebase", "supabase"])
    func `a fake server answers the recorded requests as the real server did`(name: String) throws {
        let replay = try Sandbox().start([name], program: Servers.python("replay.py")).wait()
        expect(replay.exitCode, 0, "\(replay.stdout)\(replay.stderr)")
    }
}
