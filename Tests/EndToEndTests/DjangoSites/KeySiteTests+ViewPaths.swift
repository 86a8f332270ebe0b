import TestSupport
import Testing

/// Profiles with a wrong URL or view path.
extension KeySiteTests {
    @Test(arguments: Family.restAuths, ["login", "login --facebook", "signup", "whoami"])
    func `a server URL without the API leads to a hint with an example`(family: Family, command: String) throws {
        let site = try DjangoSite(family)
        let wrong = site.server.url.replacing(/\/[a-z-]*$/, with: "/accounts/elsewhere")
        try site.world.run("profile", "add", "wrong", "--from", "site", "--server", wrong)
        let words =
            switch command {
            case "whoami": [] as [String]
            case "login --facebook": ["--token-stdin"]
            default: ["vic", "--password-stdin"]
            }
        let environment = command == "whoami" ? ["AUTHCTL_TOKEN": "0123456789abcdef"] : [:]
        let run = try site.world.start(
            command.split(separator: " ").map(String.init) + ["-p", "wrong", "--json"] + words,
            input: command == "login --facebook" ? "tok-ann" : .password, environment: environment
        ).wait()
        let error = run.output.isEmpty ? try run.error() : try run.document().object("error")
        #expect(run.exitCode == 8)
        #expect(error.string("reason") == "wrong-endpoint")
        let hint = error.string("hint") ?? ""
        #expect(hint.contains("/dj-rest-auth"))
        #expect(hint.hasSuffix("authctl profile set wrong server URL"))
    }

    @Test(arguments: Family.restAuths)
    func `a site without signup leads to a hint to registrationPath`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.world.run("profile", "set", "site", "registrationPath", "join/")
        let error = try site.signUp("wim", "--json").refusal(10, "unsupported")
        #expect(error.string("hint")?.hasSuffix("authctl profile set NAME registrationPath PATH") == true)
    }

    @Test(arguments: Family.restAuths)
    func `a view path without its final slash leads to a hint`(family: Family) throws {
        let site = try DjangoSite(family)
        try site.world.run("profile", "set", "site", "registrationPath", "registration")
        let error = try site.signUp("xia", "--json").refusal(8, "redirect")
        #expect(error.string("hint") != nil)
        #expect(try site.signUp("xia").exitCode == 8)
        try site.world.run("profile", "set", "site", "registrationPath", "registration/")
        #expect(try site.signUp("xia").exitCode == 0)
    }
}
