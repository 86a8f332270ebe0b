import AuthModel
import Platform
import Testing

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
    func `the configuration folder comes from AUTHCTL_CONFIG_DIR, XDG_CONFIG_HOME or HOME`(
        variables: Variables, path: String
    ) throws {
        #expect(try Paths(environment: .fixed(variables)).configuration().path == path)
    }

    @Test(arguments: [
        (["HOME": "/home/ada"], "/home/ada/.local/share/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "/x"], "/x/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "../x"], "/home/ada/.local/share/authctl"),
        (["HOME": "/home/ada", "AUTHCTL_DATA_DIR": "/own"], "/own"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "/x", "AUTHCTL_CONFIG_DIR": "/y"], "/home/ada/.local/share/authctl"),
    ])
    func `the data folder comes from AUTHCTL_DATA_DIR, XDG_DATA_HOME or HOME`(variables: Variables, path: String) throws
    {
        #expect(try Paths(environment: .fixed(variables)).data().path == path)
    }

    @Test func `the home folder is known only if the path was derived from it`() throws {
        #expect(try Paths(environment: .fixed(["HOME": "/home/ada"])).configuration().rules.home == "/home/ada")
        let xdg: Variables = ["HOME": "/h", "XDG_CONFIG_HOME": "/x"]
        #expect(try Paths(environment: .fixed(xdg)).configuration().rules.home == nil)
    }

    @Test(arguments: [
        ([:], AuthError.Reason.unreadable, "no HOME"), (["HOME": ""], .unreadable, "empty HOME"),
        (["HOME": "ada"], .unreadable, "relative HOME"), (["HOME": "/a/../b"], .unsafe, "HOME with '..'"),
        (["AUTHCTL_DATA_DIR": "/own"], .unreadable, "no HOME, but AUTHCTL_DATA_DIR"),
        (["AUTHCTL_CONFIG_DIR": "conf"], .usage, "relative AUTHCTL_CONFIG_DIR"),
        (["AUTHCTL_CONFIG_DIR": "/"], .unsafe, "AUTHCTL_CONFIG_DIR is the root"),
        (["AUTHCTL_CONFIG_DIR": "/a/../b"], .unsafe, "AUTHCTL_CONFIG_DIR with '..'"),
        (["AUTHCTL_CONFIG_DIR": "/a\nb"], .unsafe, "AUTHCTL_CONFIG_DIR with a line break"),
        (["AUTHCTL_CONFIG_DIR": "/a\u{FFFD}"], .unsafe, "AUTHCTL_CONFIG_DIR that is not UTF-8"),
        (["XDG_CONFIG_HOME": "/.."], .unsafe, "XDG_CONFIG_HOME with '..'"),
    ])
    func `an unusable folder is rejected with its variable`(
        variables: Variables, reason: AuthError.Reason, situation: String
    ) throws {
        let error = try #require(throws: AuthError.self) { try Paths(environment: .fixed(variables)).configuration() }
        #expect(error.reason == reason)
        error.expectMessage(in: "use-cases/settings", situation, replacing: ["\n": #"\n"#])
    }
}
