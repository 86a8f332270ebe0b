import AuthClient
import CommandTestSupport
import Dispatch
import Foundation
import Platform

@Suite struct ConfigurationFileTests {
    let folder = TestFolder()
    let file: ConfigurationFile
    let warnings = FileWarnings()

    init() throws {
        file = ConfigurationFile(folder: PrivateFolder(path: folder.path("authctl"), warnings.rules))
    }

    @Test func `the configuration file is readable by its owner only`() throws {
        try change()
        try expect(folder.mode("authctl/config.json"), "600")
        try expect(folder.names(in: "authctl"), [".lock", "config.json"])
    }

    @Test func `a configuration file that other users could read is reported once, and its mode is fixed`() throws {
        try change()
        try folder.setMode("authctl/config.json", 0o644)
        for _ in 1...2 { try change() }
        try expect(folder.mode("authctl/config.json"), "600")
        #expect(
            warnings.texts == [
                "other users could read '\(folder.path)/authctl/config.json'; its permissions are now fixed"
            ])
    }

    @Test func `a configuration file behind a symbolic link is written through the link`() throws {
        try folder.makeFolder("dotfiles")
        try folder.makeFolder("authctl")
        try folder.write("dotfiles/authctl.json", #"{"v":1,"profiles":{}}"#)
        try folder.link("authctl/config.json", to: "../dotfiles/authctl.json")
        try change()
        #expect(try folder.read("dotfiles/authctl.json").contains("\"ci0\""))
        try expect(file.load().profiles.map(\.name), ["ci0"])
        try expect(folder.names(in: "dotfiles"), ["authctl.json"])
    }

    @Test func `a dangling symbolic link in place of the configuration file is rejected`() throws {
        try folder.makeFolder("authctl")
        try folder.link("authctl/config.json", to: "nowhere.json")
        let error = try #require(throws: AuthError.self) { try file.load() }
        expect(error.reason, .unsafe)
    }

    @Test func `setting the current profile writes a separate file and leaves config.json unchanged`() throws {
        let text = #"{"v":1,"profiles":{"team":{"backend":"local"},"ci":{"backend":"local"}}}"#
        try folder.makeFolder("team")
        try folder.write("team/config.json", text)
        try folder.makeFolder("authctl")
        try folder.link("authctl/config.json", to: "../team/config.json")
        try choose("ci")
        try expect(file.load().current, "ci")
        try expect(folder.read("authctl/current"), "ci\n")
        try expect(folder.mode("authctl/current"), "600")
        try expect(folder.read("team/config.json"), text)
    }

    @Test func `the current profile can be set without a configuration file`() throws {
        try choose("default")
        try expect(folder.names(in: "authctl"), [".lock", "current"])
        try expect(file.load(), Configuration(current: "default"))
    }

    @Test(arguments: ["ci", "team"])
    func `removing a profile unsets the current profile only if the removed profile is current`(choice: String) throws {
        try choose(choice)
        try file.update { configuration throws(AuthError) in
            for name in ["ci", "team"] { configuration.put(Profile(name: name, settings: ["backend": "local"])) }
            configuration.remove("ci")
        }
        try expect(file.load().current, (choice == "ci" ? nil : choice))
        try expect(folder.names(in: "authctl").contains("current"), (choice == "team"))
    }

    @Test(arguments: [
        "", "\n", "../up\n", "a b c", "ci ", "ci -x\n", "ci\n\n", "ci\nteam\n", String(repeating: "a", count: 65),
    ])
    func `a damaged current-profile file is neither used nor overwritten`(content: String) throws {
        try choose("ci")
        try folder.write("authctl/current", content)
        for attempt in [{ _ = try file.load() }, { try choose("ci") }] as [() throws -> Void] {
            let error = try #require(throws: AuthError.self) { try attempt() }
            error.expectMessage(in: "storage/configuration-file", replacing: [folder.path: "/folder"])
        }
        try expect(folder.read("authctl/current"), content)
    }

    @Test func `a current-profile file behind a symbolic link is read and written through the link`() throws {
        try folder.makeFolder("authctl")
        try folder.write("other", "team\n")
        try folder.link("authctl/current", to: "../other")
        try expect(file.load().current, "team")
        try choose("ci")
        try expect(folder.read("other"), "ci\n")
        try expect(file.load().current, "ci")
    }

    @Test(arguments: [
        (#"{"v":1,}"#, "syntax error"), (#"{"v":7}"#, "newer version"),
    ])
    func `a configuration file with a syntax error or a newer file version is neither used nor changed`(
        content: String, situation: String
    ) throws {
        try folder.makeFolder("authctl")
        try folder.write("authctl/config.json", content)
        for attempt in [{ _ = try file.load() }, { try change() }] as [() throws -> Void] {
            let error = try #require(throws: AuthError.self) { try attempt() }
            error.expectMessage(in: "storage/configuration-file", situation, replacing: [folder.path: "/folder"])
        }
        try expect(folder.read("authctl/config.json"), content)
    }

    private func choose(_ name: String) throws {
        try file.update { configuration throws(AuthError) in configuration.current = name }
    }

    /// Adds a new profile with each call, because an update without a change writes nothing.
    private func change() throws {
        try file.update { configuration throws(AuthError) in
            let name = "ci\(configuration.profiles.count)"
            configuration.put(Profile(name: name, settings: ["backend": "local"]))
        }
    }
}
