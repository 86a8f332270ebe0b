import Expectations
import JSON

/// The elements of a list, with the exact bytes that the server sent.
@Suite struct JSONListTests {
    private func elements(_ text: String) throws -> (elements: [String], form: JSONList.Form) {
        let bytes = Array(text.utf8)
        let list = try JSONList(parsing: bytes)
        return (list.elements.map { String(decoding: bytes[$0], as: UTF8.self) }, list.form)
    }

    @Test(
        arguments: [
            (#"{"results":[],"next":"a"}"#, .link("a")), (#"{"results":[],"next":null}"#, .none),
            (#"{"links":{"next":"https:\/\/a.example\/?p\u003d2"},"results":[]}"#, .link("https://a.example/?p=2")),
            (#"{"meta":{"pagination":{"next":"?p=2","total":25}},"data":[]}"#, .link("?p=2")),
            (#"{"next":5,"results":[]}"#, .unknown(member: "next")),
            (#"{"next":true,"next_page":3,"results":[]}"#, .unknown(member: "next")),
            (#"{"has_next":true,"results":[]}"#, .unknown(member: "has_next")),
            (#"{"hasNext":false,"nextPage":0,"next_url":"","nextRun":null,"results":[]}"#, .unnamed),
            (#"{"next_run":"2026","next":null,"results":[]}"#, .none), (#"{"results":[{"next":"a"}]}"#, .unnamed),
            (#"{"previous":{"next":"a"},"results":[]}"#, .unnamed), ("[]", .unnamed),
        ] as [(String, JSONList.More.Next)])
    func `the members outside of a JSON list tell where the next page is`(text: String, next: JSONList.More.Next) throws
    {
        try expect(JSONList(parsing: Array(text.utf8)).more.next, next)
    }

    @Test(
        arguments: [
            (#"{"count":3,"results":[1]}"#, 2, true), (#"{"count":3,"results":[1]}"#, 3, false),
            (#"{"count":3,"next":null,"results":[1]}"#, 1, false), (#"{"count":3,"next":"a","results":[1]}"#, 1, false),
            (#"{"count":3,"results":[]}"#, 0, false), (#"{"meta":{"total":3},"data":[1]}"#, 1, true),
            (#"{"total":300,"data":[1]}"#, 1, true), (#"{"total_count":2,"data":[1,2]}"#, 2, false),
            (#"{"page":1,"pages":3,"items":[1]}"#, 1, true), (#"{"page":3,"total_pages":3,"items":[1]}"#, 1, false),
            (#"{"totalPages":2,"rows":[1]}"#, 1, true), (#"{"has_more":true,"data":[1]}"#, 1, true),
            (#"{"hasMore":false,"data":[1]}"#, 1, false), (#"{"data":{"rows":[1],"total":3}}"#, 1, true),
            (#"{"data":{"rows":[1],"total":1}}"#, 1, false), (#"{"response":{"items":[1],"next":"a"}}"#, 1, true),
            (#"{"items":[1],"page":2,"perPage":1,"totalItems":9,"totalPages":9}"#, 1, false),
            (#"{"next_cursor":"x","data":[1]}"#, 1, true),
            (#"{"count":25,"rows":[1]}"#, 1, true), (#"{"next":"a","rows":[1]}"#, 1, true),
            (#"{"id":7,"count":25}"#, 1, false), (#"{"id":7,"next_payment":"2027"}"#, 1, false), ("[1]", 1, false),
        ])
    func `a JSON list ends silently only if it announces no further items`(text: String, shown: Int, expected: Bool)
        throws
    {
        try expect(JSONList(parsing: Array(text.utf8)).announcesMore(than: shown), expected)
    }

    @Test(
        arguments: [
            ("[]", [], .array), ("[ ]", [], .array), (" [1, 2 ,3]\r\n", ["1", "2", "3"], .array),
            (#"[{"b":1,"a":2}, [], "x"]"#, [#"{"b":1,"a":2}"#, "[]", #""x""#], .array),
            (#"{"results":[]}"#, [], .results), (#"{"data":[1],"status":200}"#, ["1"], .data),
            (#"{"count":9,"next":null,"previous":null,"results":[{"id":1}]}"#, [#"{"id":1}"#], .results),
            (#"{"items":[1],"next":"x"}"#, ["1"], .data), (#"{"items":[1],"count":1}"#, ["1"], .data),
            (#"{"data":{"a":[1]}}"#, [#"{"data":{"a":[1]}}"#], .single),
            (#"{"items":[1,{}],"page":2,"perPage":2,"totalItems":-1}"#, ["1", "{}"], .items(perPage: 2)),
            (#"{"items":[1]}"#, [#"{"items":[1]}"#], .single), (#"{"perPage":1}"#, [#"{"perPage":1}"#], .single),
            (#"{"results":[1],"items":[2],"perPage":1}"#, ["1"], .results),
            (#"{"next":"x"}"#, [#"{"next":"x"}"#], .single), (#"{"results":{}}"#, [#"{"results":{}}"#], .single),
            (#" {"id":7} "#, [#"{"id":7}"#], .single), ("{}", ["{}"], .single), (" null ", ["null"], .single),
            (#""results""#, [#""results""#], .single), ("-0.50", ["-0.50"], .single),
        ] as [(String, [String], JSONList.Form)])
    func `the elements of a JSON list are found, and any other document counts as one element`(
        text: String, expected: [String], form: JSONList.Form
    ) throws {
        let list = try elements(text)
        expect(list.elements, expected)
        expect(list.form, form)
    }

    @Test(arguments: [
        "1.0", "1e400", "-1E-2", "123456789012345678901234567890", #""\u00e9\/\ud83d""#, #""\udE00 \ud83D\uDE00""#,
        #"{"a":1,"a":2}"#, #"{"results":[1]}"#, #"{"\ud83d":1}"#, "[1, [ 2 ] ]", #""[,]{\"}""#,
    ])
    func `an element of a JSON list keeps its exact bytes`(element: String) throws {
        for text in ["[\(element)]", "[ \(element) , 1]", #"{"results":[\#(element)\#n]}"#] {
            try expect(elements(text).elements.first, element, "\(text)")
        }
    }

    @Test(arguments: [
        ("", 0), ("[", 1), ("[1", 2), ("[1,", 3), ("[1,]", 3), ("[1 2]", 3), ("[1]]", 3), ("[1] x", 4), ("[01]", 1),
        (#"["a"#, 3), (#"["a\"#, 4), ("[\"a\nb\"]", 3), ("[nul]", 1), (#"{"results":[1}"#, 13),
        (#"{"results":[1]"#, 14),
        (#"{"a"}"#, 4), (#"{a:1}"#, 1), (#"[{"a":1,}]"#, 8), ("<html>", 0), ("[-]", 1), ("[1.]", 1), ("[.5]", 1),
    ])
    func `the error about a malformed JSON document contains the byte offset`(text: String, offset: Int) throws {
        let error = try #require(throws: JSONSyntaxError.self) { try JSONList(parsing: Array(text.utf8)) }
        expect(error.offset, offset)
    }

    @Test func `a JSON list may contain bytes that are not UTF-8`() throws {
        let bytes: [UInt8] = Array("[\"".utf8) + [0xFF, 0xC3] + Array("\"]".utf8)
        try expect(JSONList(parsing: bytes).elements, [1..<5])
    }

    @Test func `a JSON list may be nested 500 levels deep, but not a million`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        try expect(JSONList(parsing: nested(500)).elements, [1..<999])
        #expect(throws: JSONSyntaxError.self) { try JSONList(parsing: nested(1_000_000)) }
    }
}
