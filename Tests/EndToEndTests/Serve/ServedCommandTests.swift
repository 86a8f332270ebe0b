import Foundation
import TestSupport

/// `serve -- COMMAND`: environment, exit codes, signals, leftover files and accounts.
@Suite(.mostlyWaits) struct ServedCommandTests {
    private let world = Sandbox()

    init() throws {
        try world.keepTemporaryFiles()
    }

    private func serve(_ words: String..., environment: [String: String?] = [:], input: Input = .nothing) throws
        -> Finished
    {
        try world.start(["serve", "--ephemeral"] + words, input: input, environment: environment).wait()
    }

    // MARK: - Environment

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `serve -- COMMAND passes umask, core limit, signal dispositions and standard input to the command`() throws {
        // Close the descriptors of other tests: a child process inherits them if the kernel lacks close_range.
        let alone = "for f in /proc/$$/fd/*; do n=${f##*/}; if [ $n -gt 2 ]; then eval \"exec $n>&-\"; fi; done"
        let show = [
            "/bin/bash", "-c",
            "cat; grep '^Sig[BIC]' /proc/self/status; umask; ulimit -Sc; ulimit -Hc; ls /proc/self/fd | wc -l",
        ]
        for lines in ["umask 027; ulimit -Sc 64", "trap '' PIPE INT HUP TERM XFSZ USR1"] {
            let under: [String] = .shell("\(alone)\n\(lines)")
            let before = try world.start([], input: "some\ntext", under: under, program: show).wait()
            let after = try world.start(["serve", "--ephemeral", "--"] + show, input: "some\ntext", under: under).wait()
            #expect(before.stdout.hasPrefix("some\ntext"))
            expect(after.stdout, before.stdout, "\(lines)")
        }
    }

    @Test func `serve -- COMMAND passes its URL and a private configuration folder, not the caller's session`() throws {
        let script = """
            stat -c %a "$AUTHCTL_CONFIG_DIR" && curl -s "$AUTHCTL_SERVER/health" && echo " $AUTHCTL_CONFIG_DIR"
            echo "${AUTHCTL_TOKEN-}${AUTHCTL_AS-}${AUTHCTL_PROFILE-} $AUTHCTL_PASSWORD"
            """
        let removed = ["AUTHCTL_TOKEN": "canary", "AUTHCTL_AS": "canary", "AUTHCTL_PROFILE": "canary"]
        let ended = try serve(
            "--", "sh", "-c", script, environment: removed.merging(["AUTHCTL_PASSWORD": "kept"]) { $1 })
        let words = ended.stdout.split { $0.isWhitespace }
        try #require(words.count == 4)
        #expect(words[0] == "700" && words[1] == #"{"status":"ok"}"# && words[3] == "kept")
        #expect(words[2].hasPrefix("\(world.root)/tmp/authctl-serve-"))
        #expect(ended.stderr.hasPrefix("authctl: serving local accounts at http://127.0.0.1:"))
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc and GNU env"))
    func `serve -- COMMAND ends when the command ends, even if the caller blocks SIGCHLD`() throws {
        let under = ["/usr/bin/env", "--block-signal=CHLD,TERM"]
        let show = ["/bin/grep", "^SigBlk", "/proc/self/status"]
        let before = try world.start([], under: under, program: show).wait()
        let after = try world.start(["serve", "--ephemeral", "--"] + show, under: under).wait(atMost: .seconds(10))
        #expect(!before.stdout.isEmpty)
        expect(after.stdout, before.stdout)
    }

    // MARK: - Ends

    @Test(arguments: [SIGTERM, SIGINT, SIGKILL, SIGHUP])
    func `serve -- COMMAND exits with 128 plus the number of the signal that killed the command`(signal: Int32) throws {
        try expect(serve("--", "sh", "-c", "kill -\(signal) $$").exitCode, 128 + signal)
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test(arguments: [("nowhere", 127), ("./plain", 126), ("./folder", 126)] as [(String, Int32)])
    func `serve -- COMMAND deletes its temporary folders if COMMAND cannot be run`(name: String, code: Int32) throws {
        try world.write("echo never\n", to: "\(world.home)/plain")
        try FileManager.default.createDirectory(atPath: "\(world.home)/folder", withIntermediateDirectories: true)
        let ended = try serve("--json", "--", name)
        #expect(ended.exitCode == code && ended.stdout.isEmpty)
        let last = try #require(ended.errorLines.last)
        try expect(JSONDocument(line: Data("\(last)\n".utf8)).object("error").number("exit"), Int(code))
        #expect(world.temporaryFolders.isEmpty && !world.isThere(world.dataFolder))
    }

    // MARK: - Signals

    private static let waiting = "while :; do sleep 0.05; done"

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1])
    func `serve -- COMMAND forwards a signal and exits with the exit code of the command`(signal: Int32) throws {
        let trap = "trap 'echo stopped; exit 9' TERM INT HUP QUIT USR1; echo ready; \(Self.waiting)"
        let served = try ServedCommand(trap, in: world)
        served.program.send(signal)
        try expect(served.rest(), "stopped\n")
        expect(served.program.wait().exitCode, 9)
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test func `serve -- COMMAND waits for a command that ignores SIGTERM`() throws {
        let served = try ServedCommand("trap '' TERM; echo ready; sleep 0.3; echo over", in: world)
        served.program.send(SIGTERM)
        try expect(served.rest(), "over\n")
        expect(served.program.wait().exitCode, 0)
    }

    @Test func `serve -- COMMAND delivers each Ctrl-C to the command once`() throws {
        let terminal = PseudoTerminal()
        let trap = "trap 'n=$((n+1)); echo $n; test $n = 2 && exit 5' INT; echo ready; \(Self.waiting)"
        let served = try ServedCommand(trap, in: world, terminal: terminal)
        expect(served.line, "ready")
        terminal.type("\u{3}")
        #expect(terminal.waitFor("^C"))
        // Without the pause, the second SIGINT could merge with the first, which may still be pending.
        usleep(300_000)
        terminal.type("\u{3}")
        try expect(served.rest(), "1\n2\n")
        expect(served.program.wait().exitCode, 5)
    }

    @Test(.enabled(if: Host.hasProc, "SIGTERM after SIGKILL needs Linux"))
    func `the command of a killed serve receives SIGTERM, and the next serve deletes the stale folders`() throws {
        let served = try ServedCommand("trap 'echo stopped; exit' TERM; echo ready; \(Self.waiting)", in: world)
        served.program.send(SIGKILL)
        try expect(served.rest(), "stopped\n")
        expect(served.program.wait().signal, SIGKILL)
        expect(world.temporaryFolders.count, 1)
        try expect(serve("--", "true").exitCode, 0)
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test func `serve -- COMMAND keeps the temporary folders of another running serve`() throws {
        let served = try ServedCommand("echo ready; \(Self.waiting)", in: world)
        try expect(serve("--", "true").exitCode, 0)
        expect(world.temporaryFolders.count, 1)
        served.program.send(SIGTERM)
        served.program.wait()
        #expect(world.temporaryFolders.isEmpty)
    }

    // MARK: - Accounts

    @Test func `serve --ephemeral writes no account to a file`() throws {
        let script = """
            curl -s -o /dev/null -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
                -d '{"username":"canary","password":"\(Sandbox.password)"}' "$AUTHCTL_SERVER/users"
            grep -rl canary "$HOME" "$TMPDIR"
            ls -A "$HOME"
            """
        let ended = try serve("--", "sh", "-c", script)
        #expect(ended.stdout.isEmpty && ended.exitCode == 0)
    }

    @Test func `serve --test-identities accepts an unsigned ID token`() throws {
        // The JWT has the header `{"alg":"none"}` and the payload `{"sub":"001.a.1","exp":1}`.
        let script = #"""
            curl -s -o /dev/null -w '%{http_code}' -H "X-Parse-Application-Id: $AUTHCTL_APP_ID" \
              -H 'Content-Type: application/json' "$AUTHCTL_SERVER/users" \
              -d '{"authData":{"apple":{"id":"001.a.1","token":"eyJhbGciOiJub25lIn0.eyJzdWIiOiIwMDEuYS4xIiwiZXhwIjoxfQ."}}}'
            """#
        let ended = try serve("--test-identities", "--", "sh", "-c", script)
        expect(ended.stdout, "201")
        #expect(ended.stderr.contains("; test identities: no signature is verified; "))
        try expect(serve("--", "sh", "-c", script).stdout, "400")
    }

    @Test func `serve --seed creates accounts that can log in and rejects an account that already exists`() throws {
        let row = #"{"username":"ada","password":"\#(Sandbox.password)","id":"abc1","age":7}"#
        try world.write(row, to: "\(world.home)/users.ndjson")
        let words = ["--database", "\(world.home)/a.db", "--seed", "\(world.home)/users.ndjson", "--"]
        let script = "\"$A\" login ada --password-stdin >/dev/null && \"$A\" whoami --json"
        let first = try world.start(
            ["serve"] + words + ["sh", "-c", script], input: .password, environment: ["A": BuiltBinary.path]
        ).wait()
        let user = try first.document().object("user")
        expect(user.string("id"), "abc1")
        try expect(user.object("fields").number("age"), 7)
        // COMMAND saved its session in a temporary configuration folder.
        #expect(!world.isThere(world.configurationFolder))
        let second = try world.start(["serve"] + words + ["touch", "\(world.home)/ran"]).wait()
        #expect(second.exitCode == 6 && second.stderr.contains("row 1 (line 1): the username is already taken"))
        #expect(!world.isThere("\(world.home)/ran"))
    }

    @Test func `a script in serve -- COMMAND verifies an e-mail address without a browser`() throws {
        let script = """
            set -e
            echo '\(Sandbox.password)' | "$A" signup ada --email ada@example.org --password-stdin >/dev/null
            "$A" verify-email >/dev/null
            "$A" verify-email --key "$("$A" mail --to ada@example.org --for verification --wait 5 --link)"
            "$A" whoami --json
            """
        let ended = try serve("--", "sh", "-c", script, environment: ["A": BuiltBinary.path])
        expect(ended.exitCode, 0)
        let line = try #require(ended.stdout.split(separator: "\n").last)
        try expect(JSONDocument(line: Data("\(line)\n".utf8)).object("user").flag("emailVerified"), true)
    }
}
