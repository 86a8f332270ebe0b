import TestSupport

/// `doctor` reports each broken setup with the name of its check, the exit code of the error and a next step.
@Suite(.mostlyWaits) struct DoctorTests {
    struct SetUp: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Shell lines that break a working setup. In `setUps`, a user is logged in to local accounts: `C` is the
        /// configuration folder, `D` the data folder, `S` the session file. In `served`, `doctor` uses the backend
        /// `B`, the server URL `S`, the application id `I` and the token `T`; `URL` is the URL of the running server.
        let script: String
        let check: String
        let exitCode: Int32
        let hint: String

        init(_ name: String, _ script: String, _ check: String, _ exitCode: Int32, hint: String) {
            (testDescription, self.script, self.check, self.exitCode, self.hint) = (name, script, check, exitCode, hint)
        }
    }

    private static let setUps = [
        SetUp("configuration is not JSON", "echo { > $C/config.json", "configuration.file", 12, hint: "mv "),
        SetUp(
            "configuration of a newer version", #"echo '{"v":99}' > $C/config.json"#, "configuration.file", 12,
            hint: "update authctl"),
        SetUp(
            "others can change the configuration", "echo {} > $C/config.json; chmod 666 $C/config.json",
            "configuration.file", 12, hint: "chmod "),
        SetUp("others can change the folder", "chmod 777 $C", "configuration.file", 12, hint: "chmod go-w"),
        SetUp("the folder is a file", "rm -r $C; echo > $C", "configuration.file", 12, hint: "AUTHCTL_CONFIG_DIR"),
        SetUp("a dangling link", "rm -r $C; ln -s /nowhere/x $C", "configuration.file", 12, hint: "remove the link"),
        SetUp("a link to itself", "rm -r $C; ln -s $C $C", "configuration.file", 12, hint: "check the file"),
        SetUp("a damaged choice of the profile", "echo 'a b c' > $C/current", "configuration.file", 12, hint: "rm "),
        SetUp("others can change the data", "chmod 777 $D", "data.folder", 12, hint: "chmod go-w"),
        SetUp("HOME is unset", "unset HOME", "configuration.file", 12, hint: "AUTHCTL_CONFIG_DIR"),
        SetUp("HOME is relative", "HOME=home", "configuration.file", 12, hint: "AUTHCTL_CONFIG_DIR"),
        SetUp("a relative folder variable", "export AUTHCTL_CONFIG_DIR=x", "configuration.file", 2, hint: "unset"),
        SetUp("a corrupt session", "echo x > $S", "sessions.readable", 12, hint: "mv "),
        SetUp("a linked session", "mv $S $HOME/s; ln -s $HOME/s $S", "sessions.readable", 12, hint: "ls -ld"),
        SetUp("others can change the session", "chmod 666 $S", "sessions.readable", 12, hint: "chmod "),
        SetUp("a held lock", "exec 9<> $C/.lock; flock -n 9", "files.lock", 12, hint: "stop that process"),
        SetUp("a corrupt database", "echo nonsense > $D/local.db", "data.accounts", 12, hint: "backup"),
        SetUp(
            "a corrupt database, logged out", "rm $S; echo nonsense > $D/local.db", "data.accounts", 12, hint: "backup"),
        SetUp("a lost database", "rm $D/local.db*", "data.accounts", 12, hint: "restore"),
        SetUp(
            "a revoked session", #"cp -r $C $HOME/c; AUTHCTL_CONFIG_DIR=$HOME/c "$A" logout -q"#, "session.valid", 4,
            hint: "log in"),
        SetUp("an unknown profile", "export AUTHCTL_PROFILE=nope", "profile.settings", 2, hint: "profile list"),
        SetUp("a missing server", "export AUTHCTL_BACKEND=parse", "profile.settings", 2, hint: "--server"),
        SetUp("an unknown backend", "export AUTHCTL_BACKEND=ftp", "profile.settings", 2, hint: "'local'"),
        SetUp(
            "plain http", "export AUTHCTL_BACKEND=allauth AUTHCTL_SERVER=http://shop.example", "profile.settings", 2,
            hint: "https"),
        SetUp("two tokens", "export AUTHCTL_TOKEN=a AUTHCTL_TOKEN_FILE=b", "session", 2, hint: "unset"),
        SetUp("a missing token file", "export AUTHCTL_TOKEN_FILE=/nowhere", "session", 2, hint: "unset"),
        SetUp(
            "a missing client key",
            "export AUTHCTL_BACKEND=parse AUTHCTL_SERVER=https://a.example AUTHCTL_APP_ID=i AUTHCTL_CLIENT_KEY_FILE=/nowhere",
            "profile.settings", 2, hint: "unset"),
        SetUp("an overriding variable", "export AUTHCTL_AS=bob", "environment", 0, hint: "unset AUTHCTL_AS"),
        SetUp(
            "another connection", "export AUTHCTL_BACKEND=allauth AUTHCTL_SERVER=https://a.example", "session", 0,
            hint: "log in here"),
        SetUp("a proxy", "export HTTPS_PROXY=http://proxy.example", "network.settings", 0, hint: "NO_PROXY"),
        SetUp("a file without authorities", "export AUTHCTL_CA_CERT=/etc/hostname", "network.settings", 2, hint: "PEM"),
        SetUp("an invalid time limit", "export AUTHCTL_TIMEOUT=soon", "network.settings", 2, hint: "30"),
    ]

    @Test(arguments: setUps)
    func `doctor reports a broken setup with the name of the check, an exit code and a hint`(setUp: SetUp) throws {
        let world = Sandbox()
        _ = try world.signUp("ada")
        let before = world.snapshot()
        let finished = try world.runScript(
            """
            C=$HOME/.config/authctl D=$HOME/.local/share/authctl; S=$(echo $C/sessions/*.json)
            \(setUp.script)
            "$A" doctor --json; echo $? >&2
            """)
        try expect(setUp, in: finished)
        if setUp.script.hasPrefix("export") { #expect(world.snapshot() == before) }
    }

    @Test func `doctor waits for a lock that another process holds for a moment`() throws {
        let world = Sandbox()
        _ = try world.signUp("ada")
        let finished = try world.runScript(
            """
            exec 9<> $HOME/.config/authctl/.lock; flock -n 9; (sleep 0.2; flock -u 9) & "$A" doctor -v 9>&-
            """)
        #expect(finished.everything.contains("ok       files.lock"), "\(finished.everything)")
    }

    private func expect(_ setUp: SetUp, in finished: Finished) throws {
        let report = try JSONDocument(line: finished.output)
        let finding = try #require(
            try report.objects("findings").first { $0.string("level") != "ok" && $0.string("check") == setUp.check },
            "\(finished.everything)")
        let isError = finding.string("level") == "error"
        #expect(isError == (setUp.exitCode != 0))
        #expect(report.flag("ok") == !isError)
        #expect(finished.stderr.hasSuffix("\(setUp.exitCode)\n"), "\(finished.everything)")
        #expect(finding.string("hint")?.contains(setUp.hint) == true, "\(finished.everything)")
        #expect(finding.string("message")?.isEmpty == false)
    }

    @Test func `doctor works even if every file is damaged, and prints no secret`() throws {
        let world = Sandbox()
        _ = try world.signUp("ada")
        let finished = try world.runScript(
            """
            cd $HOME; for F in .config/authctl/sessions/*.json .local/share/authctl/local.db; do echo hunter22 > $F; done
            echo '{"v":1,"hunter22"' > .config/authctl/config.json; echo hunter22 . > .config/authctl/current
            export AUTHCTL_TOKEN=hunter22 AUTHCTL_CLIENT_KEY=hunter22 AUTHCTL_TIMEOUT=x
            export HTTPS_PROXY=http://u:hunter22@a.example
            "$A" doctor --network --json
            """)
        let findings = try JSONDocument(line: finished.output).objects("findings")
        let checks = findings.filter { $0.string("level") == "error" }.map { $0.string("check") }
        #expect(Set(["configuration.file", "sessions.readable", "network.settings"]).isSubset(of: checks), "\(checks)")
        #expect(finished.exitCode == 12 && !finished.everything.contains("hunter22"))
    }

    private static let served = [
        SetUp("a closed port", "S=http://127.0.0.1:1/parse", "server.reachable", 8, hint: "is running"),
        SetUp("another path", "S=${URL%/parse}", "server.kind", 8, hint: "--server"),
        SetUp("another kind", "B=allauth", "server.kind", 8, hint: "--backend parse"),
        SetUp("another application", "I=shop", "server.application", 5, hint: "--client-key-file"),
        SetUp("a revoked session", "T=r:0123456789abcdef0123456789abcdef", "session.valid", 4, hint: "AUTHCTL_TOKEN"),
    ]

    @Test(arguments: served)
    func `doctor --network reports a problem with the server`(setUp: SetUp) throws {
        let server = try ServingProgram()
        let token = try #require(try server.signUp().token)
        let finished = try server.world.runScript(
            """
            URL=\(server.url); S=$URL B=parse I=local T=\(token)
            \(setUp.script)
            export AUTHCTL_BACKEND=$B AUTHCTL_SERVER=$S AUTHCTL_APP_ID=$I AUTHCTL_TOKEN=$T
            "$A" doctor --network --json; echo $? >&2
            """)
        try expect(setUp, in: finished)
        #expect(!finished.everything.contains(token))
    }

    /// Each server is broken in the way that its line says. A login gets the same exit code and hint.
    @Test(
        .enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"),
        arguments: [
            ("--backend supabase --server $SB", "", 5),
            ("--backend supabase --server $SB --client-key-file wrong", "", 5),
            ("--backend supabase --server $SB --client-key-file key", "", 0),
            ("--backend pocketbase --server $PB", "", 0),
            ("--backend pocketbase --server $PB", "collection userz", 8), ("--backend pocketbase --server $WEB", "", 8),
            ("--backend django --server $WEB", "", 8),
        ])
    func `doctor --network finds what the next login meets`(options: String, setting: String, exitCode: Int32) throws {
        let (supabase, pocketbase) = (try SupabaseServer(), try PocketBaseServer(PocketBaseServer.versions[0]))
        let web = try ScriptedServer([ScriptedServer.Listener(["/": [.answer("501 Not Implemented", [], "<html>")]])])
        let world = try supabase.visitor()
        let finished = try world.runScript(
            """
            SB=\(supabase.url) PB=\(pocketbase.url) WEB=\(web.url("/")); printf wrong > wrong; chmod 600 wrong
            "$A" profile add x \(options) -q; [ -z "\(setting)" ] || "$A" profile set x \(setting) -q
            "$A" profile use x -q
            echo '\(Sandbox.password)' | "$A" login ada@example.org --password-stdin --json 2> login
            LOGIN=$?; "$A" doctor --network --json > report; echo "$LOGIN $?"
            jq -r .error.hint login; jq -r '[.findings[] | select(.check == "server.application")][0].hint' report
            """)
        let lines = finished.stdout.split(separator: "\n").map(String.init)
        #expect(lines[0] == (exitCode == 0 ? "4 0" : "\(exitCode) \(exitCode)"), "\(finished.everything)")
        #expect(exitCode == 0 || lines[1] == lines[2], "\(finished.everything)")
    }

    @Test func `doctor needs no home folder where the environment has the session`() throws {
        let finished = try Sandbox().runScript(
            """
            unset HOME; export AUTHCTL_BACKEND=pocketbase AUTHCTL_SERVER=https://a.example
            "$A" doctor --json | jq -c '[.findings[] | select(.level == "error") | .check]'
            AUTHCTL_CONFIG_DIR=$(mktemp -d) "$A" doctor --json | jq -c '[.findings[] | select(.level == "warning") | .check]'
            AUTHCTL_TOKEN=a.b.c "$A" doctor; echo $?
            """)
        let lines = finished.stdout.split(separator: "\n").map(String.init)
        #expect(lines[0].contains("configuration.f") && !lines[0].contains("data.folder"), "\(finished.everything)")
        #expect(lines[1] == "[]", "\(finished.everything)")
        #expect(lines[2].hasPrefix("ok       doctor: ") && lines.last == "0", "\(finished.everything)")
        #expect(!finished.stdout.contains("warning"), "\(finished.everything)")
    }

    @Test func `doctor --network accepts a server without problems, and whoami --all --check its session`() throws {
        let server = try ServingProgram()
        let world = server.world
        let url = server.url
        let words = ["--backend", "parse", "--server", url, "--app-id", "local"]
        try #require(try world.start(["profile", "add", "site"] + words).wait().exitCode == 0)
        try #require(
            try world.start(["signup", "ada", "-p", "site", "--password-stdin"], input: .password).wait().exitCode == 0)
        let finished = try world.run("doctor", "-p", "site", "--network", "--json")
        #expect(finished.exitCode == 0, "\(finished.everything)")
        let report = try finished.document()
        let checks = try report.objects("findings").map { "\($0.string("check") ?? "") \($0.string("level") ?? "")" }
        let needed = ["reachable", "clock", "kind", "application"].map { "server.\($0) ok" } + ["session.valid ok"]
        #expect(Set(needed).isSubset(of: checks), "\(checks)")
        let sessions = try world.run("whoami", "--all", "--check", "--json").document().objects("items")
        #expect(sessions.map { $0.string("state") } == ["valid"])
    }
}
