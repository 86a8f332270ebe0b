import AuthClient
import CommandTestSupport

@testable import AuthctlCommands

@Suite struct ProfileRemoveCommandTests {
    let world = TestContext()

    @Test func `removing the current profile makes 'default' the current profile`() {
        world.configuration.put(profiles: "ci", current: "ci")
        world.run("profile", "remove", "ci").expectTranscript(in: "profile")
        expect(world.configuration.current, Configuration())
    }

    @Test func `removing a profile other than the current profile keeps the current profile`() {
        world.configuration.put(profiles: "ci", "live", current: "live")
        let removed = world.run("profile", "remove", "ci")
        expect(removed.stderr, "")
        expect(world.configuration.current.current, "live")
    }

    @Test func `profile remove keeps a profile with a session unless --force is given`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
        world.run("profile", "remove", "ci").expectTranscript(in: "profile", "without --force")
        #expect(world.configuration.current["ci"] != nil)
        world.run("profile", "remove", "ci", "--force").expectTranscript(in: "profile", "with --force")
        expect(world.sessions["ci"], nil)
        expect(world.configuration.current["ci"], nil)
    }

    @Test func `profile remove --force deletes a session that cannot be read`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
        world.sessions.fail(.read, with: AuthError(.corrupt, "damaged"))
        expect(world.run("profile", "remove", "ci").exitCode, 2)
        #expect(world.sessions["ci"] != nil)
        world.run("profile", "remove", "ci", "--force").expectTranscript(in: "profile")
        expect(world.sessions["ci"], nil)
        expect(world.configuration.current["ci"], nil)
    }

    @Test func `profile remove --force keeps the profile if its session cannot be deleted`() {
        world.configuration.put(profiles: "ci")
        world.sessions.put(.sample(profile: "ci"))
        world.sessions.fail(.remove, with: AuthError(.notWritten, "the folder cannot be written"))
        expect(world.run("profile", "remove", "ci", "--force").exitCode, 12)
        #expect(world.configuration.current["ci"] != nil)
    }
}
