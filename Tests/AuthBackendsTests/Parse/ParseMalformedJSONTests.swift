import AuthModel
import Foundation
import JSON
import Testing
import Transport

@testable import AuthBackends

/// Login responses with unusual or malformed JSON.
@Suite struct ParseMalformedJSONTests {
    static let good: [(body: String, token: String)] = [
        (#"{"sessionToken":"r:1","n":123456789012345678901234567890}"#, "r:1"),
        (#"{"sessionToken":"r:1","createdAt":"99999-01-01T00:00:00Z","updatedAt":"-1"}"#, "r:1"),
        (#"{"sessionToken":"r:1","createdAt":"2026-99-99T99:99:99.999Z"}"#, "r:1"),
        ("{\"sessionToken\":\"\\u0072:1\"}\r\n\t ", "r:1"),
    ]

    @Test(arguments: good)
    func `unusual but valid JSON is parsed`(body: String, token: String) throws {
        #expect(try payload(Array(body.utf8))["sessionToken"] == .string(token))
    }

    static let broken: [String] = [
        #"{"sessionToken":"r:1","sessionToken":"r:2"}"#, #"{"sessionToken":"r:1",}"#,
        "\u{FEFF}{\"sessionToken\":\"r:1\"}",
        #"{"SessionToken":"r:1"}"#, #"{"sessiontoken":"r:1"}"#,
        #"{"sessionToken":"r:1"} x"#, #"{"sessionToken":"r:1"}{"sessionToken":"r:2"}"#, #"[{"sessionToken":"r:1"}]"#,
        #"{"sessionToken":"r:1","n":NaN}"#, #"{"sessionToken":"r:1","n":Infinity}"#,
        #"{"sessionToken":"r:1","n":1e400}"#,
        #"{"sessionToken":"r:1","n":"\ud800"}"#, #"{"sessionToken":"r:1""#, #"{"sessionToken":"r:1"#,
        #"{'sessionToken':'r:1'}"#, #"{sessionToken:"r:1"}"#, "{\"sessionToken\":\"r:1\",\"n\":\"\n\"}",
        #"{"sessionToken":"r:1"/*x*/}"#, #"{"sessionToken":{"a":"r:1"}}"#, #"{"user":{"sessionToken":"r:1"}}"#,
    ]

    @Test(arguments: broken)
    func `malformed JSON is an invalid response, and none of it is shown`(body: String) throws {
        try expectBroken(Array(body.utf8))
    }

    private func payload(_ body: [UInt8]) throws -> JSONObject {
        try ParseErrors.check(HTTPResponse(status: 200, body: body), .logIn)
    }

    private func expectBroken(_ body: [UInt8]) throws {
        let error = try failure { _ = try payload(body) }
        #expect(error.reason == .invalidResponse)
        #expect(!error.message.contains("r:1"))
    }
}
