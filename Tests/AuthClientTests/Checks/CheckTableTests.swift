import CommandTestSupport

@testable import AuthClient

@Suite struct CheckTableTests {
    private static let head = "request me bob anyone\n"

    private func table(
        _ text: String, _ variables: [String: String] = ["note": "a/b", "n-1": "x y"]
    ) throws(AuthError) -> CheckTable {
        try CheckTable(Array(text.utf8), name: "'access.txt'", variables: variables) { name throws(AuthError) in
            guard name != "none" else { throw AuthError(.usage, "cannot read 'none': no such file") }
            return Array("content of \(name)".utf8)
        }
    }

    @Test func `a table has users and, for each request, the outcome for each user`() throws {
        let table = try table(
            """
            # Notes of ada
            request   me bob  anyone

            GET /a    yes no  -    # a comment
            put b?c=d 200 404 items=3
            """)
        expect(table.users, ["me", "bob", "anyone"])
        expect(table.rows.map(\.line), [4, 5])
        expect(table.rows.map(\.text), ["GET /a", "put b?c=d"])
        expect(table.rows.map(\.method.rawValue), ["GET", "PUT"])
        expect(table.rows.map(\.path), ["/a", "/b?c=d"])
        expect(table.rows.map(\.isRead), [true, false])
        expect(table.rows.map(\.expected), [[.yes, .no, .notSent], [.status(200), .status(404), .items(3)]])
        expect(table.warnings, [])
    }

    @Test func `the names of fields are comma-separated, and quotes around the word keep blanks`() throws {
        let row = try #require(try table("request me bob\nGET /a fields=a,b=c \"fields!=a b\"").rows.first)
        expect(row.expected, [.fields(["a", "b=c"]), .noFields(["a b"])])
        expect(row.expected.map(\.word), ["fields=a,b=c", "fields!=a b"])
    }

    @Test(
        arguments: [
            (#"'/a b' "#, "/a%20b"), (#""/a \"b" "#, "/a%20%22b"), (#"/a\ b"#, "/a%20b"), (#"/a'#'b"#, nil),
            ("/{note}", "/a%2Fb"), ("/x?y={n-1}", "/x?y=x%20y"), ("/{a b}{}{", "/%7Ba%20b%7D%7B%7D%7B"),
            (#"'/x?where={"a":{"b":1}}'"#, "/x?where=%7B%22a%22:%7B%22b%22:1%7D%7D"), ("/{{note}}", "/%7Ba%2Fb%7D"),
            // Quotes and backslashes of the server's notation.
            (#"/x?where={"a":"b"}"#, "/x?where=%7B%22a%22:%22b%22%7D"), ("/x?f=(name='')", "/x?f=(name='')"),
            (#"/x?a=eq."a,b""#, "/x?a=eq.%22a,b%22"), (#"/x?a=eq."a\"b""#, "/x?a=eq.%22a%5C%22b%22"),
            (#""/x?f=(a = '')""#, "/x?f=(a%20=%20'')"),
            (#""/x?where={"a":"b c"}""#, "/x?where=%7B%22a%22:%22b%20c%22%7D"),
            ("'/a'b", nil),
        ] as [(String, String?)])
    func `a path keeps its characters, except quotes around it, and variables are percent-encoded`(
        word: String, path: String?
    ) throws {
        let word = word.contains("{a b}") ? "'\(word)'" : word
        expect((try? table("request bob\nGET \(word) yes\nGET /b no"))?.rows.first?.path, path)
    }

    @Test func `a byte-order mark, CRLF and a missing last newline are accepted`() throws {
        try expect(table("\u{FEFF}request bob\r\nGET /a yes\r\nGET /b no").rows.map(\.path), ["/a", "/b"])
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("dir.d/a", "application/json"), ("a.txt", "text/plain; charset=utf-8"),
        ("a.png", "application/octet-stream"),
    ])
    func `the suffix of a file decides the type of the body`(file: String, type: String) throws {
        let row = try #require(try table("request bob\nPOST /a @\(file) no").rows.first)
        expect(row.contentType, type)
        expect(row.body, Array("content of \(file)".utf8))
        expect(row.text, "POST /a @\(file)")
    }

    @Test func `the faults of a table are reported with their lines`() throws {
        let tables = [
            "", "GET /a yes\n", "request\nGET /a\n", "request bob bob\nGET /a yes no\n", "request .x\nGET /a yes\n",
            Self.head, Self.head + "GET /a yes no\nGET /b yes no - -\n", Self.head + "GET\nG@T /a yes no -\n",
            Self.head + "TRACE /a yes no -\n", Self.head + "GET /a maybe YES 2\n", Self.head + "GET /a 302 429 500\n",
            Self.head + "GET /a items= items=-1 items=99999999999999999999\n",
            Self.head + "GET /a fields= fields=a,,b fields!=\n", Self.head + "GET '/a yes no -\n",
            Self.head + "GET https://evil.example/ yes no -\nGET //evil.example/ yes no -\nGET /a/%2e%2e/b no no no\n",
            Self.head + "GET /{gone} yes no -\n", Self.head + "GET /a/{me} yes no no\n",
            Self.head + "GET /a @a.json yes no -\n", Self.head + "HEAD /a @a.json yes no -\n",
            Self.head + "POST /a @none yes no -\n", Self.head + "GET /a\u{0} yes no -\n",
            Self.head + "GET /a\u{1B}[2J yes no -\n",
            Self.head + String(repeating: "GET /a yes no -\n", count: 100_000),
        ]
        let lines = tables.map { text in
            let name = text.count > 200 ? "100,000 requests" : text.debugDescription
            return "\(name)\n  " + (authError { () throws(AuthError) in _ = try table(text) }?.snapshotLine ?? "valid")
        }
        MessageFile("use-cases/check").expect(lines.joined(separator: "\n"))
        let bytes = Array(Self.head.utf8) + [0xFF, 0x0A]
        let error = authError { () throws(AuthError) in
            _ = try CheckTable(bytes, name: "'a'", variables: [:], readBody: { _ in [] })
        }
        expect(error?.message, "'a', line 2: is not UTF-8")
    }

    @Test(arguments: [
        ("yes no -", []), ("no 404 -", [3]), ("403 items=0 401", [3]), ("- - -", [3]), ("no no 400", []),
        ("no no items=1", []),
    ])
    func `a request that nobody is expected to send causes a warning`(cells: String, lines: [Int]) throws {
        let warnings = try table("\(Self.head)GET /a yes no -\nGET /b \(cells)").warnings
        expect(warnings.map { $0.prefix(7) }, lines.map { "line \($0):" })
    }

    @Test(arguments: [("yes 200 400", true), ("yes no -", false), ("yes 404 -", false), ("items=1 items=0 -", false)])
    func `a table without a denial causes a warning`(cells: String, warns: Bool) throws {
        let warnings = try table("\(Self.head)GET /a \(cells)").warnings
        expect(warnings, (warns ? ["the table expects no denial, so it would not notice a missing rule"] : []))
    }

    @Test func `variables are NAME=VALUE, and not empty`() throws {
        try expect(CheckTable.variables(["a=1", "_b-2==x", "a=2"]), ["a": "2", "_b-2": "=x"])
        for text in ["a", "=x", "1a=x", "a b=x", "me=x", "a="] {
            #expect(throws: AuthError.self) { try CheckTable.variables([text]) }
        }
    }
}
