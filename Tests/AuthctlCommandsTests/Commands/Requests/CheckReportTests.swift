import CommandTestSupport
import Foundation
import JSON

@testable import AuthctlCommands

/// The report files of `check`: their content, and which files they may replace.
@Suite struct CheckReportTests {
    private let world = TestContext()
    private let folder = TestFolder()
    private static let kinds = ["junit", "sarif", "markdown", "html"]

    init() {
        world.sessions.put(.sample(as: "bob", session: .sample("r:bob"), user: User(id: "b2", username: "bob")))
        world.files["t"] = """
            request                bob  anyone
            GET '/a|b/{n}?q=]]>'   yes  no      # a comment
            GET /c                 no   -
            GET /d                 no   no
            GET /e                 fields=id no
            """
    }

    private func expect(_ path: String, as user: String, _ status: Int, _ answer: String) {
        let token = user == "bob" ? "\nX-Parse-Session-Token: r:bob" : ""
        world.server.expect(
            Exchange(
                "GET embedded:/parse\(path)\nAccept: */*\nX-Parse-Application-Id: local\(token)", status, answer,
                headers: ["Content-Type": "application/json"]))
    }

    /// Answers the table `t`: one outcome differs, one is not known, and the application key ends the run.
    private func expectTable() {
        world.server.expect(.currentUser(token: "r:bob", 200, #"{"objectId":"b2","username":"bob"}"#))
        for user in ["bob", "anyone"] { expect("/a%7Cb/s%2F1?q=%5D%5D%3E", as: user, 200, #"{"id":1}"#) }
        expect("/c", as: "bob", 200, "<script>alert(1)</script>")
        expect("/d", as: "bob", 403, #"{"error":"unauthorized"}"#)
    }

    private func run(_ words: String...) -> TestContext.Result {
        world.run(words: ["check", "t", "--set", "n=s/1"] + words)
    }

    @Test(arguments: kinds)
    func `a report shows what happened, and the cells that were not sent`(kind: String) throws {
        expectTable()
        let result = run("--report", "\(kind)=\(folder.path("r"))")
        #expect(result.exitCode == 11, "\(result.transcript)")
        let text = try folder.read("r")
        MessageFile("commands/check-reports").expect(text, kind)
        // The report of the next run replaces it.
        expectTable()
        #expect(run("--report", "\(kind)=\(folder.path("r"))").exitCode == 11)
        #expect(try folder.read("r") == text)
        #expect(try folder.names() == ["r"])
        for secret in ["s/1", "s%2F1", "b2", "r:bob"] { #expect(!text.contains(secret)) }
    }

    @Test(arguments: kinds)
    func `names and server text cannot become markup`(kind: String) throws {
        let nasty =
            "</td>]]><script>alert(1)</script>|`*_[x](http://evil.example)@all#1\\\"'&amp;\u{1B}[2J\u{202E}\u{FFFE}"
        world.files["t"] = "request bob\nGET '/a' fields=id\nGET '/</td>]]><script>|`&*' no\n"
        world.server.expect(.currentUser(token: "r:bob", 200, #"{"objectId":"b2","username":"bob"}"#))
        expect("/a", as: "bob", 200, JSONValue.object([nasty: "value-of-bob"]).text)
        expect("/%3C/td%3E%5D%5D%3E%3Cscript%3E%7C%60&*", as: "bob", 200, "{}")
        let result = run("--report", "\(kind)=\(folder.path("r"))")
        #expect(result.exitCode == 11, "\(result.transcript)")
        let text = try folder.read("r")
        #expect(!text.contains("value-of-bob"))
        #expect(
            !text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{FFFE}" && kind != "sarif" })
        if kind == "sarif" {
            let log = try JSONValue(parsing: text.utf8)
            let message = log["runs"]?.array?[0]["results"]?.array?[0]["message"]?["text"]?.string
            #expect(message?.contains("<script>alert(1)</script>|`*_[x](http://evil.example)@all#1") == true)
            return
        }
        for markup in ["<script>", "]]>", "</td>]", "&amp;"] { #expect(!text.contains(markup), "\(markup)") }
        guard kind == "markdown" else { return }
        for markup in ["a|", "`", "*", "_", "[", "](", "http:", "@all", "#1\\"] {
            #expect(!text.contains(markup), "\(markup)")
        }
    }

    @Test(arguments: [
        ("a<b>&\"'", "a&#60;b&#62;&#38;&#34;&#39;"), ("]]>", "]]&#62;"), ("\u{0}\n\t", "\\u{0}\\u{a}\\u{9}"),
        ("é\u{FFFF}\u{1F600}", "é\u{FFFD}\u{1F600}"), ("&#60;", "&#38;#60;"),
    ])
    func `special characters become references, and control characters are visible`(text: String, markup: String) {
        #expect(text.inMarkup == markup)
    }

    @Test func `a Markdown report fits in a comment`() throws {
        world.files["t"] =
            "request anyone\n" + (0..<1000).map { "GET /\(String(repeating: "x", count: 90))\($0) yes\n" }.joined()
        for number in 0..<1000 {
            expect("/\(String(repeating: "x", count: 90))\(number)", as: "anyone", 404, #"{"code":101,"error":"x"}"#)
        }
        #expect(run("--report", "markdown=\(folder.path("r"))").exitCode == 11)
        let text = try folder.read("r")
        #expect(text.utf8.count < 60_100 && text.contains(/\n\nand \d+ more\n$/))
    }

    @Test func `a session that has ended is exit code 4, and its report has only skipped cells`() throws {
        world.server.expect(.currentUser(token: "r:bob", 400, Exchange.sessionRevoked))
        #expect(run("--report", "junit=\(folder.path("r"))").exitCode == 4)
        let text = try folder.read("r")
        #expect(text.contains(#"tests="7" failures="0" errors="0" skipped="7""#))
        #expect(text.contains("not sent: cannot send requests as &#39;bob&#39;"))
    }

    @Test(
        arguments: [
            ("{r}/text", 2), ("{r}/empty", 2), ("{r}/page", 2), ("{r}/link", 2), ("{r}/dangling", 2), ("{r}/sub", 2),
            ("{r}", 2), ("/dev/null", 2), ("{r}/fifo", 2), ("{r}/none/r", 12), ("{r}/text/r", 12), ("{r}/loose", 12),
            ("-", 2),
            ("", 2), (".", 2), ("{r}/new junit={r}/new", 2), ("{r}/new html={r}/sub/../new", 2),
            ("{r}/new pdf={r}/b", 2),
        ] as [(String, Int32)])
    func `a report replaces only a report of its kind, and nothing is sent otherwise`(path: String, code: Int32) throws
    {
        try folder.write("text", "my notes")
        try folder.write("empty", "")
        try folder.write("page", HTMLReport.beginning)
        try folder.write("report", JUnitReport.beginning)
        try folder.write("loose", JUnitReport.beginning, mode: 0o622)
        try folder.link("link", to: "report")
        try folder.link("dangling", to: "none")
        try folder.makeFolder("sub")
        mkfifo(folder.path("fifo"), 0o600)
        let names = try folder.names()
        let files = "junit=\(path.replacing("{r}", with: folder.path))".split(separator: " ")
        let result = world.run(words: ["check", "t", "--set", "n=1"] + files.flatMap { ["--report", String($0)] })
        #expect(result.exitCode == code, "\(result.transcript)")
        #expect(try folder.names() == names)
        let text = result.stderr.replacing(folder.path, with: "/folder")
        TestContext.Result(stdout: result.stdout, stderr: text, ending: result.ending)
            .expectErrors(in: "check-reports", path, exitCode: code)
    }
}
