import AuthClient
import CommandTestSupport
import Expectations
import JSON

@testable import AuthctlCommands

/// Connections that go from one place to another: to the current profile, from an app's own files, to another person.
@Suite struct ConnectionFileTests {
    let world = TestContext()

    private static let supabase: JSONObject = [
        "server": "https://abc.supabase.co", "clientKey": "sb_publishable_1", "backend": "supabase",
    ]

    private func add(_ words: String...) -> Int {
        Int(world.run(words: ["profile", "add", "shop"] + words).exitCode)
    }

    private var settings: JSONObject? { world.configuration.current["shop"]?.settings }

    // MARK: - The current profile

    @Test func `a new profile becomes current while nobody uses the built-in one, else a note says how to use it`()
        throws
    {
        expect(add("--backend", "local"), 0)
        expect(world.configuration.current.current, "shop")
        let second = world.run("profile", "add", "ci", "--backend", "local")
        #expect(second.stderr.contains("note: the current profile is 'shop'"))
        #expect(second.stderr.contains("to use 'ci', add -p ci, or: authctl profile use ci"))
        expect(world.configuration.current.current, "shop")
        expect(world.run("profile", "add", "ci2", "--backend", "local", "--use").exitCode, 0)
        expect(world.configuration.current.current, "ci2")
    }

    @Test(arguments: ["session", "settings", "AUTHCTL_PROFILE", "--no-use"])
    func `a profile that is in use stays current`(reason: String) throws {
        switch reason {
        case "session": world.sessions.put(.ada)
        case "settings": expect(world.run("profile", "set", "default", "mailDir", "/m").exitCode, 0)
        case "AUTHCTL_PROFILE": world.environment["AUTHCTL_PROFILE"] = "default"
        default: break
        }
        expect(reason == "--no-use" ? add("--backend", "local", reason) : add("--backend", "local"), 0)
        expect(world.configuration.current.current, nil)
    }

    // MARK: - Again

    @Test func `the same connection again changes nothing, and another one names the command that changes it`() throws {
        world.files["key"] = "sb_publishable_1"
        let words = ["--backend", "supabase", "--server", "https://abc.supabase.co", "--client-key-file", "key"]
        expect(world.run(words: ["profile", "add", "shop"] + words).exitCode, 0)
        let before = world.configuration.current
        let again = world.run(words: ["profile", "add", "shop", "--json"] + words)
        try expect(JSONValue(parsing: Array(again.stdout.utf8))["state"], "unchanged")
        // A request could only find the kind that is known.
        expect(add("--server", "https://abc.supabase.co/"), 0)
        world.files["key"] = "sb_publishable_2"
        let other = world.run(words: ["profile", "add", "shop"] + words.dropLast(4) + ["--client-key-file", "key"])
        #expect(other.exitCode == 2 && !other.stderr.contains("sb_publishable"))
        #expect(other.stderr.contains("to change it: authctl profile set shop clientKeyFile key"))
        expect(world.configuration.current, before)
        world.environment["AUTHCTL_CLIENT_KEY"] = "k"
        #expect(world.run(words: ["profile", "add", "b"] + words).stderr.contains("no value of AUTHCTL_CLIENT_KEY"))
    }

    // MARK: - An app's own files

    private static let read: [(text: String, words: [String], settings: JSONObject)] = [
        (
            """
            # SUPABASE_URL=https://old.example.org
            export NEXT_PUBLIC_SUPABASE_URL="https://abc.supabase.co"
            VITE_SUPABASE_ANON_KEY=eyJ.old
            NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY=sb_publishable_1 # was: SUPABASE_URL=https://b.supabase.co
            SUPABASE_SERVICE_ROLE_KEY='eyJ.all'
            """, [], supabase
        ),
        (
            """
            /* the old one:
             projectId: "old" */ // apiKey: "old"
            const firebaseConfig = { /* public */ apiKey: "AIza", authDomain: "demo.firebaseapp.com",
              projectId: 'demo-shop', appId: "1:1:web:1" };
            """, [], ["appId": "demo-shop", "clientKey": "AIza", "backend": "firebase"]
        ),
        (
            """
            # paths that match /* are open; don't ask
            GLOB="/a /*" # an apostrophe's
            VITE_SUPABASE_SECRET_KEY=
            SUPABASE_KEY=""
            PARSE_APP_ID=a
            PARSE_APP_ID=b
            SUPABASE_URL=https://abc.supabase.co
            SUPABASE_ANON_KEY=sb_publishable_1
            """, ["--backend", "supabase"], supabase
        ),
        (
            "const c = { appId: X, projectId: 'demo-shop', /* c */ measurementId: Y, apiKey: \"AIza\" }", [],
            ["appId": "demo-shop", "clientKey": "AIza", "backend": "firebase"]
        ),
        (
            #"{"projectId": "demo-shop", "apiKey": "AIza"}"#, [],
            ["appId": "demo-shop", "clientKey": "AIza", "backend": "firebase"]
        ),
        (
            "POCKETBASE_URL=http://127.0.0.1:8090/\r\nSUPABASE_URL=https://abc.supabase.co\r\n",
            ["--backend", "pocketbase"], ["server": "http://127.0.0.1:8090", "backend": "pocketbase"]
        ),
        (
            "PARSE_SERVER_URL=https://a.example/parse\nPARSE_APP_ID=shop\nPARSE_MASTER_KEY=m", [],
            ["server": "https://a.example/parse", "appId": "shop", "backend": "parse"]
        ),
    ]

    @Test(arguments: read)
    func `profile add reads the connection of an app, without its secret keys`(
        text: String, words: [String], settings: JSONObject
    ) {
        world.files[".env"] = text
        let result = world.run(words: ["profile", "add", "shop", "--env-file", ".env"] + words)
        expect(result.exitCode, 0)
        expect(self.settings, settings)
        let names = ["SUPABASE_SERVICE_ROLE_KEY", "PARSE_MASTER_KEY"].filter { text.contains($0) }
        expect(result.stderr.contains("did not read"), !names.isEmpty)
        #expect(names.allSatisfy { result.stderr.contains("'\($0)'") } && !result.stderr.contains("eyJ.all"))
    }

    private static let refused: [(text: String, message: String)] = [
        ("SUPABASE_URL=https://a.supabase.co\nPOCKETBASE_URL=https://b.example", "names two servers"),
        ("SUPABASE_URL=https://a.supabase.co\nVITE_SUPABASE_URL=https://b.supabase.co", "have different values"),
        ("SUPABASE_URL=https://a.supabase.co\nSUPABASE_SECRET_KEY=sb_secret_1", "is a secret key, and the file has no"),
        ("SUPABASE_URL=https://a.supabase.co\nSUPABASE_ANON_KEY=sb_secret_1", "the client key is a secret key"),
        ("SUPABASE_URL=https://a.supabase.co\nSUPABASE_KEY=sb_secret_1", "the client key is a secret key"),
        (
            "SUPABASE_URL=https://a.supabase.co\nSUPABASE_ANON_KEY=a\nVITE_SUPABASE_SECRET_KEY=sb_secret_1",
            "'VITE_SUPABASE_SECRET_KEY' in '.env' publishes a secret key"
        ),
        ("POCKETBASE_URL=http://b.example", "would receive passwords unencrypted"),
        (
            "const config = { apiKey: process.env.KEY };\nSUPABASE_URL=$URL",
            "'SUPABASE_URL', 'apiKey' in '.env' have no plain value"
        ), ("", "names no server"),
    ]

    @Test(arguments: refused)
    func `an app's file with no clear connection adds nothing`(text: String, message: String) {
        world.files[".env"] = text
        let result = world.run("profile", "add", "shop", "--env-file", ".env")
        #expect(result.exitCode == 2 && result.stderr.contains(message) && !result.stderr.contains("sb_secret_1"))
        expect(settings, nil)
    }

    @Test func `what an app's file says, but the profile does not get, is named`() {
        world.files[".env"] = "SUPABASE_URL=https://a.supabase.co\nSUPABASE_ANON_KEY=sb_publishable_1"
        let wrong = world.run("profile", "add", "shop", "--env-file", ".env", "--backend", "pocketbase")
        #expect(
            wrong.exitCode == 2 && wrong.stderr.contains("no server of the kind 'pocketbase', but one of 'supabase'"))
        let other = world.run("profile", "add", "shop", "--env-file", ".env", "--server", "https://b.supabase.co")
        #expect(other.exitCode == 0 && other.stderr.contains("did not use 'SUPABASE_URL', 'SUPABASE_ANON_KEY'"))
        expect(settings, ["server": "https://b.supabase.co", "backend": "supabase"])
        world.files[".env"] = "SUPABASE_URL=https://a.supabase.co\nSUPABASE_ANON_KEY=${KEY}"
        world.files[".key"] = "VITE_SUPABASE_ANON_KEY=sb_publishable_1"
        let keyAlone = ["--env-file", ".key", "--backend", "supabase", "--server", "https://c.supabase.co"]
        let named = world.run(words: ["profile", "add", "e"] + keyAlone)
        #expect(named.exitCode == 0 && named.stderr.contains("read 'VITE_SUPABASE_ANON_KEY' from"))
        #expect(world.configuration.current["e"]?.settings["clientKey"] == "sb_publishable_1")
        let copy = world.run("profile", "add", "f", "--from", "e", "--server", "https://d.supabase.co")
        #expect(copy.stderr.contains("did not copy 'clientKeyFile'"))
        world.files[".env2"] = "FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9099\nVITE_FIREBASE_PROJECT_ID=demo-shop"
        expect(world.run("profile", "add", "g", "--env-file", ".env2").exitCode, 0)
        #expect(world.configuration.current["g"]?.settings["server"] == "http://127.0.0.1:9099")
        let computed = world.run("profile", "add", "b", "--env-file", ".env")
        #expect(computed.exitCode == 0 && computed.stderr.contains("did not read 'SUPABASE_ANON_KEY': no plain value"))
        world.files[".env"] = "const c = { apiKey: env.KEY, projectId: \"demo-shop\" }"
        let partly = world.run("profile", "add", "d", "--env-file", ".env")
        #expect(partly.exitCode == 0 && partly.stderr.contains("did not read 'apiKey'"))
        world.files[".env"] = "const SUPABASE_URL = process.env.URL!;\nSUPABASE_ANON_KEY=k"
        #expect(world.run("profile", "add", "h", "--env-file", ".env").stderr.contains("requires a server"))
        world.files[".env"] = "POCKETBASE_URL=http://b.example"
        #expect(!world.run("profile", "add", "c", "--env-file", ".env").stderr.contains("(from profile"))
    }

    // MARK: - The connection of a colleague

    @Test func `an exported connection is added elsewhere, with publishable keys alone`() throws {
        world.files["key"] = "sb_publishable_1"
        expect(add("--backend", "supabase", "--server", "https://abc.supabase.co", "--client-key-file", "key"), 0)
        expect(world.run("profile", "set", "shop", "authPath", "/").exitCode, 0)
        let other = TestContext()
        other.files["shop.json"] = world.run("profile", "export").stdout
        for state in ["added", "unchanged"] {
            let result = other.run("profile", "add", "shop", "--from-file", "shop.json", "--json")
            try expect(JSONValue(parsing: Array(result.stdout.utf8))["state"]?.string, state)
        }
        expect(
            other.configuration.current["shop"]?.settings.members.sorted { $0.name < $1.name }.map(\.name),
            ["authPath", "backend", "clientKey", "server"])

        world.files["key"] = "rest-key"
        let parse = ["--backend", "parse", "--server", "https://a.example/parse", "--app-id", "shop"]
        expect(world.run(words: ["profile", "add", "p", "--client-key-file", "key"] + parse).exitCode, 0)
        let exported = world.run("profile", "export", "p")
        #expect(!exported.stdout.contains("rest-key") && exported.stderr.contains("left out 'clientKeyFile'"))
        expect(world.run("profile", "set", "p", "mailDir", "/home/ada/mails").exitCode, 0)
        let folder = world.run("profile", "export", "p")
        #expect(!folder.stdout.contains("/home/ada") && folder.stderr.contains("left out 'clientKeyFile', 'mailDir'"))
    }

    @Test func `what weakens a connection in a file needs its option again`() {
        let head = #"{"v":1,"kind":"connection","backend":"parse","server":"http://a.example","appId":"shop""#
        world.files["f"] = head + #","allowHttp":true,"settings":{"caCert":"/etc/theirs.pem"}}"#
        expect(add("--from-file", "f", "--allow-http"), 2)
        expect(add("--from-file", "f", "--ca-cert", "/etc/ours.pem"), 2)
        expect(add("--from-file", "f", "--ca-cert", "/etc/ours.pem", "--allow-http"), 0)
        #expect(settings?["caCert"] == "/etc/ours.pem" && settings?["allowHttp"] == true)
    }

    @Test(arguments: [
        "", "[]", #"{"v":2,"kind":"connection","backend":"local"}"#, #"{"v":1,"kind":"profile","backend":"local"}"#,
        #"{"v":1,"kind":"connection","backend":"ftp"}"#,
        #"{"v":1,"kind":"connection","backend":"local","settings":{"facebookClientToken":"t"}}"#,
    ])
    func `another document adds nothing`(text: String) {
        world.files["f"] = text
        expect(add("--from-file", "f"), 2)
        expect(settings, nil)
    }
}
