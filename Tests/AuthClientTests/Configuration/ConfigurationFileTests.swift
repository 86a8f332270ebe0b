import AuthClient
import AuthModel
import CommandTestSupport
import Dispatch
import Platform
import Testing

@Suite struct ConfigurationFileTests {
    let folder: TestFolder
    let file: ConfigurationFile

    init() throws {
        folder = try TestFolder()
        file = ConfigurationFile(folder: PrivateFolder(path: folder.path("authctl"), home: nil))
    }

    @Test func `the configuration file is readable by its owner only`() throws {
        try change()
        #expect(try folder.mode("authctl/config.json") == "600")
        #expect(try folder.names(in: "authctl") == [".lock", "config.json"])
    }

    @Test func `a configuration file that others could read is reported once and its mode is fixed`() throws {
        try change()
        try folder.setMode("authctl/config.json", 0o644)
        #expect(try change())
        #expect(try folder.mode("authctl/config.json") == "600")
        #expect(try !change())
    }

    @Test func `a configuration file behind a link is written through the link`() throws {
        try folder.makeFolder("dotfiles")
        try folder.makeFolder("authctl")
        try folder.write("dotfiles/authctl.json", #"{"v":1,"profiles":{}}"#)
        try folder.link("authctl/config.json", to: "../dotfiles/authctl.json")
        try change()
        #expect(try folder.read("dotfiles/authctl.json").contains("\"ci\""))
        #expect(try file.load().profiles.map(\.name) == ["ci"])
        #expect(try folder.names(in: "dotfiles") == ["authctl.json"])
    }

    @Test func `concurrent changes through two links are all saved`() throws {
        try folder.makeFolder("dotfiles")
        try folder.write("dotfiles/config.json", #"{"v": 1}"#)
        let files = try ["one", "two"].map { name in
            try folder.makeFolder(name)
            try folder.link("\(name)/config.json", to: "../dotfiles/config.json")
            return ConfigurationFile(folder: PrivateFolder(path: folder.path(name), home: nil))
        }
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            // `try?`: a failed change shows as a missing profile.
            _ = try? files[number % 2].update { configuration throws(AuthError) in
                configuration["p\(number)"] = Profile(name: "p\(number)", settings: ["backend": "local"])
            }
        }
        #expect(try files[0].load().profiles.count == 40)
        #expect(try folder.names(in: "dotfiles") == ["config.json"])
    }

    @Test func `a configuration file behind a dangling link is rejected`() throws {
        try folder.makeFolder("authctl")
        try folder.link("authctl/config.json", to: "nowhere.json")
        let error = try #require(throws: AuthError.self) { try file.load() }
        #expect(error.reason == .unsafe)
    }

    @Test(arguments: [
        (#"{"v":1,}"#, AuthError.Reason.corrupt, "syntax error"), (#"{"v":7}"#, .newerVersion, "newer version"),
    ])
    func `a damaged configuration file is neither used nor changed`(
        content: String, reason: AuthError.Reason, situation: String
    ) throws {
        try folder.makeFolder("authctl")
        try folder.write("authctl/config.json", content)
        for attempt in [{ _ = try file.load() }, { try change() }] as [() throws -> Void] {
            let error = try #require(throws: AuthError.self) { try attempt() }
            #expect(error.reason == reason)
            error.expectMessage(in: "storage/configuration-file", situation, replacing: [folder.path: "/folder"])
        }
        #expect(try folder.read("authctl/config.json") == content)
    }

    @discardableResult
    private func change() throws -> Bool {
        try file.update { configuration throws(AuthError) in
            configuration["ci"] = Profile(name: "ci", settings: ["backend": "local"])
        }
    }
}
