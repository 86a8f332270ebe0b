import Foundation
import TestSupport

/// Examples in the help pages, the README and the manual pages work when pasted.
///
/// Most examples run as the logged-in user `ada`, and all of them in a folder with the files that they name. Passwords
/// come from environment variables instead of prompts. A fake server replaces Facebook.
@Suite(.mostlyWaits) struct ExampleTests {
    /// Beginnings of the examples that run without the logged-in user `ada`.
    private static let startingFresh = ["authctl signup", "authctl profile add"]

    /// The command that creates the accounts for other examples of `authctl users`.
    private static let usersCreate =
        "authctl users create --count 3 --name 'ci-{n}' --journal ci.journal --credentials ci.ndjson"

    /// Exit codes of the examples that fail here, for example because a key or id is made up, or because local accounts
    /// do not accept the provider.
    private static let otherExitCodes: [String: Int32] = [
        "authctl verify-email --key-stdin < link.txt": 7, "authctl verify-email --key MPDF-FRQW": 7,
        "authctl password reset --key-stdin < link.txt": 7,
        "authctl sessions revoke g7y9tkhB7O": 7, "authctl link google --id-token-file id-token.txt": 10,
        "authctl login --provider google --id-token-file id-token.txt": 10,
        // Local accounts have no refresh tokens, so no example writes this file.
        "authctl users refresh --tokens tokens.ndjson": 12,
        // This example requires a server.
        "authctl profile add site --server https://example.org": 8,
        // Local accounts have no claims.
        "authctl users set ada@example.org --claim role=admin --admin-key-file key": 10,
        // Local accounts have passwords.
        "authctl login ada@example.org --send-code": 10,
        // This example requires a terminal.
        "authctl account delete": 2,
    ]

    private let graph: GraphServer
    private let world: Sandbox

    init() throws {
        graph = try GraphServer()
        world = Sandbox()
        world.set("AUTHCTL_FACEBOOK_GRAPH_URL", to: graph.url)
        world.set("AUTHCTL_FACEBOOK_APP_ID", to: GraphServer.appID)
        world.set("AUTHCTL_FACEBOOK_CLIENT_TOKEN", to: "client-at-once")
        world.set("AUTHCTL_PASSWORD", to: Sandbox.password)
        world.set("AUTHCTL_NEW_PASSWORD", to: "another horse battery")
        world.set("PATH", to: "\(world.home)/bin:/usr/bin:/bin")
        for (name, text) in [
            ("password.txt", "\(Sandbox.password)\n"), ("token.txt", "tok-bob\n"), ("rest-key.txt", "key\n"),
            ("publishable-key.txt", "sb_publishable_1\n"), ("web-api-key.txt", "AIzaSy1\n"),
            ("new.txt", "another horse battery\n"),
            ("id-token.txt", "{\"sub\":\"7\"}\n"),
            ("both.txt", "\(Sandbox.password)\nanother horse battery\n"), ("client-token.txt", "client-at-once\n"),
            ("link.txt", "https://app.example/?token=0f3a\n"),
            ("access.txt", "request me anyone\nGET /users/me yes no\n"),
            (".config/fish/completions/folder", ""),
            ("users.csv", "username,email,password\neve,eve@example.org,\(Sandbox.password)\n"),
        ] {
            try world.write(text, to: "\(world.home)/\(name)")
        }
        for (name, text) in [
            ("bin/npm", "test -n \"$AUTHCTL_TOKEN$AUTHCTL_MAIL_DIR\""), ("bin/curl", "grep -q X-Parse-Session-Token"),
            ("deploy", "test -n \"$API_TOKEN\""),
        ] {
            try world.writeProgram("#!/bin/sh\n\(text)\n", to: "\(world.home)/\(name)")
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(world.home)/bin/authctl", withDestinationPath: BuiltBinary.path)
    }

    @Test(.enabled(if: Host.hasShells && Host.hasJQ, "needs zsh and jq"))
    func `every example of a help page works when pasted`() throws {
        let overview = try world.run("help").stdout
        let list = try #require(overview.components(separatedBy: "\nGlobal options:").first)
        let commands = list.matches(of: #/\n  ([a-z-]+(?: [a-z]+)?)  /#).map { String($0.1) }
        #expect(commands.count > 20)
        for command in commands {
            let page = try world.run("help", command).stdout
            let section = try #require(page.components(separatedBy: "\nExamples:\n").dropFirst().first, "\(command)")
            let examples = try #require(section.components(separatedBy: "\n\n").first)
                .replacingOccurrences(of: "\n      ", with: " ").components(separatedBy: "\n")
            for example in examples {
                try check(example.trimmingCharacters(in: .whitespaces))
            }
        }
    }

    @Test func `the shell examples for backends in the README work when pasted`() throws {
        // The proxy does not exist, so no request leaves the machine.
        world.set("HTTPS_PROXY", to: "http://127.0.0.1:9")
        try expect(world.signUp("ada").exitCode, 0)
        let blocks = try readmeBlocks().filter { !$0.contains(" notes ") && $0.contains("profile add") }
        expect(blocks.count, 4)
        for line in blocks.joined().components(separatedBy: "\n") where !line.isEmpty {
            let ended = try runShell(line)
            // A signup or login fails, so a request that needs its session does, too.
            let exitCode: Int32 =
                [" api ", " token "].contains(where: line.contains) ? 3 : line.hasPrefix("authctl -p ") ? 8 : 0
            expect(ended.exitCode, exitCode, "\(line): \(ended.everything)")
        }
    }

    @Test(.enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"))
    func `the shell examples for PocketBase in the README work when pasted`() throws {
        let server = try PocketBaseServer(PocketBaseServer.versions[0])
        try world.writeProgram("#!/bin/sh\ngrep -q pocketbase_auth ci.json\n", to: "\(world.home)/bin/npx")
        let blocks = try readmeBlocks().filter { $0.contains(" notes ") }
        expect(blocks.count, 2)
        let script = "set -e\n" + blocks.joined().replacingOccurrences(of: "http://127.0.0.1:8090", with: server.url)
        let ended = try runShell(script)
        expect(ended.exitCode, 0, "\(ended.everything)")
    }

    @Test(.enabled(if: PocketBaseServer.isAvailable, "\(PocketBaseServer.absence)"))
    func `check prints what the README shows of a rule that was left open`() throws {
        let server = try PocketBaseServer(PocketBaseServer.versions[0])
        try expect(world.run("profile", "add", "notes", "--server", server.url).exitCode, 0)
        for (name, more) in [("ada", []), ("bob", ["--as", "bob"])] {
            try expect(world.start(["-p", "notes", "signup", "\(name)@example.org"] + more).wait().exitCode, 0)
        }
        let id = "adasfirstletter"
        let user = try world.run("-p", "notes", "whoami", "--json").document().object("user")
        let record = try world.run(
            "-p", "notes", "api", "/api/collections/letters/records", "-f", "id=\(id)", "-f",
            "owner=\(try #require(user.string("id")))")
        expect(record.exitCode, 0, "\(record.everything)")
        let readme = try world.text("\(Installation.project)/README.md")
        let command = "authctl -p notes check access.txt --set letter=\(id)"
        let shown = try #require(readme.components(separatedBy: "$ \(command)\n").dropFirst().first)
            .components(separatedBy: "```")[0]
        let table = shown.components(separatedBy: "\n").prefix { !$0.contains(" may ") }
        try world.write(table.joined(separator: "\n").replacing("!yes", with: "no"), to: "\(world.home)/access.txt")
        let ended = try runShell(command)
        #expect(ended.exitCode == 11 && ended.stdout == shown, "\(ended.everything)")
    }

    @Test(.enabled(if: Host.hasJQ, "needs jq"))
    func `the CI job in the README exits with the exit code of its test command`() throws {
        let job = try #require(try readmeBlocks().first { $0.contains("authctl serve --ephemeral") })
        for (tests, exitCode) in [("test -n \"$AUTHCTL_TOKEN\" -a -n \"$PARSE_URL\"", Int32(0)), ("exit 3", 3)] {
            try world.writeProgram("#!/bin/sh\n\(tests)\n", to: "\(world.home)/bin/npm")
            let password = Sandbox.password
            let ended = try world.start(
                [], environment: ["APP_PASSWORD": password], program: ["/bin/bash", "-c", job]
            ).wait()
            expect(ended.exitCode, exitCode, "\(ended.everything)")
        }
        #expect(!world.isThere(world.database) && !world.isThere(world.sessionFolder))
    }

    @Test(.enabled(if: Host.hasJQ, "needs jq"))
    func `the CI job in authctl-api(1) prints the user's id and saves the sessions`() throws {
        let text = try #require(try world.codes(ofManual: "authctl-api.1").first)
        let server = try ServingProgram(world: Sandbox())
        try expect(
            world.run(
                "signup", "ci-user", "--no-login", "--backend", "parse", "--server", server.url, "--app-id",
                ServingProgram.appID
            ).exitCode, 0)
        let job = text.replacingOccurrences(of: "https://example.org/parse", with: server.url)
            .replacingOccurrences(of: "AUTHCTL_APP_ID=shop", with: "AUTHCTL_APP_ID=\(ServingProgram.appID)")
        world.set("REST_KEY", to: "key")
        world.set("APP_PASSWORD", to: Sandbox.password)
        let ended = try runShell("\(job)\nset -e\njq -r .objectId sessions.json | wc -l")
        expect(ended.exitCode, 0, "\(ended.everything)")
        expect(ended.stdout.split(separator: "\n").count, 2)
        world.set("APP_PASSWORD", to: "wrong")
        try expect(runShell(job).exitCode, 4)
    }

    /// Fakes replace hurl, pytest and the other programs of the recipes marked "(with a fake)".
    @Test(.enabled(if: Host.hasJQ && Host.hasProc, "needs jq and /dev/shm"))
    func `the recipes in authctl-recipes(7) work with serve`() throws {
        let server = try ServingProgram(world: Sandbox())
        for (name, value) in [("BACKEND", "parse"), ("SERVER", server.url), ("APP_ID", ServingProgram.appID)] {
            world.set("AUTHCTL_\(name)", to: value)
        }
        world.set("APP_PASSWORD", to: Sandbox.password)
        for name in ["ada", "bob", "ci-user", "admin"] {
            try expect(world.run("signup", name, "--email", "\(name)@example.org", "--no-login").exitCode, 0)
        }
        try FileManager.default.removeItem(atPath: "\(world.home)/bin/curl")
        for (name, text) in [
            ("hurl", "test -n \"$HURL_VARIABLE_token\""), ("bru", "test -n \"$TOKEN\""),
            ("k6", "grep -q '\"token\":\"r:' tokens.ndjson"),
            ("npx", "cat ada.json states/admin.json 2>/dev/null | grep -q Parse/local/currentUser"),
            ("pytest", "test -n \"$AUTHCTL_MAIL_DIR\""), ("op", "cat password.txt"),
            ("pass", "cat password.txt; echo more"), ("systemd-creds", "cat password.txt"),
        ] {
            try world.writeProgram("#!/bin/sh\n\(text)\n", to: "\(world.home)/bin/\(name)")
        }
        try world.write("\(Sandbox.password)\n", to: "\(world.home)/ada.txt")
        let codes = try world.codes(ofManual: "authctl-recipes.7")
        let recipes = codes.filter { code in
            code.contains("authctl ")
                && !["firebase", "for role in", "-p new", "--send-code"].contains(where: code.contains)
        }
        expect(recipes.count, 12)
        try world.write(
            try #require(codes.first { $0.hasPrefix("request") && $0.contains("/users/me") }),
            to: "\(world.home)/access.txt")
        try world.write("username,password\nada,\(Sandbox.password)\n", to: "\(world.home)/ada.csv")
        try world.write("username,password\nadmin,\(Sandbox.password)\n", to: "\(world.home)/team.ndjson")
        try world.write(try #require(recipes.first { $0.contains("npx") }), to: "\(world.home)/browser.sh")
        for recipe in recipes {
            // If the recipe is a CI job, run only the job's commands.
            let isJob = recipe.contains("AUTHCTL_BACKEND:")
            let lines = recipe.components(separatedBy: "\n").filter { !isJob || $0.contains("- ") }.map {
                isJob ? $0.replacing(/^ *- (run: )?/, with: "") : $0
            }
            let script = (["set -eo pipefail", "authctl login ada --quiet"] + lines).joined(separator: "\n")
                .replacingOccurrences(of: "https://example.org/parse", with: server.url)
                .replacingOccurrences(of: "--count 1000", with: "--count 10")
            let ended = try runShell(script)
            expect(ended.exitCode, 0, "\(script): \(ended.everything)")
            if recipe.contains("curl") { expect(ended.stdout, "ada@example.org\nada@example.org\n") }
        }
    }

    @Test func `the recipe for Firebase's emulator in authctl-recipes(7) works with a fake`() throws {
        let server = try FirebaseServer()
        world.set("FIREBASE_AUTH_EMULATOR_HOST", to: server.url.replacing("http://", with: ""))
        let script = try #require(
            try world.codes(ofManual: "authctl-recipes.7").first {
                $0.contains("AUTHCTL_BACKEND=firebase") && $0.contains("verify-email")
            })
        let ended = try runShell("set -eo pipefail\n\(script)")
        expect(ended.exitCode, 0, "\(ended.everything)")
    }

    private func check(_ example: String) throws {
        try? FileManager.default.removeItem(atPath: "\(world.home)/.config/authctl")
        try? FileManager.default.removeItem(atPath: world.dataFolder)
        try world.write("POCKETBASE_URL=http://127.0.0.1:8090\n", to: "\(world.home)/.env.local")
        if !Self.startingFresh.contains(where: example.hasPrefix) {
            for words in [
                ["signup", "ada", "--email", "ada@example.org"], ["profile", "add", "ci", "--backend", "local"],
                [
                    "profile", "add", "live", "--backend", "parse", "--server", "https://example.org", "--app-id",
                    "shop",
                ],
            ] {
                try expect(world.start(words).wait().exitCode, 0)
            }
        } else if example.contains("--from ci") {
            try expect(world.run("profile", "add", "ci", "--backend", "local").exitCode, 0)
        }
        if example.hasPrefix("authctl users") {
            try expect(runShell("rm -f *.journal *.ndjson").exitCode, 0)
            if !example.contains("users create") { try expect(runShell(Self.usersCreate).exitCode, 0) }
        }
        // Send the e-mail that the examples of `mail` show.
        if example.contains("authctl mail") || example.contains("--from-mail") {
            try expect(world.run("verify-email").exitCode, 0)
        }
        let ended =
            if example.hasPrefix("authctl serve"), !example.contains(" -- ") {
                try serve(example)
            } else if example.contains("completion zsh") {
                try world.start(
                    [], program: ["/usr/bin/env", "zsh", "-c", "autoload compinit; compinit -u; \(example)"]
                ).wait()
            } else {
                try runShell(example)
            }
        expect(
            ended.exitCode, Self.otherExitCodes[example] ?? 0,
            "\(example): \(ended.everything); if that is right, add it to 'otherExitCodes'")
    }

    private func serve(_ example: String) throws -> Finished {
        try runShell(
            "rm -f ready; \(example) --port 0 > ready & until test -s ready; do sleep 0.05; done; kill $!; wait $!")
    }

    private func runShell(_ script: String) throws -> Finished {
        try world.start([], program: ["/bin/bash", "-c", script]).wait()
    }

    private func readmeBlocks() throws -> [String] {
        try world.text("\(Installation.project)/README.md").components(separatedBy: "```sh\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }
}
