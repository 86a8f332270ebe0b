import AuthClient
import AuthModel
import CommandTestSupport
import Testing

@testable import AuthctlCommands

@Suite struct ProfileUseCommandTests {
    @Test func `profile use sets the current profile, and -p overrides it`() {
        let world = TestContext()
        world.configuration.put(profiles: "ci")
        world.run("profile", "use", "ci").expectTranscript(in: "profile")
        #expect(world.run("whoami", "--json").stdout.contains(#""profile":"ci""#))
        #expect(world.run("whoami", "-p", "default", "--json").stdout.contains(#""profile":"default""#))
    }
}
