import Foundation
import TestSupport
import Testing

/// Of files on this machine.
@Suite struct FileErrorMessageTests: ErrorMessages {
    let world: Sandbox

    init() throws {
        world = try Sandbox()
    }

    @Test func `a session file that others can change`() throws {
        try world.signUp("ada")
        chmod(world.sessionFile(), 0o666)
        try expect(
            12,
            """
            authctl: error: '/sandbox/home/.config/authctl/sessions/default.json' can be changed by other users
            authctl: hint: run: chmod go-w /sandbox/home/.config/authctl/sessions/default.json

            """,
            of: ["whoami"])
    }

    @Test func `a session file that is damaged`() throws {
        try world.signUp("ada")
        try world.write(Array(try world.bytes(world.sessionFile()).prefix(100)), to: world.sessionFile())
        try expect(
            12,
            """
            authctl: error: '/sandbox/home/.config/authctl/sessions/default.json' is cut off at byte 100
            authctl: hint: move it away, then log in again: mv /sandbox/home/.config/authctl/sessions/default.json /sandbox/home/.config/authctl/sessions/default.json.bad

            """,
            of: ["whoami"])
    }

    @Test func `a configuration with a comma too many`() throws {
        try world.write("{\"v\": 1,\n \"profiles\": {,}}\n", to: world.configurationFile)
        try expect(
            12,
            """
            authctl: error: '/sandbox/home/.config/authctl/config.json' is no configuration: '"' was expected (line 2, column 15)
            authctl: hint: fix it in an editor, or move it away: mv /sandbox/home/.config/authctl/config.json /sandbox/home/.config/authctl/config.json.bad

            """,
            of: ["whoami"])
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `a disk that is full`() throws {
        let script = """
            mkdir -p ~/.config ~/.local/share/authctl && chmod 700 ~/.config ~/.local/share/authctl
            mount -t tmpfs -o size=64k,mode=700 none ~/.local/share/authctl || exit 99
            cat /dev/zero >~/.local/share/authctl/filler 2>/dev/null
            exec "$A" signup ada --password-stdin <<<'\(Sandbox.password)'
            """
        let result = try world.start(
            [], environment: ["A": BuiltBinary.path],
            program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
        ).wait()
        #expect(result.exitCode == 12)
        #expect(
            result.stderr.replacing(world.root, with: "/sandbox") == """
                authctl: error: cannot create account 'ada': cannot write the account database \
                '/sandbox/home/.local/share/authctl/local.db': no space left
                authctl: hint: free some space and try again

                """)
    }

    @Test func `a home folder that cannot be written to`() throws {
        world.set("HOME", to: "/nowhere")
        try expect(
            12,
            """
            authctl: error: there is no home folder '/nowhere'
            authctl: hint: set HOME, or AUTHCTL_CONFIG_DIR

            """,
            of: ["signup", "ada", "--password-stdin"])
    }
}
