import Foundation
import JSON
import Testing

@Suite struct JSONValueTests {
    @Test func `keeps the order of members when it writes`() {
        let value: JSONValue = ["v": 1, "kind": "token", "expiresAt": nil, "items": [true, "a"]]
        #expect(value.text == #"{"v":1,"kind":"token","expiresAt":null,"items":[true,"a"]}"#)
    }

    @Test(arguments: [
        ("\"\\", #""\"\\""#),
        ("a\nb\u{1B}[2J", #""a\nb\u001b[2J""#),
        ("\u{9B}\u{202E}\u{7F}", #""\u009b\u202e\u007f""#),
        ("Žofie 😀", #""Žofie 😀""#),
    ])
    func `escapes what a terminal would act on, and reads it back`(text: String, written: String) throws {
        #expect(JSONValue.string(text).text == written)
        #expect(try JSONValue(parsing: Data(written.utf8)) == .string(text))
    }

    @Test(arguments: [
        (#"{"b":[1,2.5,null,true,"x"],"a":{}}"#, #"{"a":{},"b":[1,2.5,null,true,"x"]}"#),
        // Beyond the standard, and harmless: FoundationEssentials' reader takes these.
        (#"{"a":1,}"#, #"{"a":1}"#),
        (#"{"a":1,"a":2}"#, #"{"a":1}"#),
        ("\u{FEFF}[9223372036854775807, 9223372036854775808]", "[9223372036854775807,9.223372036854776e+18]"),
    ])
    func `reads documents`(text: String, expected: String) throws {
        #expect(try JSONValue(parsing: Data(text.utf8)).text == expected)
    }

    @Test(arguments: [
        ("", 0, "the text ends too early"),
        (#"{"a":1"#, 6, "the text ends too early"),
        (#"{"a":1} x"#, 8, "something stands behind the document"),
        (#"{"a" 1}"#, 5, "':' was expected"),
        ("nul", 0, "a value was expected"),
        ("[1e400]", 1, "a value was expected"),
        (#"["\x"]"#, 2, "a string that cannot be read"),
    ])
    func `says where a document is broken`(text: String, offset: Int, description: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Data(text.utf8)) }
        #expect(error?.offset == offset)
        #expect(error?.description == description)
    }

    @Test(arguments: [(#"{"a":1,"b":{"a":2,"a":3}}"#, 18), (#"{"a":1,}"#, 7), ("[1,]", 3)])
    func `a strict check refuses repeated names and trailing commas`(text: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONSyntax.check(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        #"{"b":[1,2.5,null,true,false,"x"],"a":{}}"#, #"{"é":"\u00e9\n","z":-9223372036854775808}"#, #"[]"#, #""x""#,
    ])
    func `a strict reading keeps the order of members, and is the same value`(text: String) throws {
        let strict = try JSONSyntax.parse(Array(text.utf8))
        let sorted = try JSONValue(parsing: Data(strict.text.utf8))
        #expect(try JSONValue(parsing: Data(text.utf8)) == sorted)
        #expect(strict.text.utf8.count <= text.utf8.count)
        #expect(try JSONSyntax.parse(Array(#"{"b":1,"a":2}"#.utf8)).object?.names == ["b", "a"])
    }

    @Test func `a string that is no UTF-8 is a fault`() {
        #expect(throws: JSONSyntaxError.self) { try JSONSyntax.parse([0x22, 0xFF, 0x22]) }
        #expect(throws: JSONSyntaxError.self) { try JSONSyntax.parse([0x22, 0x5C, 0x6E, 0xFF, 0x22]) }
    }

    @Test func `nesting has an end`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Data(deep.utf8)) }
    }
}
