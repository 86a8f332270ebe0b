import Foundation
import TestSupport

/// Full disks, file size limits, and standard streams that are full, closed or broken.
@Suite(.mostlyWaits, .keepsStore) struct FullDiskTests {
    private let world = Sandbox()

    /// Runs a shell script in its own mount namespace.
    private func run(_ script: String) throws -> Finished {
        try world.start(
            [], environment: ["A": BuiltBinary.path],
            program: ["/usr/bin/unshare", "-m", "/bin/bash", "-c", script]
        ).wait()
    }

    /// The configuration folder is a file system of 64 KiB, which the script fills after a signup.
    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `a login on a full disk fails and keeps the saved session`() throws {
        let script = """
            mkdir -p ~/.config/authctl && chmod 700 ~/.config ~/.config/authctl
            mount -t tmpfs -o size=64k,mode=700 none ~/.config/authctl || exit 99
            "$A" signup ada --password-stdin <<<'\(Sandbox.password)' >/dev/null || exit 98
            cp ~/.config/authctl/sessions/default~~*.json ~/before
            cat /dev/zero >~/.config/authctl/filler 2>/dev/null
            "$A" login ada --password-stdin --json <<<'\(Sandbox.password)'
            code=$?
            cmp ~/before ~/.config/authctl/sessions/default~~*.json || exit 97
            ls -A ~/.config/authctl/sessions >~/names
            exit $code
            """
        let result = try run(script)
        expect(result.exitCode, 12)
        #expect(result.stdout.isEmpty)
        let error = try result.error()
        expect(error.string("reason"), "no-space")
        let message = error.string("message") ?? ""
        #expect(message.contains("/.config/authctl/sessions'"))
        try expect(world.sessionCount(), 1)
        try expect(world.text("\(world.home)/names"), ".lock\ndefault~~\(Sandbox.localHash).json\n")
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `a signup on a full disk fails with no-space, and whoami works before and after space is freed`() throws {
        let script = """
            mkdir -p ~/.local/share/authctl && chmod 700 ~/.local ~/.local/share ~/.local/share/authctl
            mount -t tmpfs -o size=256k,mode=700 none ~/.local/share/authctl || exit 99
            "$A" signup ada --password-stdin <<<'\(Sandbox.password)' >/dev/null || exit 98
            cat /dev/zero >~/.local/share/authctl/filler 2>/dev/null
            "$A" signup bob --password-stdin --json <<<'\(Sandbox.password)'
            code=$?
            "$A" signup bob --password-stdin <<<'\(Sandbox.password)' 2>~/message
            "$A" whoami >/dev/null || exit 96
            rm ~/.local/share/authctl/filler
            "$A" whoami >/dev/null 2>&1 || exit 97
            exit $code
            """
        let result = try run(script)
        expect(result.exitCode, 12)
        try expect(result.error().string("reason"), "no-space")
        #expect(try world.text("\(world.home)/message").contains("'\(world.database)'"))
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `users login on a full disk leaves whole browser states, and continues when there is space`() throws {
        let script = """
            mkdir ~/states && mount -t tmpfs -o size=24k,mode=700 none ~/states || exit 99
            "$A" users create --count 8 --name 'ci-{n}' --journal ~/j --credentials ~/c >/dev/null || exit 98
            log_in() { "$A" users login --credentials ~/c --storage-states ~/states --origin http://localhost:3000 --json; }
            log_in >~/first 2>~/errors
            code=$?
            ls -A ~/states | grep -v -E '^ci-[0-9]+[.]json$|^[.]tokens[.]ndjson$' && exit 97
            for file in ~/states/ci-*.json; do tail -c 2 $file | grep -q '}' || exit 96; done
            mount -o remount,size=1m ~/states
            log_in >~/second || exit 95
            ls ~/states >~/names
            exit $code
            """
        let result = try run(script)
        expect(result.exitCode, 12, "\(result.everything)")
        #expect(try world.text("\(world.home)/errors").contains("no-space"))
        let made = try world.text("\(world.home)/first").components(separatedBy: #""logged-in","username""#).count - 1
        #expect(made > 2 && made < 8, "\(made)")
        #expect(try world.text("\(world.home)/second").contains(#""logged-in":\#(8 - made),"skipped":\#(made)"#))
        try expect(world.text("\(world.home)/names").split(separator: "\n").count, 8)
    }

    @Test(.enabled(if: Host.canMount, "needs root and the right to mount"))
    func `serve responds with 507 to a signup on a full disk`() throws {
        let text = String(repeating: "x", count: 300_000)
        let body = #"{"username":"bob","password":"\#(Sandbox.password)","text":"\#(text)"}"#
        try world.write(body, to: "\(world.home)/body")
        let script = """
            mkdir -p ~/.local/share/authctl && chmod 700 ~/.local ~/.local/share ~/.local/share/authctl
            mount -t tmpfs -o size=256k,mode=700 none ~/.local/share/authctl || exit 99
            "$A" serve -- sh -c 'curl -s -w " %{http_code}" -H "X-Parse-Application-Id: local" \\
                -H "Content-Type: application/json" --data-binary "@$HOME/body" "$AUTHCTL_SERVER/users"'
            """
        try expect(run(script).stdout, #"{"code":1,"error":"the server has no space left on its disk"} 507"#)
    }

    @Test(.enabled(if: Host.hasUtilLinux, "needs prlimit, setpriv and setsid"))
    func `a command that exceeds the file size limit fails with no-space and keeps the saved files`() throws {
        try world.signUp("ada")
        let before = try world.bytes(world.sessionFile())
        // The limit also truncates the file that receives standard error, but `reason` is in the first 100 bytes.
        let under = ["/usr/bin/prlimit", "--fsize=100"]
        let long = String(repeating: "n", count: 64)
        for words in [["login", "ada", "--password-stdin"], ["profile", "add", long, "--backend", "local"]] {
            let result = try world.start(words + ["--json"], input: .password, under: under).wait()
            expect(result.exitCode, 12)
            #expect(result.stderr.contains(#""reason":"no-space""#))
        }
        try expect(world.bytes(world.sessionFile()), before)
        #expect(!world.isThere(world.configurationFile))
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"))
    func `a full or closed standard output is reported as an error`() throws {
        try world.signUp("ada")
        let device = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(device) }
        for (situation, output) in [("full device", device), ("closed", -1)] {
            for words in [["token"], ["whoami", "--json"], ["help"]] {
                let result = try world.start(words, output: output).wait()
                expect(result.exitCode, 12, "\(situation): \(words)")
                #expect(result.stderr.hasPrefix(words.contains("--json") ? "{" : "authctl: error: "))
                if words == ["token"] { result.expectTranscript(in: "output", situation, of: world) }
            }
        }
    }

    @Test func `a signup with closed standard streams does not write its messages into the database file`() throws {
        let under: [String] = .shell("exec <&- >&- 2>&-")
        try expect(
            world.run("signup", "ada", environment: ["AUTHCTL_PASSWORD": Sandbox.password], under: under).exitCode, 12)
        try expect(world.integer("SELECT count(*) FROM users"), 1)
        try expect(world.logIn("ada").exitCode, 0)
    }

    @Test(arguments: [["token"], ["--help"]])
    func `a broken pipe ends a command silently with SIGPIPE`(words: [String]) throws {
        try world.signUp("ada")
        // A socket, not a pipe: the read end of a pipe may stay open in a child process of another test, but the
        // shutdown of a socket applies to all processes.
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, streamSocket, 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(shutdown(ends[1], Int32(SHUT_WR)) == 0)
        let result = try world.start(words, output: ends[1]).wait()
        expect(result.signal, SIGPIPE)
        #expect(result.stderr.isEmpty)
    }

    @Test(.enabled(if: Host.hasFullDevice, "needs /dev/full"))
    func `an unwritable standard error does not change the exit code`() throws {
        try expect(world.run("token", under: .shell("exec 2>/dev/full")).exitCode, 3)
        try expect(world.run("token", under: .shell("exec 2>&-")).exitCode, 3)
    }
}
