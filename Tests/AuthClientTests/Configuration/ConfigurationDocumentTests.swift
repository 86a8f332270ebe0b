import JSON
import Testing

@testable import AuthClient

@Suite struct ConfigurationDocumentTests {
    @Test func `is written with a line a profile, in the order of their names`() throws {
        let configuration = Configuration(
            current: "ci",
            profiles: [
                Profile(name: "work", settings: ["backend": "local", "server": nil]),
                Profile(name: "ci", settings: ["backend": "local"]),
            ])
        #expect(
            String(decoding: configuration.document, as: UTF8.self) == """
                {
                  "v": 1,
                  "current": "ci",
                  "profiles": {
                    "ci": {"backend":"local"},
                    "work": {"backend":"local","server":null}
                  }
                }

                """)
    }

    @Test func `is written short while there is nothing in it`() {
        #expect(String(decoding: Configuration().document, as: UTF8.self) == "{\n  \"v\": 1,\n  \"profiles\": {}\n}\n")
    }

    @Test func `is the same after writing and reading`() throws {
        let configuration = Configuration(
            current: "a.b-c_1", profiles: [Profile(name: "a.b-c_1", settings: ["backend": "local", "x": [1, "é\n"]])])
        #expect(try Configuration(document: configuration.document) == configuration)
    }

    @Test func `keeps members that it does not know`() throws {
        let text = """
            {"v":1,"theme":{"dark":true},"current":"a","profiles":{"a":{"backend":"local","colour":"red"}}}
            """
        let written = try Configuration(document: Array(text.utf8)).document
        let value = try JSONValue(parsing: written)
        #expect(value["theme"] == ["dark": true])
        #expect(value["profiles"]?["a"] == ["backend": "local", "colour": "red"])
    }

    @Test(arguments: [
        ("", "the text ends too early"),
        ("\u{FEFF}{\"v\":1}", "a value was expected"),
        ("{\"v\":1,}", "'\"' was expected"),
        ("{\"v\":1,\"v\":1}", "this name stands twice in one object"),
        (#"{"v":1,"profiles":{"a":{},"a":{}}}"#, "this name stands twice in one object"),
        (#"{"v":1,"profiles":{"a":{"x":1,"x":1}}}"#, "this name stands twice in one object"),
        ("{\"v\":1}{}", "something stands behind the document"),
        ("// no\n{\"v\":1}", "a value was expected"),
        ("{\"v\":1", "the text ends too early"),
        (#"{"v":01}"#, "a value was expected"),
        (#"{"v":+1}"#, "a value was expected"),
        (#"{"v":1,"x":.5}"#, "a value was expected"),
        (#"{"v":1,"x":5.}"#, "a value was expected"),
        (#"{"v":1,"x":1e}"#, "a value was expected"),
        (#"{"v":1,"x":-}"#, "a value was expected"),
        (#"{"v":1,"x":"\q"}"#, "a string that cannot be read"),
        (#"{"v":1,"\u0061":1,"a":1}"#, "this name stands twice in one object"),
        ("{\"v\":1,\"\u{E9}\":1,\"e\u{301}\":1}", "this name stands twice in one object"),
        ("[]", "it has no version 'v'"),
        ("null", "it has no version 'v'"),
        ("{}", "it has no version 'v'"),
        (#"{"v":"1"}"#, "it has no version 'v'"),
        (#"{"v":0}"#, "it has no version 'v'"),
        (#"{"v":1,"profiles":{".a":{}}}"#, "profile '.a' has a wrong name or is no object"),
        (#"{"v":1,"profiles":{"a b":{}}}"#, "profile 'a b' has a wrong name or is no object"),
        (#"{"v":1,"profiles":{"a":5}}"#, "profile 'a' has a wrong name or is no object"),
        (#"{"v":1,"profiles":[]}"#, "'profiles' is no object"),
        (#"{"v":1,"profiles":null}"#, "'profiles' is no object"),
        (#"{"v":1,"current":5}"#, "'current' is no text"),
        (#"{"v":1,"profiles":{"a":{"backend":5}}}"#, "'backend' of profile 'a' is no text"),
        (#"{"v":1,"profiles":{"a":{"server":{}}}}"#, "'server' of profile 'a' is no text"),
    ])
    func `is read strictly`(text: String, description: String) throws {
        let fault = #expect(throws: ConfigurationFault.self) { try Configuration(document: Array(text.utf8)) }
        #expect(try #require(fault?.broken).description == description)
    }

    @Test func `is not read when it is not UTF-8`() {
        let bytes = Array(#"{"v":1,"x":""#.utf8) + [0xFF] + Array("\"}".utf8)
        #expect(throws: ConfigurationFault.self) { try Configuration(document: bytes) }
    }

    @Test func `is not read when it ends early, wherever it ends`() {
        let document = Configuration(
            current: "ci", profiles: [Profile(name: "ci", settings: ["backend": "local", "server": "é"])]
        ).document
        // Without its last byte, a newline, it is whole.
        for length in 0..<(document.count - 1) {
            #expect(throws: ConfigurationFault.self, "\(length)") {
                try Configuration(document: Array(document.prefix(length)))
            }
        }
    }

    @Test func `names the byte at which it is wrong`() throws {
        let text = #"{"v":1, "current": oops}"#
        let fault = #expect(throws: ConfigurationFault.self) { try Configuration(document: Array(text.utf8)) }
        #expect(try #require(fault?.broken).offset == 19)
    }

    @Test func `is not read when a newer version wrote it`() throws {
        let text = #"{"v":2,"profiles":[]}"#
        let fault = #expect(throws: ConfigurationFault.self) { try Configuration(document: Array(text.utf8)) }
        guard case .newerVersion(let version) = try #require(fault) else {
            Issue.record("not told apart: \(String(describing: fault))")
            return
        }
        #expect(version == 2)
    }
}

extension ConfigurationFault {
    fileprivate var broken: (offset: Int?, description: String)? {
        if case .broken(let offset, let description) = self { (offset, description) } else { nil }
    }
}
