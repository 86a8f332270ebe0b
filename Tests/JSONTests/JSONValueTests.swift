import Expectations
import Foundation
import JSON
import MessageSnapshots

@Suite struct JSONValueTests {
    @Test func `the members of a JSON object keep their order`() {
        let value: JSONValue = ["v": 1, "kind": "token", "expiresAt": nil, "items": [true, "a"]]
        expect(value.text, #"{"v":1,"kind":"token","expiresAt":null,"items":[true,"a"]}"#)
    }

    @Test(arguments: [
        ("\"\\", #""\"\\""#),
        ("a\nb\u{1B}[2J", #""a\nb\u001b[2J""#),
        ("\u{9B}\u{202E}\u{7F}", #""\u009b\u202e\u007f""#),
        ("a\u{200B}\u{FEFF}\u{2060}", #""a\u200b\ufeff\u2060""#), ("\u{E0041}", #""\udb40\udc41""#),
        ("Žofie 😀 ❤️", #""Žofie 😀 ❤️""#),
    ])
    func `control and invisible characters in JSON are escaped and read back`(text: String, written: String) throws {
        expect(JSONValue.string(text).text, written)
        try expect(JSONValue(parsing: Array(written.utf8)), .string(text))
    }

    @Test(arguments: [
        (#"{"b":[1,2.5,null,true,"x"],"a":{}}"#, #"{"b":[1,2.5,null,true,"x"],"a":{}}"#),
        ("[9223372036854775807, 12345678901234567890, 1.50]", "[9223372036854775807,12345678901234567890,1.50]"),
        (#"{"é":"\u00e9\n","z":-9223372036854775808}"#, #"{"é":"é\n","z":-9223372036854775808}"#),
        (#"["\"\\\/\b\f\r\t","\uD83D\uDE00\u20ac"]"#, #"["\"\\/\u0008\u000c\r\t","😀€"]"#),
        (" \"x\"\r\n", "\"x\""), ("\u{FEFF}[1]", "[1]"),
    ])
    func `reading and writing JSON keeps numbers and the order of members`(text: String, expected: String) throws {
        try expect(JSONValue(parsing: Array(text.utf8)).text, expected)
    }

    static let malformed = [
        ("", 0),
        (#"{"a":1"#, 6),
        (#"{"a":1} x"#, 8),
        (#"{"a" 1}"#, 5),
        ("nul", 0),
        ("[1e400]", 1),
        (#"["\x"]"#, 2),
        (#"["\uD83D"]"#, 2),
        (#"["\uD83Dx"]"#, 2),
        (#"["\uD83D\u0041"]"#, 2),
        (#"["\uDE00"]"#, 2),
        (#"["\u12g4"]"#, 2),
        (#"["\"#, 3), (#"{"a":1,"b":{"a":2,"a":3}}"#, 18), (#"{"a":1,"\u0061":2}"#, 7), (#"{"a":1,}"#, 7),
        ("[1,]", 3),
        ("01", 0),
        ("\u{FEFF}\u{FEFF}[]", 3),
        ("NaN", 0),
    ]

    @Test func `a JSON syntax error has a byte offset and a description`() throws {
        let lines = try Self.malformed.map { text, offset in
            let error = try #require(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(text.utf8)) }
            expect(error.offset, offset)
            return "\(text.visible), byte \(offset): \(error.description)"
        }
        MessageFile("storage/syntax-errors").expect(lines.joined(separator: "\n"))
    }

    @Test(arguments: [2, 32, 33, 34, 100])
    func `a repeated member name is an error in JSON objects of any size`(count: Int) {
        let members = (0..<count).map { "\"k\($0)\":0" }
        for repeated in [0, count / 2, count - 1] {
            let text = "{\((members + ["\"k\(repeated)\":1"]).joined(separator: ","))}"
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text.utf8) }
        }
        #expect(throws: Never.self) { try JSONValue(parsing: "{\(members.joined(separator: ","))}".utf8) }
    }

    @Test func `a JSON string that is not UTF-8 is an error`() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) }
    }

    @Test func `a character with more than 100 combining marks in a JSON string is an error`() {
        for mark in ["\u{301}", "\\u0301"] {
            let marks = String(repeating: mark, count: 100)
            #expect(throws: Never.self) { try JSONValue(parsing: #"["a\#(marks)","a\#(marks)b\#(marks)"]"#.utf8) }
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: #"{"a\#(marks)\#(mark)":1}"#.utf8) }
        }
    }

    @Test func `nesting a JSON document too deeply is an error`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(deep.utf8)) }
    }
}
