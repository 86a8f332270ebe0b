import CommandTestSupport
import Foundation
import Platform

@testable import AuthClient

@Suite struct PathsTests {
    typealias Variables = [String: String]

    @Test(arguments: [
        (["HOME": "/home/ada"], "/home/ada/.config/authctl"),
        (["HOME": "/"], "/.config/authctl"), (["HOME": "//"], "/.config/authctl"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "/x"], "/x/authctl"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "x"], "/home/ada/.config/authctl"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": ""], "/home/ada/.config/authctl"),
        (["XDG_CONFIG_HOME": "/x", "AUTHCTL_CONFIG_DIR": "/own"], "/own"),
        (["HOME": "/home/ada", "AUTHCTL_CONFIG_DIR": ""], "/home/ada/.config/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "/x", "AUTHCTL_DATA_DIR": "/y"], "/home/ada/.config/authctl"),
    ])
    func `the configuration folder comes from AUTHCTL_CONFIG_DIR, else XDG_CONFIG_HOME, else HOME`(
        variables: Variables, path: String
    ) throws {
        try expect(Paths(environment: .fixed(variables)).configuration().path, path)
    }

    @Test(arguments: [
        (["HOME": "/home/ada"], "/home/ada/.local/share/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "/x"], "/x/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "../x"], "/home/ada/.local/share/authctl"),
        (["HOME": "/home/ada", "AUTHCTL_DATA_DIR": "/own"], "/own"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "/x", "AUTHCTL_CONFIG_DIR": "/y"], "/home/ada/.local/share/authctl"),
    ])
    func `the data folder comes from AUTHCTL_DATA_DIR, else XDG_DATA_HOME, else HOME`(
        variables: Variables, path: String
    ) throws {
        try expect(Paths(environment: .fixed(variables)).data().path, path)
    }

    @Test func `HOME must exist only if the configuration path comes from HOME`() throws {
        try expect(Paths(environment: .fixed(["HOME": "/home/ada/"])).configuration().rules.home, "/home/ada")
        let xdg: Variables = ["HOME": "/h", "XDG_CONFIG_HOME": "/x"]
        try expect(Paths(environment: .fixed(xdg)).configuration().rules.home, nil)
    }

    @Test func `the error about an unusable configuration folder names the missing or invalid variable`() throws {
        let variables: [Variables] = [
            [:], ["HOME": ""], ["HOME": "ada"], ["AUTHCTL_DATA_DIR": "/own"], ["AUTHCTL_CONFIG_DIR": "conf"],
            ["HOME": "/h\u{FFFD}"], ["AUTHCTL_CONFIG_DIR": "/c\t"], ["XDG_CONFIG_HOME": "/x\u{FFFD}"],
        ]
        let lines = try variables.map { variables in
            try failure { try Paths(environment: .fixed(variables)).configuration() }.snapshotLine
        }
        MessageFile("use-cases/settings").expect(lines.joined(separator: "\n"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a folder"))
    func `under sudo, another user's home is rejected unless AUTHCTL_CONFIG_DIR and AUTHCTL_DATA_DIR are set`() throws {
        let folder = TestFolder()
        try #require(chown(folder.path, 12345, 12345) == 0)
        let sudo = ["HOME": folder.path, "SUDO_UID": "12345"]
        func paths(_ variables: Variables) -> Paths { Paths(environment: .fixed(sudo.merging(variables) { $1 })) }
        for variables in [[:], ["XDG_CONFIG_HOME": folder.path("x")], ["AUTHCTL_CONFIG_DIR": folder.path("own")]] {
            let error = try #require(throws: AuthError.self) { try paths(variables).configuration() }
            error.expectMessage(in: "use-cases/settings", replacing: [folder.path: "/home/ada"])
        }
        let both = ["AUTHCTL_CONFIG_DIR": folder.path("own"), "AUTHCTL_DATA_DIR": folder.path("data")]
        for variables in [both, ["XDG_CONFIG_HOME": "/x"], ["HOME": "/root"], ["SUDO_UID": ""]] {
            #expect(throws: Never.self) { try paths(variables).configuration() }
        }
    }
}
