import AuthModel
import Expectations

@testable import AuthctlCommands

@Suite struct HintRendererTests {
    private static let inForce: HintRenderer = {
        var globals = GlobalOptions()
        globals.profile = "ci"
        globals.server = "https://a.example/it's"
        globals.allowsHTTP = true
        return HintRenderer(globals, usesProfile: CommandRegistry.usesProfile)
    }()

    @Test func `a hint without a command is printed as a sentence`() {
        expect(Self.inForce.hint("try again later"), "try again later")
    }

    @Test func `a command in a hint repeats the current options, each word quoted for a shell`() {
        expect(
            Self.inForce.hint(NextStep("reset the password", run: ["password", "reset", "ada o'hara"])),
            #"reset the password: authctl password reset -p ci --server 'https://a.example/it'\''s' "#
                + #"--allow-http 'ada o'\''hara'"#)
    }

    @Test func `the options that a hint adds to a command are placed before --`() {
        let hints = HintRenderer(profile: "ci")
        expect(hints.commandLine(["login", "--", "-ada"]), "authctl login -p ci -- -ada")
    }

    @Test(arguments: [["profile", "set", "work", "server", "URL"], ["profile", "list"], ["serve"], ["help"]])
    func `a hint adds no options to a command that does not use the current profile`(command: [String]) {
        expect(Self.inForce.words(command), command)
    }

    @Test func `a hint adds no second -p to a command that already has a profile`() {
        #expect(
            Self.inForce.words(["logout", "-p", "work"])
                == ["logout", "--server", "https://a.example/it's", "--allow-http", "-p", "work"])
    }

    @Test(arguments: ["bob", ""])
    func `a command in a hint repeats --as, even with an empty session name, unless it has its own --as`(name: String) {
        var globals = GlobalOptions()
        globals.profile = "ci"
        globals.sessionName = name
        globals.backend = "local"
        let hints = HintRenderer(globals, usesProfile: CommandRegistry.usesProfile)
        expect(hints.words(["login", "ada"]), ["login", "-p", "ci", "--as", name, "--backend", "local", "ada"])
        #expect(
            hints.words(["whoami", "--as", "carl", "--backend", "local"])
                == ["whoami", "-p", "ci", "--as", "carl", "--backend", "local"])
    }

    @Test func `an empty session name in a hint is quoted`() {
        let hints = HintRenderer(profile: nil, sessionName: ["--as", ""])
        expect(hints.commandLine(["whoami"]), "authctl whoami --as ''")
    }

    @Test func `a hint adds the current options even to the short form of a command, such as 'sessions'`() {
        expect(HintRenderer(profile: "ci").words(["sessions"]), ["sessions", "-p", "ci"])
    }
}

extension HintRenderer {
    init(profile: String?, sessionName: [String] = []) {
        self.init(profile: profile, sessionName: sessionName, usesProfile: CommandRegistry.usesProfile)
    }
}
