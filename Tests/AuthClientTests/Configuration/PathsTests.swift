import AuthModel
import Platform
import Testing

@testable import AuthClient

@Suite struct PathsTests {
    typealias Variables = [String: String]

    @Test(arguments: [
        (["HOME": "/home/ada"], "/home/ada/.config/authctl"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "/x"], "/x/authctl"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "x"], "/home/ada/.config/authctl"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": ""], "/home/ada/.config/authctl"),
        (["XDG_CONFIG_HOME": "/x", "AUTHCTL_CONFIG_DIR": "/own"], "/own"),
        (["HOME": "/home/ada", "AUTHCTL_CONFIG_DIR": ""], "/home/ada/.config/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "/x", "AUTHCTL_DATA_DIR": "/y"], "/home/ada/.config/authctl"),
    ])
    func `finds the configuration`(variables: Variables, path: String) throws {
        #expect(try Paths(environment: .fixed(variables)).configuration().path == path)
    }

    @Test(arguments: [
        (["HOME": "/home/ada"], "/home/ada/.local/share/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "/x"], "/x/authctl"),
        (["HOME": "/home/ada", "XDG_DATA_HOME": "../x"], "/home/ada/.local/share/authctl"),
        (["HOME": "/home/ada", "AUTHCTL_DATA_DIR": "/own"], "/own"),
        (["HOME": "/home/ada", "XDG_CONFIG_HOME": "/x", "AUTHCTL_CONFIG_DIR": "/y"], "/home/ada/.local/share/authctl"),
    ])
    func `finds the data`(variables: Variables, path: String) throws {
        #expect(try Paths(environment: .fixed(variables)).data().path == path)
    }

    @Test func `knows the home folder only where the path was derived from it`() throws {
        #expect(try Paths(environment: .fixed(["HOME": "/home/ada"])).configuration().home == "/home/ada")
        #expect(try Paths(environment: .fixed(["HOME": "/h", "XDG_CONFIG_HOME": "/x"])).configuration().home == nil)
    }

    @Test(arguments: [
        ([:], AuthError.Reason.unreadable, "HOME is not set"),
        (["HOME": ""], .unreadable, "HOME is not set"),
        (["HOME": "ada"], .unreadable, "HOME 'ada' is not an absolute path"),
        (["HOME": "/"], .unsafe, "'/' (from HOME)"),
        (["AUTHCTL_CONFIG_DIR": "conf"], .usage, "'conf' (from AUTHCTL_CONFIG_DIR)"),
        (["AUTHCTL_CONFIG_DIR": "/"], .unsafe, "'/' (from AUTHCTL_CONFIG_DIR)"),
        (["AUTHCTL_CONFIG_DIR": "/a/../b"], .unsafe, "'/a/../b' (from AUTHCTL_CONFIG_DIR)"),
        (["AUTHCTL_CONFIG_DIR": "/a\nb"], .unsafe, "from AUTHCTL_CONFIG_DIR"),
        (["AUTHCTL_CONFIG_DIR": "/a\u{FFFD}"], .unsafe, "from AUTHCTL_CONFIG_DIR"),
        (["XDG_CONFIG_HOME": "/.."], .unsafe, "'/..' (from XDG_CONFIG_HOME)"),
    ])
    func `refuses what is no place, naming the variable`(
        variables: Variables, reason: AuthError.Reason, text: String
    ) throws {
        let error = try #require(throws: AuthError.self) { try Paths(environment: .fixed(variables)).configuration() }
        #expect(error.reason == reason)
        #expect(error.message.contains(text))
    }
}
