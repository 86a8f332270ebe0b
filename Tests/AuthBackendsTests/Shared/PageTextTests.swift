import Platform
import Testing
import Transport

@testable import AuthBackends

/// HTML pages instead of a response, such as the login page of a captive portal.
@Suite struct PageTextTests {
    @Test(arguments: [
        ("<!DOCTYPE html>\n<html>\n<head><title>Hotel \u{1B}[31m WiFi</title>", "", "Hotel [31m WiFi"),
        ("\n\n<body onload='x'><p>Log in\tfirst</p>\nmore", "text/html", "Log in first"),
        ("Please log in\r\nto the network", "text/plain; charset=utf-8", "Please log in"),
        (
            "<\(String(repeating: "x", count: 300))>\(String(repeating: "y", count: 300))", "",
            String(repeating: "y", count: 200)
        ),
    ])
    func `an error message quotes the first line of text of a page`(page: String, type: String, line: String) {
        #expect(firstLine(Array(page.utf8), type) == line)
    }

    @Test(arguments: [
        (#"{"sessionToken":"r:secret","#, "text/html"), (#"{"a":1} {"sessionToken":"r:secret"}"#, "text/plain"),
        (#""r:secret"#, "text/plain"), ("\u{FEFF}{\"sessionToken\":\"r:secret\"", "text/plain"),
        ("for(;;);{\"sessionToken\":\"r:secret\"}", "text/plain"), ("ok r:secret", "application/json"),
        ("<html></html>", "text/html"), ("<html", "text/html"), ("  ", "text/html"),
    ])
    func `a text that may be truncated JSON is not quoted, because it could hold a session`(body: String, type: String)
    {
        #expect(firstLine(Array(body.utf8), type) == nil)
    }

    @Test func `bytes that are not UTF-8 are not quoted`() {
        #expect(firstLine([0x3C, 0xFF, 0xFE, 0x41], "") == nil)
    }

    @Test(arguments: ["correct horse", "corr<wbr>ect horse", "correct</b> <i>horse"])
    func `a masked secret in a quoted page is shown as redacted`(sent: String) {
        #expect(firstLine(Array("<p>you sent \(sent)".utf8), "", masking: "correct horse") == "you sent <redacted>")
    }

    @Test(arguments: ["Zq1!  Top&Secret", "Zq1!TopSecret<x>"], [0, 100, 188, 195, 200])
    func `no part of a secret is quoted where a page is cut, cleaned or escaped`(password: String, length: Int) throws {
        let text = String(repeating: "x", count: length)
        let line = try #require(
            firstLine(Array("<html>\(text)\(password)</html>".utf8), "text/html", masking: password))
        #expect(line == String("\(text)<redacted>".prefix(200)))
    }

    private func firstLine(_ body: [UInt8], _ type: String, masking secret: String = "") -> String? {
        let masker = Masker()
        masker.register(secret)
        let response = HTTPResponse(status: 200, headers: ["Content-Type": type], body: body)
        return PageText.firstLine(of: response, masker)
    }
}
