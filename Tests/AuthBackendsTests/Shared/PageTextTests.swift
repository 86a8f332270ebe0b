import CommandTestSupport
import Platform

@testable import AuthBackends

/// HTML or plain-text pages that replace the response of a server, such as the login page of a captive portal.
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
    func `the quote from an unexpected page is the first line of its text`(page: String, type: String, line: String) {
        expect(firstLine(Array(page.utf8), type), line)
    }

    @Test(arguments: [
        (#"{"sessionToken":"r:secret","#, "text/html"), (#"{"a":1} {"sessionToken":"r:secret"}"#, "text/plain"),
        (#""r:secret"#, "text/plain"), ("\u{FEFF}{\"sessionToken\":\"r:secret\"", "text/plain"),
        ("for(;;);{\"sessionToken\":\"r:secret\"}", "text/plain"), ("ok r:secret", "application/json"),
        ("<html></html>", "text/html"), ("<html", "text/html"), ("  ", "text/html"),
    ])
    func `a response without text or with possibly truncated JSON is not quoted`(body: String, type: String) {
        expect(firstLine(Array(body.utf8), type), nil)
    }

    @Test func `a page that is not valid UTF-8 is not quoted`() {
        expect(firstLine([0x3C, 0xFF, 0xFE, 0x41], ""), nil)
    }

    @Test(arguments: ["correct horse", "corr<wbr>ect horse", "correct</b> <i>horse"])
    func `a secret in a quoted HTML page is shown as redacted`(sent: String) {
        expect(firstLine(Array("<p>you sent \(sent)".utf8), "", masking: "correct horse"), "you sent <redacted>")
    }

    @Test(arguments: ["Zq1!  Top&Secret", "Zq1!TopSecret<x>"], [0, 100, 188, 195, 200])
    func `a quoted page that is cut, cleaned or escaped reveals no secret`(password: String, length: Int) throws {
        let text = String(repeating: "x", count: length)
        let line = try #require(
            firstLine(Array("<html>\(text)\(password)</html>".utf8), "text/html", masking: password))
        expect(line, String("\(text)<redacted>".prefix(200)))
    }

    private func firstLine(_ body: [UInt8], _ type: String, masking secret: String = "") -> String? {
        let masker = Masker()
        masker.register(secret)
        let response = HTTPResponse(status: 200, headers: ["Content-Type": type], body: body)
        return PageText.firstLine(of: response, masker)
    }
}

/// Errors that the client recognizes only by their message, in which the password may be masked.
@Suite struct MaskedPhraseTests {
    @Test(arguments: [
        (
            AuthModel.Operation.logIn, "verified", #"{"non_field_errors":["E-mail is not verified."]}"#,
            AuthError.Reason.emailUnverified
        ),
        (.logIn, "attempts", #"{"non_field_errors":["Too many failed login attempts, retry later."]}"#, .rateLimited),
        (.signUp, "already", #"{"username":["A user with that username already exists."]}"#, .usernameTaken),
        (.signUp, "password1", #"{"password1":["This password is too short."]}"#, .weakPassword),
    ])
    func `a rest-auth error keeps its reason even if the error text contains the password`(
        operation: AuthModel.Operation, password: String, answer: String, reason: AuthError.Reason
    ) {
        let masker = Masker()
        masker.register(password)
        let response = HTTPResponse(status: 400, body: Array(answer.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        expect(
            RestAuthErrors.error(for: ServerResponse(response, to: request, operation, at: .sampleNow, masker)).reason,
            reason)
    }

    @Test(arguments: ["locked", "attempts", "account"])
    func `a Parse account lock is recognized even if the lockout text contains the password`(password: String) throws {
        let masker = Masker()
        masker.register(password)
        let text = "Your account is locked due to multiple failed login attempts. Please try again after 5 minute(s)"
        let response = HTTPResponse(status: 404, body: Array(#"{"code":101,"error":"\#(text)"}"#.utf8))
        let request = HTTPRequest(.post, "https://a.example/")
        let error = ParseErrors.error(for: ServerResponse(response, to: request, .logIn, at: .sampleNow, masker))
        expect(error.reason, .accountLocked)
        expect(error.retryAfter, 300)
        expect(error.server?.message?.contains(password), false)
    }
}
