import Expectations
import JSON
import MessageSnapshots

@testable import AuthClient

@Suite struct ConfigurationDocumentTests {
    @Test func `a configuration is written with one line per profile, sorted by name`() throws {
        let configuration = Configuration(
            profiles: [
                Profile(name: "work", settings: ["backend": "local", "server": nil]),
                Profile(name: "ci", settings: ["backend": "local"]),
            ])
        #expect(
            String(decoding: configuration.document, as: UTF8.self) == """
                {
                  "v": 1,
                  "profiles": {
                    "ci": {"backend":"local"},
                    "work": {"backend":"local","server":null}
                  }
                }

                """)
    }

    @Test func `an empty configuration is written with the file version and no profiles`() {
        expect(String(decoding: Configuration().document, as: UTF8.self), "{\n  \"v\": 1,\n  \"profiles\": {}\n}\n")
    }

    @Test func `a configuration is the same after writing and reading`() throws {
        let configuration = Configuration(
            profiles: [Profile(name: "a.b-c_1", settings: ["backend": "local", "x": [1, "é\n"]])])
        try expect(Configuration(document: configuration.document), configuration)
    }

    @Test func `a configuration keeps unknown JSON members when it is read and written`() throws {
        let text = """
            {"v":1,"theme":{"dark":true},"profiles":{"a":{"backend":"local","colour":"red"}}}
            """
        let written = try Configuration(document: Array(text.utf8)).document
        let value = try JSONValue(parsing: written)
        expect(value["theme"], ["dark": true])
        expect(value["profiles"]?["a"], ["backend": "local", "colour": "red"])
    }

    static let invalid = [
        "",
        "{\"v\":1,}",
        "{\"v\":1,\"v\":1}",
        #"{"v":1,"profiles":{"a":{},"a":{}}}"#,
        #"{"v":1,"profiles":{"a":{"x":1,"x":1}}}"#,
        "{\"v\":1}{}",
        "// no\n{\"v\":1}",
        "{\"v\":1",
        #"{"v":01}"#,
        #"{"v":+1}"#,
        #"{"v":1,"x":.5}"#,
        #"{"v":1,"x":5.}"#,
        #"{"v":1,"x":1e}"#,
        #"{"v":1,"x":-}"#,
        #"{"v":1,"x":"\q"}"#,
        #"{"v":1,"\u0061":1,"a":1}"#,
        "{\"v\":1,\"\u{E9}\":1,\"e\u{301}\":1}",
        "[]",
        "null",
        "{}",
        #"{"v":"1"}"#,
        #"{"v":0}"#,
        #"{"v":1,"profiles":{".a":{}}}"#,
        #"{"v":1,"profiles":{"a b":{}}}"#,
        #"{"v":1,"profiles":{"a":5}}"#,
        #"{"v":1,"profiles":[]}"#,
        #"{"v":1,"profiles":null}"#,
        #"{"v":1,"profiles":{"a":{"backend":5}}}"#,
        #"{"v":1,"profiles":{"a":{"server":{}}}}"#,
    ]

    @Test func `the error about an invalid configuration names the problem`() throws {
        let lines = try Self.invalid.map { text in
            let fault = try #require(throws: ConfigurationFault.self) { try Configuration(document: Array(text.utf8)) }
            return "\(text.visible): \(try #require(fault.broken).description)"
        }
        MessageFile("storage/configuration-file").expect(lines.joined(separator: "\n"))
    }

    @Test func `a truncated configuration is rejected at every length`() {
        let document = Configuration(
            profiles: [Profile(name: "ci", settings: ["backend": "local", "server": "é"])]
        ).document
        // If only the last byte, a newline, is missing, the document is still complete.
        for length in 0..<(document.count - 1) {
            #expect(throws: ConfigurationFault.self, "\(length)") {
                try Configuration(document: Array(document.prefix(length)))
            }
        }
    }

    @Test func `the error about a syntax error in the configuration contains the byte offset`() throws {
        let text = #"{"v":1, "profiles": oops}"#
        let fault = #expect(throws: ConfigurationFault.self) { try Configuration(document: Array(text.utf8)) }
        try expect(#require(fault?.broken).offset, 20)
    }

    @Test func `the error about a newer configuration file names the file version`() throws {
        let text = #"{"v":2,"profiles":[]}"#
        let fault = try #require(throws: ConfigurationFault.self) { try Configuration(document: Array(text.utf8)) }
        expect(fault.newerVersion, 2)
    }
}

extension ConfigurationFault {
    fileprivate var broken: (offset: Int?, description: String)? {
        if case .broken(let offset, let description) = self { (offset, description) } else { nil }
    }

    fileprivate var newerVersion: Int64? {
        if case .newerVersion(let version) = self { version } else { nil }
    }
}
