import Foundation
import TestSupport
import Testing

/// `exec` runs the command with the caller's environment, umask, limits and signal dispositions, plus the session.
@Suite struct ExecTests {
    private let world: Sandbox

    init() throws {
        world = try Sandbox()
        try world.signUp("ada")
    }

    @Test func `exec passes the session to the command, but no password`() throws {
        let finished = try world.run(
            "exec", "--set", "API=token", "--set", "URL=server", "--", "env",
            environment: [
                "AUTHCTL_PASSWORD": "hunter22", "AUTHCTL_NEW_PASSWORD": "hunter23", "URL": "https://old.example",
                "OTHER": "stays",
            ])
        let token = try world.token()
        let lines = Set(finished.stdout.split(separator: "\n").map(String.init))
        let expected: Set<String> = [
            "AUTHCTL_TOKEN=\(token)", "AUTHCTL_BACKEND=local", "AUTHCTL_USERNAME=ada", "API=\(token)", "OTHER=stays",
            "AUTHCTL_AUTH_HEADER=X-Parse-Session-Token: \(token)", "HOME=\(world.home)",
        ]
        #expect(lines.isSuperset(of: expected))
        #expect(lines.filter { $0.hasPrefix("AUTHCTL_") }.count == 4)
        #expect(!lines.contains { $0.hasPrefix("URL=") || $0.contains("hunter") })
        #expect(finished.stderr.isEmpty)
        #expect(finished.exitCode == 0)
    }

    @Test func `exec passes a session from AUTHCTL_TOKEN_FILE by value`() throws {
        let token = try world.token()
        try world.write("\(token)\n", to: "\(world.root)/token")
        let finished = try world.run(
            "exec", "--", "sh", "-c", "echo \"$AUTHCTL_TOKEN ${AUTHCTL_TOKEN_FILE-none}\"",
            environment: ["AUTHCTL_TOKEN_FILE": "\(world.root)/token", "AUTHCTL_BACKEND": "local"])
        #expect(finished.stdout == "\(token) none\n")
    }

    @Test func `authctl run by exec finds the session without its configuration folder`() throws {
        let finished = try world.run(
            "exec", "--", "env", "AUTHCTL_CONFIG_DIR=\(world.root)/elsewhere", BuiltBinary.path, "whoami")
        #expect(finished.stdout.hasPrefix("ada"))
        #expect(finished.exitCode == 0)
    }

    @Test(arguments: [0, 1, 2, 3, 12, 126, 127, 130, 255] as [Int32])
    func `exec ends with the exit code of the command`(code: Int32) throws {
        let finished = try world.run("exec", "--", "sh", "-c", "exit \(code)")
        #expect(finished.exitCode == code)
        #expect(finished.everything.isEmpty)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGPIPE, SIGXFSZ])
    func `a signal that kills the command of exec kills exec`(signal: Int32) throws {
        let finished = try world.run("exec", "--", "sh", "-c", "ulimit -c 0; kill -\(signal) $$")
        #expect(finished.signal == signal)
        #expect(finished.everything.isEmpty)
    }

    @Test func `exec replaces its own process and starts no other one`() throws {
        let program = try world.start(["exec", "--", "sh", "-c", "echo $$"])
        let process = program.process
        #expect(program.wait().stdout == "\(process)\n")
    }

    @Test(arguments: ["022", "077", "027", "000", "777"])
    func `exec keeps the caller's umask`(mask: String) throws {
        let finished = try world.run("exec", "--", "sh", "-c", "umask", under: .shell("umask \(mask)"))
        #expect(finished.stdout == "0\(mask)\n")
    }

    @Test(arguments: ["0", "64", "hard"])
    func `exec keeps the caller's core file limit`(limit: String) throws {
        let show = "ulimit -Sc; ulimit -Hc"
        let before = try world.runScript("ulimit -Sc \(limit); \(show)")
        let finished = try world.run("exec", "--", "bash", "-c", show, under: .shell("ulimit -Sc \(limit)"))
        #expect(finished.stdout == before.stdout)
        #expect(finished.exitCode == 0)
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `exec keeps the caller's signal dispositions`() throws {
        for lines in ["true", "trap '' PIPE", "trap '' XFSZ", "trap '' PIPE INT HUP TERM XFSZ"] {
            let show = ["/usr/bin/grep", "^Sig[BIC]", "/proc/self/status"]
            let before = try world.start([], under: .shell(lines), program: show).wait()
            let finished = try world.start(["exec", "--"] + show, under: .shell(lines)).wait()
            #expect(!before.stdout.isEmpty)
            #expect(finished.stdout == before.stdout, "\(lines)")
        }
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `exec leaves no descriptor open in the command`() throws {
        let count = ["/bin/bash", "-c", "ls /proc/self/fd | wc -l"]
        // Other tests run in parallel, and a child process can inherit their open descriptors.
        let alone = "for f in /proc/$$/fd/*; do n=${f##*/}; if [ $n -gt 2 ]; then eval \"exec $n>&-\"; fi; done"
        let before = try world.start([], under: .shell(alone), program: count).wait()
        #expect(try world.start(["exec", "--"] + count, under: .shell(alone)).wait().stdout == before.stdout)
    }

    @Test(
        arguments: [
            ("nowhere", 127, "no such file or directory"), ("/nowhere/x", 127, "no such file or directory"),
            ("", 127, "no such file or directory"), ("./plain", 126, "permission denied"),
            ("./folder", 126, "permission denied"), ("./plain/x", 126, "not a directory"),
        ] as [(String, Int32, String)])
    func `a command that cannot be run ends exec with 126 or 127`(name: String, code: Int32, words: String) throws {
        try world.write("echo never\n", to: "\(world.home)/plain")
        try FileManager.default.createDirectory(atPath: "\(world.home)/folder", withIntermediateDirectories: true)
        let text = try world.run("exec", "--", name)
        #expect(text.stdout.isEmpty)
        #expect(text.errorLines.first?.contains("'\(name)'") == true)
        #expect(text.exitCode == code)
        let json = try world.run("exec", "--json", "--", name)
        #expect(json.stdout.isEmpty)
        #expect(try json.error().number("exit") == Int(code))
        #expect(json.exitCode == code)
    }

    @Test(arguments: [
        (["printf", "%s", "--help"], "--help"),
        (["printf", "%s|", "-h", "--json", "--", "a b", "", "*"], "-h|--json|--|a b||*|"),
    ])
    func `exec passes each argument unchanged`(words: [String], stdout: String) throws {
        let finished = try world.start(["exec", "--"] + words).wait()
        #expect(finished.stdout == stdout)
        #expect(finished.exitCode == 0)
    }

    @Test func `exec leaves standard input to the command`() throws {
        #expect(try world.run("exec", "--", "cat", input: "what comes\nin").stdout == "what comes\nin")
    }

    @Test func `exec runs no command when not logged in`() throws {
        try world.run("logout")
        let finished = try world.run("exec", "--", "touch", "\(world.home)/ran")
        #expect(finished.exitCode == 3)
        #expect(!world.isThere("\(world.home)/ran"))
    }
}
