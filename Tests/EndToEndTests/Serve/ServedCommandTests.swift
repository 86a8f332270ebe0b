import Foundation
import TestSupport
import Testing

/// `serve -- COMMAND`: exit codes, signals, environment, and what stays behind.
@Suite(.mostlyWaits) struct ServedCommandTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.keepTemporaryFiles()
    }

    private func serve(_ words: String..., environment: [String: String?] = [:], input: Input = .nothing) throws
        -> Finished
    {
        try world.start(["serve", "--ephemeral"] + words, input: input, environment: environment).wait()
    }

    // MARK: - Environment

    @Test func `the command reaches the server, and its folders are private and deleted afterwards`() throws {
        let script = """
            stat -c %a "$AUTHCTL_CONFIG_DIR" && curl -s "$AUTHCTL_SERVER/health" && echo " $AUTHCTL_CONFIG_DIR"
            """
        let ended = try serve("--", "sh", "-c", script)
        let words = ended.stdout.split { $0.isWhitespace }
        try #require(words.count == 3)
        #expect(words[0] == "700" && words[1] == #"{"status":"ok"}"#)
        #expect(words[2].hasPrefix("\(world.root)/tmp/authctl-serve-"))
        #expect(ended.stderr.hasPrefix("authctl: serving local accounts at http://127.0.0.1:"))
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test func `the command gets the connection and the passwords, but no session, profile or key of the caller`()
        throws
    {
        let removed = [
            "AUTHCTL_TOKEN", "AUTHCTL_TOKEN_FILE", "AUTHCTL_AS", "AUTHCTL_PROFILE", "AUTHCTL_CLIENT_KEY_FILE",
            "AUTHCTL_MASTER_KEY_FILE",
        ]
        let kept = ["AUTHCTL_PASSWORD", "AUTHCTL_NEW_PASSWORD", "AUTHCTL_API_URL"]
        try world.write("rest-key\n", to: "\(world.home)/key")
        let ended = try serve(
            "--client-key-file", "\(world.home)/key", "--set", "PARSE_URL=url", "--", "env",
            environment: Dictionary(
                uniqueKeysWithValues: removed.map { ($0, "canary") } + kept.map { ($0, "http://127.0.0.1:9") }))
        let lines = ended.stdout.split(separator: "\n").map { String($0) }
        let names = Set(lines.filter { $0.hasPrefix("AUTHCTL_") }.map { $0.prefix { $0 != "=" } })
        #expect(
            names == [
                "AUTHCTL_BACKEND", "AUTHCTL_SERVER", "AUTHCTL_APP_ID", "AUTHCTL_CLIENT_KEY", "AUTHCTL_MAIL_DIR",
                "AUTHCTL_CONFIG_DIR", "AUTHCTL_PASSWORD", "AUTHCTL_NEW_PASSWORD", "AUTHCTL_API_URL",
            ])
        let url = try #require(lines.first { $0.hasPrefix("AUTHCTL_SERVER=") }).dropFirst("AUTHCTL_SERVER=".count)
        #expect(lines.contains("PARSE_URL=\(url)") && lines.contains("AUTHCTL_CLIENT_KEY=rest-key"))
        #expect(!ended.stdout.contains("canary"))
    }

    @Test func `an app logs in with Apple and Google by --test-identities, without a signature`() throws {
        // The JWT is `{"alg":"none"}` and `{"sub":"001.a.1","exp":1}`.
        let script = #"""
            send() {
              curl -s -w ' %{http_code}\n' -X "$1" -H "X-Parse-Application-Id: $AUTHCTL_APP_ID" \
                -H 'Content-Type: application/json' -H "X-Parse-Session-Token: $token" -d "$3" "$AUTHCTL_SERVER$2"
            }
            member() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
            apple='{"id":"001.a.1","token":"eyJhbGciOiJub25lIn0.eyJzdWIiOiIwMDEuYS4xIiwiZXhwIjoxfQ."}'
            send POST /users '{"authData":{"apple":'"$apple"'}}' | tail -c 4
            user=$(send POST /users '{"authData":{"apple":'"$apple"'}}')
            token=$(echo "$user" | member sessionToken)
            path=/users/$(echo "$user" | member objectId)
            send PUT "$path" '{"authData":{"google":{"id":"7","id_token":"{\"sub\":\"7\"}"}}}' | tail -c 4
            send PUT "$path" '{"authData":{"apple":null}}' | tail -c 4
            token=
            send POST /users '{"authData":{"google":{"code":"7"}}}' | grep -o '"authData":{"google":{"id":"7"}}\|200$'
            send POST /users '{"authData":{"google":{"id":"7","id_token":"opaque"}}}'
            """#
        let ended = try serve("--test-identities", "--", "sh", "-c", script)
        #expect(
            ended.stdout == """
                201
                200
                200
                "authData":{"google":{"id":"7"}}
                200
                {"code":101,"error":"id token is invalid for this user."} 404

                """)
        #expect(ended.stderr.contains("; test identities: no signature is verified; "))
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `the command has the caller's signal dispositions, umask and core limit`() throws {
        let show = ["/bin/bash", "-c", "grep '^Sig[BIC]' /proc/self/status; umask; ulimit -Sc; ulimit -Hc"]
        for lines in ["umask 027; ulimit -Sc 64", "trap '' PIPE INT HUP TERM XFSZ USR1"] {
            let before = try world.start([], under: .shell(lines), program: show).wait()
            let after = try world.start(["serve", "--ephemeral", "--"] + show, under: .shell(lines)).wait()
            #expect(!before.stdout.isEmpty)
            #expect(after.stdout == before.stdout, "\(lines)")
        }
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc and GNU env"))
    func `serve ends with its command if the caller blocks SIGCHLD, which the command then blocks, too`() throws {
        let under = ["/usr/bin/env", "--block-signal=CHLD,TERM"]
        let show = ["/bin/grep", "^SigBlk", "/proc/self/status"]
        let before = try world.start([], under: under, program: show).wait()
        let after = try world.start(["serve", "--ephemeral", "--"] + show, under: under).wait(atMost: .seconds(10))
        #expect(!before.stdout.isEmpty)
        #expect(after.stdout == before.stdout)
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `serve leaves no descriptor open in the command`() throws {
        let count = ["/bin/bash", "-c", "ls /proc/self/fd | wc -l"]
        let alone = "for f in /proc/$$/fd/*; do n=${f##*/}; if [ $n -gt 2 ]; then eval \"exec $n>&-\"; fi; done"
        let before = try world.start([], under: .shell(alone), program: count).wait()
        let after = try world.start(["serve", "--ephemeral", "--"] + count, under: .shell(alone)).wait()
        #expect(after.stdout == before.stdout)
    }

    @Test func `the command reads standard input, and all words after -- are its own`() throws {
        #expect(try serve("--", "cat", input: "what comes\nin").stdout == "what comes\nin")
        #expect(try serve("--", "printf", "%s|", "--", "-h", "--port", "a b", "").stdout == "--|-h|--port|a b||")
    }

    // MARK: - Ends

    @Test(arguments: [0, 1, 12, 126, 127, 255] as [Int32])
    func `serve ends with the exit code of the command`(code: Int32) throws {
        #expect(try serve("--", "sh", "-c", "exit \(code)").exitCode == code)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGKILL, SIGHUP])
    func `a signal that ends the command is its number and 128 in the exit code`(signal: Int32) throws {
        #expect(try serve("--", "sh", "-c", "kill -\(signal) $$").exitCode == 128 + signal)
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test(arguments: [("nowhere", 127), ("./plain", 126), ("./folder", 126)] as [(String, Int32)])
    func `a command that cannot be run leaves nothing behind`(name: String, code: Int32) throws {
        try world.write("echo never\n", to: "\(world.home)/plain")
        try FileManager.default.createDirectory(atPath: "\(world.home)/folder", withIntermediateDirectories: true)
        let ended = try serve("--json", "--", name)
        #expect(ended.exitCode == code && ended.stdout.isEmpty)
        let last = try #require(ended.errorLines.last)
        #expect(try JSONDocument(line: Data("\(last)\n".utf8)).object("error").number("exit") == Int(code))
        #expect(world.temporaryFolders.isEmpty && !world.isThere(world.dataFolder))
    }

    @Test func `a port that is in use is an error, and the command does not run`() throws {
        let server = try ServingProgram()
        let ended = try serve("--port", server.port, "--", "touch", "\(world.home)/ran")
        #expect(ended.exitCode == 2 && ended.stderr.contains(server.port))
        #expect(!world.isThere("\(world.home)/ran") && world.temporaryFolders.isEmpty)
    }

    // MARK: - Signals

    private static let waiting = "while :; do sleep 0.05; done"

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1])
    func `a signal to serve is passed on, and the command decides how it ends`(signal: Int32) throws {
        let trap = "trap 'echo stopped; exit 9' TERM INT HUP QUIT USR1; echo ready; \(Self.waiting)"
        let served = try ServedCommand(trap, in: world)
        served.program.send(signal)
        #expect(try served.rest() == "stopped\n")
        #expect(served.program.wait().exitCode == 9)
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test func `serve waits for a command that ignores SIGTERM`() throws {
        let served = try ServedCommand("trap '' TERM; echo ready; sleep 0.3; echo over", in: world)
        served.program.send(SIGTERM)
        #expect(try served.rest() == "over\n")
        #expect(served.program.wait().exitCode == 0)
    }

    @Test func `the interrupt key reaches the command once each time`() throws {
        let terminal = try PseudoTerminal()
        let trap = "trap 'n=$((n+1)); echo $n; test $n = 2 && exit 5' INT; echo ready; \(Self.waiting)"
        let served = try ServedCommand(trap, in: world, terminal: terminal)
        #expect(served.line == "ready")
        terminal.type("\u{3}")
        #expect(terminal.waitFor("^C"))
        // The second key must not be merged with the first.
        usleep(300_000)
        terminal.type("\u{3}")
        #expect(try served.rest() == "1\n2\n")
        #expect(served.program.wait().exitCode == 5)
    }

    @Test(.enabled(if: Host.hasProc, "SIGTERM after SIGKILL needs Linux"))
    func `a command whose serve is killed gets SIGTERM, and the next run deletes its folders`() throws {
        let served = try ServedCommand("trap 'echo stopped; exit' TERM; echo ready; \(Self.waiting)", in: world)
        served.program.send(SIGKILL)
        #expect(try served.rest() == "stopped\n")
        #expect(served.program.wait().signal == SIGKILL)
        #expect(world.temporaryFolders.count == 1)
        #expect(try serve("--", "true").exitCode == 0)
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test func `the folders of another run that is in progress stay`() throws {
        let served = try ServedCommand("echo ready; \(Self.waiting)", in: world)
        #expect(try serve("--", "true").exitCode == 0)
        #expect(world.temporaryFolders.count == 1)
        served.program.send(SIGTERM)
        served.program.wait()
        #expect(world.temporaryFolders.isEmpty)
    }

    @Test func `runs at the same time have ports and folders of their own`() throws {
        let script = """
            for i in $(seq 20); do "$A" serve --ephemeral -- sh -c 'echo "$AUTHCTL_SERVER $AUTHCTL_CONFIG_DIR"' & done
            wait
            """
        let lines = try world.runScript(script).stdout.split(separator: "\n")
        #expect(lines.count == 20)
        #expect(world.temporaryFolders.isEmpty)
    }

    // MARK: - Accounts

    @Test func `accounts of --ephemeral are in no file while the command runs`() throws {
        let script = """
            curl -s -o /dev/null -H 'X-Parse-Application-Id: local' -H 'Content-Type: application/json' \
                -d '{"username":"canary","password":"\(Sandbox.password)"}' "$AUTHCTL_SERVER/users"
            grep -rl canary "$HOME" "$TMPDIR"
            ls -A "$HOME"
            """
        let ended = try serve("--", "sh", "-c", script)
        #expect(ended.stdout.isEmpty && ended.exitCode == 0)
    }

    @Test func `the accounts of --seed can log in`() throws {
        let row = #"{"username":"ada","password":"\#(Sandbox.password)","id":"abc1","age":7}"#
        try world.write(row, to: "\(world.home)/users.ndjson")
        let script = """
            echo '\(Sandbox.password)' | "$A" login ada --password-stdin && "$A" whoami --json
            """
        let ended = try serve(
            "--seed", "\(world.home)/users.ndjson", "--", "sh", "-c", script, environment: ["A": BuiltBinary.path])
        let line = try #require(ended.stdout.split(separator: "\n").last)
        let user = try JSONDocument(line: Data("\(line)\n".utf8)).object("user")
        #expect(user.string("id") == "abc1")
        #expect(try user.object("fields").number("age") == 7)
        // The session was saved in the folder of the command.
        #expect(!world.isThere(world.configurationFolder))
    }

    @Test func `a bad row of --seed is named, and nothing is started or created`() throws {
        try world.write("username,password\nada,\(Sandbox.password)\nab,x\n", to: "\(world.home)/users.csv")
        let ended = try world.run(
            "serve", "--database", "\(world.home)/a.db", "--seed", "\(world.home)/users.csv", "--", "touch",
            "\(world.home)/ran")
        #expect(ended.exitCode == 7 && ended.stderr.contains("row 2 (line 3)"))
        #expect(!world.isThere("\(world.home)/ran") && !world.isThere("\(world.home)/a.db"))
    }

    @Test func `an account of --seed that exists is a conflict`() throws {
        try world.write("username,password\nada,\(Sandbox.password)\n", to: "\(world.home)/users.csv")
        let words = ["--database", "\(world.home)/a.db", "--seed", "\(world.home)/users.csv", "--", "true"]
        #expect(try world.start(["serve"] + words).wait().exitCode == 0)
        let second = try world.start(["serve"] + words).wait()
        #expect(second.exitCode == 6 && second.stderr.contains("row 1 (line 2): the username is already taken"))
    }

    @Test func `a script verifies an address without a browser`() throws {
        let script = """
            set -e
            echo '\(Sandbox.password)' | "$A" signup ada --email ada@example.org --password-stdin >/dev/null
            "$A" verify-email >/dev/null
            "$A" verify-email --key "$("$A" mail --to ada@example.org --for verification --wait 5 --link)"
            "$A" whoami --json
            """
        let ended = try serve("--", "sh", "-c", script, environment: ["A": BuiltBinary.path])
        #expect(ended.exitCode == 0)
        let line = try #require(ended.stdout.split(separator: "\n").last)
        #expect(try JSONDocument(line: Data("\(line)\n".utf8)).object("user").flag("emailVerified") == true)
    }

    @Test func `mail reads the e-mails of the backend local`() throws {
        let signUp = try world.run("signup", "ada", "--email", "ada@example.org", "--password-stdin", input: .password)
        #expect(signUp.exitCode == 0)
        #expect(try world.run("mail").exitCode == 7)
        #expect(try world.run("verify-email").exitCode == 0)
        let link = try world.run("mail", "--link").stdout.trimmingCharacters(in: .newlines)
        #expect(try world.run("verify-email", "--key", link).exitCode == 0)
    }
}
