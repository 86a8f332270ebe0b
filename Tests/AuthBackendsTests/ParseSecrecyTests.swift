import AuthModel
import CommandTestSupport
import JSON
import Testing
import Transport

@testable import AuthBackends

/// A server may repeat what it was sent, in any member.
@Suite struct ParseSecrecyTests {
    static let endpoints = ParseEndpoints(base: "https://a.example/parse", appID: "app", clientKey: Secret("rest-k3y"))
    static let secrets = ["pass-w0rd", "new-w0rd", "r:t0ken-1", "74a4-3c2e", "fb-token", "rest-k3y", "anon-0707"]

    static let requests: [(HTTPRequest, AuthBackends.Operation)] = {
        let session = Session(token: Secret("r:t0ken-1"))
        let (password, token) = (Secret("pass-w0rd"), Secret("fb-token"))
        let credentials = Credentials(login: "ada", password: password)
        let identity: JSONValue = ["id": "1", "access_token": "fb-token"]
        return [
            (endpoints.signUp(NewAccount(username: "ada", password: password)), .signUp),
            (endpoints.signUpAnonymously(identity: "anon-0707"), .logInAnonymously),
            (endpoints.logIn(credentials), .logIn),
            (endpoints.logIn(credentials, code: Secret("74a4-3c2e")), .secondFactor),
            (endpoints.currentUser(session), .currentUser), (endpoints.currentUser(session), .logInWithToken),
            (endpoints.logOut(session), .logOut), (endpoints.sessions(session, skipping: 0), .listSessions),
            (endpoints.endSession(id: "x", session), .revokeSession),
            (endpoints.changePassword(to: Secret("new-w0rd"), id: "1", session), .changePassword),
            (endpoints.logIn(facebook: identity, token), .logInWithFacebook),
            (endpoints.linkFacebook(identity, token, id: "1", session), .linkFacebook),
            (endpoints.unlinkFacebook(id: "1", session), .unlinkFacebook),
            (endpoints.resetPassword(email: "a@b.c"), .requestPasswordReset),
            (endpoints.verifyEmail(key: "74a4-3c2e"), .verifyEmail),
        ]
    }()

    @Test(arguments: [200, 400, 401, 403, 404, 429, 500, 502])
    func `no error repeats a secret of the request`(status: Int) throws {
        for (request, operation) in Self.requests {
            let text =
                request.url + request.headers.fields.map(\.value).joined()
                + String(decoding: request.body ?? [], as: UTF8.self)
            let sent = Self.secrets.filter { text.contains($0) }
            #expect(!sent.isEmpty)
            let said = sent.joined(separator: " ")
            for body in [
                #"{"code":4242,"error":"\#(said)"}"#, #"{"code":1,"message":"\#(said)"}"#, #"{"error":"\#(said)"}"#,
                #"["\#(said)"]"#, "<html><title>\(said)</title></html>", said,
            ] {
                let response = HTTPResponse(
                    status: status, headers: ["Content-Type": "text/html"], body: Array(body.utf8))
                var shown = ""
                do {
                    _ = try ParseErrors.check(
                        response.redacted(for: request), to: request, operation, now: .sampleNow)
                } catch { dump(error, to: &shown) }
                for secret in sent where shown.contains(secret) {
                    Issue.record("\(operation), \(status): \(secret) in \(shown)")
                }
            }
        }
    }

    @Test func `a name that the user typed is shown, also if the password is the same word`() throws {
        let answer =
            #"{"objectId":"1","username":"ada-ada","nick":"ada-ada","note":"x ada-ada","sessionToken":"r:abc"}"#
        let request = Exchange.logInRequest.replacing(#""ada""#, with: #""ada-ada""#)
            .replacing(#"pässword\""#, with: "ada-ada")
        let backend = ParseBackend.replaying(Exchange(request, 200, answer))
        let outcome = try backend.logIn(Credentials(login: "ada-ada", password: Secret("ada-ada"))).value
        guard case .session(let logIn) = outcome else {
            Issue.record("there is no session")
            return
        }
        #expect(logIn.user.username == "ada-ada")
        #expect(logIn.user.fields == ["nick": "ada-ada", "note": "x <redacted>"])
    }

    @Test func `a user does not tell the new token`() throws {
        let answer = #"{"objectId":"1","username":"ada","a":"x r:abc-0123","b":1,"sessionToken":"r:abc-0123"}"#
        let backend = ParseBackend.replaying(Exchange(Exchange.logInRequest, 200, answer))
        guard case .session(let logIn) = try backend.logIn(.ada).value else {
            Issue.record("there is no session")
            return
        }
        #expect(logIn.session.token == Secret("r:abc-0123"))
        #expect(logIn.user.fields == ["a": "x <redacted>", "b": 1])
    }
}
