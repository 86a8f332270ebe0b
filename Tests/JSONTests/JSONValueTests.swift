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
        #expect(try JSONValue(parsing: Array(written.utf8)) == .string(text))
    }

    @Test(arguments: [
        (#"{"b":[1,2.5,null,true,"x"],"a":{}}"#, #"{"b":[1,2.5,null,true,"x"],"a":{}}"#),
        ("[9223372036854775807, 9223372036854775808]", "[9223372036854775807,9.223372036854776e+18]"),
        (#"{"é":"\u00e9\n","z":-9223372036854775808}"#, #"{"é":"é\n","z":-9223372036854775808}"#),
        (#"["\"\\\/\b\f\r\t","\uD83D\uDE00\u20ac"]"#, #"["\"\\/\u0008\u000c\r\t","😀€"]"#),
        (" \"x\"\r\n", "\"x\""),
    ])
    func `reads documents, their members in their order`(text: String, expected: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)).text == expected)
    }

    @Test(arguments: [
        ("", 0, "the text ends too early"),
        (#"{"a":1"#, 6, "the text ends too early"),
        (#"{"a":1} x"#, 8, "something stands behind the document"),
        (#"{"a" 1}"#, 5, "':' was expected"),
        ("nul", 0, "a value was expected"),
        ("[1e400]", 1, "a value was expected"),
        (#"["\x"]"#, 2, "a string that cannot be read"),
        (#"["\uD83D"]"#, 2, "a string that cannot be read"), (#"["\uD83Dx"]"#, 2, "a string that cannot be read"),
        (#"["\uD83D\u0041"]"#, 2, "a string that cannot be read"), (#"["\uDE00"]"#, 2, "a string that cannot be read"),
        (#"["\u12g4"]"#, 2, "a string that cannot be read"), (#"["\"#, 3, "the text ends too early"),
        (#"{"a":1,"b":{"a":2,"a":3}}"#, 18, "this name stands twice in one object"),
        (#"{"a":1,"\u0061":2}"#, 7, "this name stands twice in one object"),
        (#"{"a":1,}"#, 7, "'\"' was expected"), ("[1,]", 3, "a value was expected"), ("01", 0, "a value was expected"),
        ("\u{FEFF}[]", 0, "a value was expected"), ("NaN", 0, "a value was expected"),
    ])
    func `says where a document is broken`(text: String, offset: Int, description: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(text.utf8)) }
        #expect(error?.offset == offset)
        #expect(error?.description == description)
    }

    @Test(arguments: [2, 32, 33, 34, 100])
    func `a name that stands twice is a fault, however many there are`(count: Int) {
        let members = (0..<count).map { "\"k\($0)\":0" }
        for repeated in [0, count / 2, count - 1] {
            let text = "{\((members + ["\"k\(repeated)\":1"]).joined(separator: ","))}"
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: text.utf8) }
        }
        #expect(throws: Never.self) { try JSONValue(parsing: "{\(members.joined(separator: ","))}".utf8) }
    }

    @Test func `a string that is no UTF-8 is a fault`() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) }
    }

    @Test func `nesting has an end`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: Array(deep.utf8)) }
    }
}
