import Foundation
import TestSupport

/// `exec` runs the command with the caller's environment, umask, limits and signal dispositions. `exec` adds the
/// session to the environment and removes passwords.
@Suite(.mostlyWaits) struct ExecTests {
    private let world = Sandbox()

    init() throws {
        try world.signUp("ada")
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGPIPE, SIGXFSZ])
    func `exec is killed by the same signal as its command`(signal: Int32) throws {
        let finished = try world.run("exec", "--", "sh", "-c", "ulimit -c 0; kill -\(signal) $$")
        expect(finished.signal, signal)
        #expect(finished.everything.isEmpty)
    }

    @Test func `exec replaces its own process and starts no child process`() throws {
        let program = try world.start(["exec", "--", "sh", "-c", "echo $$"])
        let process = program.process
        expect(program.wait().stdout, "\(process)\n")
    }

    @Test func `exec passes the session but no password, and authctl run by exec uses that session`() throws {
        let finished = try world.run(
            "exec", "--set", "API=token", "--", "env", "AUTHCTL_CONFIG_DIR=\(world.root)/elsewhere", "sh", "-c",
            #"env; exec "$0" whoami"#, BuiltBinary.path,
            environment: ["AUTHCTL_PASSWORD": "hunter22", "AUTHCTL_NEW_PASSWORD": "hunter23", "OTHER": "stays"])
        let token = try world.token()
        let lines = finished.stdout.split(separator: "\n").map(String.init)
        let expected: Set<String> = [
            "AUTHCTL_TOKEN=\(token)", "AUTHCTL_BACKEND=local", "AUTHCTL_USERNAME=ada", "API=\(token)", "OTHER=stays",
            "AUTHCTL_AUTH_HEADER=X-Parse-Session-Token: \(token)", "HOME=\(world.home)",
        ]
        #expect(Set(lines).isSuperset(of: expected))
        #expect(!lines.contains { $0.contains("hunter") })
        #expect(lines.contains { $0.hasPrefix("ada ") })
        expect(finished.exitCode, 0)
    }

    @Test func `exec passes arguments and standard input unchanged and returns the command's exit code`() throws {
        let script = "printf '%s|' \"$@\"; cat; exit 130"
        let finished = try world.run(
            "exec", "--", "sh", "-c", script, "sh", "-h", "--json", "--", "a b", "", "*", input: "what comes\nin")
        expect(finished.stdout, "-h|--json|--|a b||*|what comes\nin")
        expect(finished.exitCode, 130)
    }

    @Test(arguments: ["exec", "serve --ephemeral"])
    func `a command gets its arguments byte for byte, even if they are not UTF-8`(words: String) throws {
        let finished = try world.runScript(#""$A" \#(words) -- printf '%s|' $'caf\xe9' "" é"#)
        expect(Array(finished.output), Array("caf".utf8) + [0xE9] + Array("||é|".utf8))
    }

    @Test(.enabled(if: Host.hasProc, "needs /proc"))
    func `exec passes umask, core limit and signal dispositions to its command and leaks no file descriptor`() throws {
        // Close the descriptors of other tests, which a child process inherits if the kernel lacks close_range.
        let alone = "for f in /proc/$$/fd/*; do n=${f##*/}; if [ $n -gt 2 ]; then eval \"exec $n>&-\"; fi; done"
        let show = [
            "/bin/bash", "-c",
            "grep '^Sig[BIC]' /proc/self/status; umask; ulimit -Sc; ulimit -Hc; ls /proc/self/fd | wc -l",
        ]
        for lines in ["umask 027; ulimit -Sc 64", "umask 777; trap '' XFSZ", "trap '' PIPE INT HUP TERM XFSZ"] {
            let before = try world.start([], under: .shell("\(alone)\n\(lines)"), program: show).wait()
            let finished = try world.start(["exec", "--"] + show, under: .shell("\(alone)\n\(lines)")).wait()
            #expect(!before.stdout.isEmpty)
            expect(finished.stdout, before.stdout, "\(lines)")
        }
    }

    @Test(arguments: [("nowhere", 127), ("./plain", 126), ("./folder", 126), ("./plain/x", 126)] as [(String, Int32)])
    func `exec exits with 127 if the command is not found, and with 126 if it cannot be executed`(
        name: String, code: Int32
    ) throws {
        try world.write("echo never\n", to: "\(world.home)/plain")
        try FileManager.default.createDirectory(atPath: "\(world.home)/folder", withIntermediateDirectories: true)
        let finished = try world.run("exec", "--json", "--", name)
        #expect(finished.stdout.isEmpty)
        try expect(finished.error().number("exit"), Int(code))
        expect(finished.exitCode, code)
    }
}
