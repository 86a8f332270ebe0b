import AuthModel
import JSON
import Testing
import Transport

@testable import AuthBackends

/// Servers repeat what they were sent: in texts, names of fields, pages and debug pages.
@Suite struct RestAuthSecrecyTests {
    static let endpoints = RestAuthEndpoints(base: "https://a.example/auth")
    static let secrets = ["pass-w0rd", "new-w0rd", "0a1b-key", "74a4-3c2e", "ephemeral-1", "fb-token", "refresh-1"]

    /// Every request with something in it that nobody else may see.
    static let requests: [(HTTPRequest, Operation)] = {
        let session = Session(token: Secret("0a1b-key"))
        let password = Secret("pass-w0rd")
        var withRefresh = session
        withRefresh.refreshToken = Secret("refresh-1")
        return [
            (endpoints.signUp(NewAccount(username: "ada", password: password)), .signUp),
            (endpoints.logIn(.username("ada"), password), .logIn),
            (endpoints.verify(Secret("74a4-3c2e"), Secret("ephemeral-1")), .secondFactor),
            (endpoints.currentUser(session), .currentUser), (endpoints.currentUser(session), .logInWithToken),
            (endpoints.logOut(session), .logOut), (endpoints.logOut(withRefresh), .logOut),
            (endpoints.refresh(Secret("refresh-1")), .refresh),
            (endpoints.changePassword(from: password, to: Secret("new-w0rd"), session), .changePassword),
            (endpoints.verifyEmail(key: "74a4-3c2e"), .verifyEmail),
            (endpoints.logIn(facebook: Secret("fb-token")), .logInWithFacebook),
            (endpoints.linkFacebook(Secret("fb-token"), session), .linkFacebook),
            (endpoints.socialAccounts(session), .listIdentities),
            (endpoints.disconnect(id: "3", session), .unlinkFacebook),
        ]
    }()

    @Test func `no error repeats a password that the server stripped of its white space`() throws {
        let request = Self.endpoints.logIn(.username("ada"), Secret("  pass-w0rd "))
        let response = HTTPResponse(status: 400, body: Array(#"{"non_field_errors":["not 'pass-w0rd'"]}"#.utf8))
        let error = try failure {
            _ = try RestAuthErrors.check(response.redacted(for: request), to: request, .logIn, now: .sampleNow)
        }
        #expect(error.server?.message == "not '<redacted>'")
    }

    @Test func `no error repeats a token of the session that was not sent`() throws {
        var session = Session(token: Secret("0a1b-key"), refreshToken: Secret("refresh-1"))
        session.earlierTokens = [Secret("earlier-1")]
        let body = Array(#"{"detail":"0a1b-key, refresh-1, earlier-1"}"#.utf8)
        for request in [Self.endpoints.logOut(session), Self.endpoints.currentUser(session)] {
            let error = try failure {
                _ = try RestAuthErrors.check(
                    HTTPResponse(status: 400, body: body).redacted(for: request), to: request, .logOut, now: .sampleNow)
            }
            #expect(error.server?.message == "<redacted>, <redacted>, <redacted>")
        }
    }

    @Test func `a long name of a field is cut, and thousands of faults are left out`() throws {
        let name = String(repeating: "x", count: 100_000)
        let texts = (0..<1000).map { JSONValue.string("text \($0)") }
        let faults = RestAuthFaults([name: .array(texts)])
        #expect(faults.fields.count == 100)
        #expect(faults.fields.allSatisfy { $0.field.utf8.count == 200 })
    }

    @Test func `a user does not hold the tokens that a site repeats beside the name`() throws {
        let user = #"{"pk":7,"username":"ada","jwt":"0a1b","auth":{"deep":["x 0a1b x"]},"zip":"8001"}"#
        let backend = RestAuthBackend.replaying(.get("user/", as: "Token 0a1b", 200, user))
        #expect(
            try backend.currentUser(.key).value.fields == [
                "jwt": "<redacted>", "auth": ["deep": ["x <redacted> x"]], "zip": "8001",
            ])
    }

    @Test(arguments: [200, 400, 401, 403, 404, 405, 429, 500, 502])
    func `no error repeats what was sent in secret`(status: Int) throws {
        for (request, call) in Self.requests {
            let sent = Self.secrets.filter { Self.text(of: request).contains($0) }
            #expect(!sent.isEmpty)
            for (type, body) in Self.answers(repeating: sent.joined(separator: " ")) {
                let response = HTTPResponse(status: status, headers: ["Content-Type": type], body: Array(body.utf8))
                var shown = ""
                do {
                    _ = try RestAuthErrors.check(response.redacted(for: request), to: request, call, now: .sampleNow)
                } catch {
                    dump(error, to: &shown)
                }
                for secret in sent where shown.contains(secret) {
                    Issue.record("\(call), \(type), \(status): \(secret) in \(shown)")
                }
            }
        }
    }

    private static func text(of request: HTTPRequest) -> String {
        request.headers.fields.map(\.value).joined() + String(decoding: request.body ?? [], as: UTF8.self)
    }

    private static func answers(repeating text: String) -> [(type: String, body: String)] {
        [
            ("application/json", #"{"detail":"\#(text)","code":"\#(text)"}"#),
            ("application/json", #"{"non_field_errors":["\#(text)"]}"#),
            ("application/json", #"{"password1":["\#(text)"],"email":{"x":"\#(text)"}}"#),
            ("application/json", #"{"\#(text)":["wrong"]}"#), ("application/json", #"["\#(text)"]"#),
            ("text/html", "<html><title>\(text)</title><p>\(text)</p></html>"),
            ("text/plain; charset=utf-8", "RuntimeError at /login\nPOST: \(text)"),
        ]
    }

    @Test func `no key, token or password becomes a field of a user`() throws {
        let body =
            #"{"pk":7,"username":"ada","key":"0a1b-key","token":"0a1b-key","password":"pass-w0rd","#
            + #""refresh":"refresh-1","access":"0a1b-key","refresh_token":"refresh-1","_token":"fb-token"}"#
        let user = RestAuthPayloads.namedUser(try JSONValue(parsing: Array(body.utf8)))
        #expect(user == User(id: "7", username: "ada"))
    }
}
