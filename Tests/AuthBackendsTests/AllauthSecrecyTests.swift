import AuthModel
import JSON
import Testing
import Transport

@testable import AuthBackends

/// Servers repeat what they were sent: in texts, codes, names of fields and pages.
@Suite struct AllauthSecrecyTests {
    static let endpoints = AllauthEndpoints(base: AllauthSample.base)
    static let secrets = ["pass-w0rd", "new-w0rd", "s3ssion-1", "74a4-3c2e", "fb-token", "refresh-1"]

    /// Every request with something in it that nobody else may see.
    static let requests: [(HTTPRequest, Operation)] = {
        let session = Session(token: Secret("s3ssion-1"))
        let (password, code) = (Secret("pass-w0rd"), Secret("74a4-3c2e"))
        return [
            (endpoints.signUp(NewAccount(username: "ada", password: password)), .signUp),
            (endpoints.logIn(.username("ada"), password), .logIn),
            (endpoints.authenticate(code: code, session.token), .secondFactor),
            (endpoints.currentUser(session), .currentUser), (endpoints.currentUser(session), .logInWithToken),
            (endpoints.logOut(session), .logOut), (endpoints.refresh(Secret("refresh-1")), .refresh),
            (endpoints.sessions(session), .listSessions), (endpoints.endSession(id: 4, session), .revokeSessions),
            (endpoints.changePassword(from: password, to: Secret("new-w0rd"), session), .changePassword),
            (endpoints.emails(session), .currentUser),
            (endpoints.sendVerification(email: "a@b.c", session), .sendVerification),
            (endpoints.resendCode(session.token), .sendVerification),
            (endpoints.verifyEmail(key: "74a4-3c2e", session), .verifyEmail),
            (
                endpoints.facebook(.accessToken(Secret("fb-token")), clientID: "fbapp", process: .login, nil),
                .logInWithFacebook
            ),
            (
                endpoints.facebook(.accessToken(Secret("fb-token")), clientID: "fbapp", process: .connect, session),
                .linkFacebook
            ),
            (endpoints.providerSignUp(session.token), .listIdentities), (endpoints.providers(session), .listIdentities),
            (endpoints.disconnect(facebookID: "3", session), .unlinkFacebook),
        ]
    }()

    @Test(arguments: [200, 400, 401, 403, 404, 405, 409, 410, 429, 500, 502])
    func `no error repeats what was sent in secret`(status: Int) throws {
        for (request, call) in Self.requests {
            let sent = Self.secrets.filter { Self.text(of: request).contains($0) }
            #expect(!sent.isEmpty)
            for (type, body) in Self.answers(status, repeating: sent.joined(separator: " ")) {
                let response = HTTPResponse(status: status, headers: ["Content-Type": type], body: Array(body.utf8))
                var shown = ""
                do {
                    let answer = try AllauthErrors.check(
                        response.redacted(for: request), to: request, call, now: .sampleNow)
                    dump(AllauthErrors.error(for: answer, call), to: &shown)
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

    private static func answers(_ status: Int, repeating text: String) -> [(type: String, body: String)] {
        let fault = #"{"message":"\#(text)","code":"\#(text)","param":"\#(text)"}"#
        let flow = #"{"id":"\#(text)","is_pending":true}"#
        let meta = #""meta":{"is_authenticated":false,"session_token":"x"}"#
        return [
            ("application/json", #"{"status":\#(status),"errors":[\#(fault)],\#(meta)}"#),
            ("application/json", #"{"status":\#(status),"data":{"flows":[\#(flow)]},"errors":[\#(fault)],\#(meta)}"#),
            ("application/json", #"["\#(text)"]"#),
            ("text/html", "<html><title>\(text)</title><p>\(text)</p></html>"),
            ("text/plain; charset=utf-8", "RuntimeError at /login\nPOST: \(text)"),
        ]
    }
}
