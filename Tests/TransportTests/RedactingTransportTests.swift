import JSON
import Synchronization
import Testing
import Transport

@Suite struct RedactingTransportTests {
    static let password = #"Pé"s w0rd<&>"#

    private func send(
        _ body: String, status: Int = 200, headers: HTTPHeaders = [:], _ request: HTTPRequest
    ) throws -> HTTPResponse {
        let answer = HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
        return try RedactingTransport(ScriptedTransport([.success(answer)])).send(request)
    }

    private func request(
        _ secrets: [String] = [], keys: [String] = [], publicValues: [String] = [], tokens: [String] = []
    ) -> HTTPRequest {
        var request = HTTPRequest(.post, "https://a.example/")
        request.secrets = secrets
        request.applicationKeys = keys
        request.publicValues = publicValues
        request.tokenMembers = tokens
        return request
    }

    // MARK: - JSON

    @Test(arguments: [
        password, #"Pé"S W0RD<&>"#, #"P\u00e9\"s w0rd<&>"#, "P%C3%A9%22s+w0rd%3C%26%3E",
        "P&#233;&quot;s w0rd&lt;&amp;&gt;", "50c3a92273207730" + "72643c263e", "UMOpInMgdzByZDwmPg",
    ])
    func `a secret is masked in every encoding`(written: String) throws {
        let body: JSONValue = ["a": .string("x \(written)!"), "b": ["c": [.string(written), 1, nil, true]]]
        let response = try send(body.text, request([Self.password]))
        let text = try #require(response.json).text
        #expect(response.body == Array(text.utf8))
        #expect(text.hasPrefix(#"{"a":"x <redacted>"#))
        #expect(!text.contains("w0rd") && !text.contains("773072") && !text.contains("dzByZ"))
    }

    @Test func `a body without a secret is passed on unchanged`() throws {
        let body = #" {"a": [1, "pass", {"b": null}] } "#
        for secrets in [[], ["pass-w0rd"]] {
            let response = try send(body, request(secrets))
            #expect(response.json == ["a": [1, "pass", ["b": nil]]])
            #expect(response.body == Array(body.utf8))
        }
    }

    @Test func `a member name with a secret is masked and kept once`() throws {
        let response = try send(#"{"x pass-w0rd":1,"x PASS-W0RD":2,"y":3}"#, request(["pass-w0rd"]))
        #expect(response.json == ["x <redacted>": 1, "y": 3])
    }

    @Test func `a password that is a plain word does not hide names and codes of the protocol`() throws {
        let response = try send(
            #"{"user":{"username":"ada"},"code":"user_not_found","text":"no user ada","word":"user"}"#,
            request(["user"]))
        #expect(
            response.json
                == [
                    "user": ["username": "ada"], "code": "user_not_found", "text": "no <redacted> ada",
                    "word": "<redacted>",
                ])
    }

    @Test func `a number that is a secret is masked in an error`() throws {
        let response = try send(#"{"a":123456,"b":1234567,"c":"x123456"}"#, status: 400, request(["123456"]))
        #expect(response.json == ["a": "<redacted>", "b": 1_234_567, "c": "x<redacted>"])
    }

    @Test func `a password of digits leaves the times and numbers of a good response as they are`() throws {
        let body = #"{"createdAt":"2026-01-02T03:04:05Z","expires_in":2026,"x2026":1,"pin":"2026"}"#
        let response = try send(body, request([" 2026 "]))
        #expect(
            response.json
                == ["createdAt": "2026-01-02T03:04:05Z", "expires_in": 2026, "x2026": 1, "pin": "<redacted>"])
    }

    @Test(arguments: ["correct_horse_battery", "_battery_", "user_2"])
    func `a password with underscores is masked`(password: String) throws {
        let body = #"{"a":"\#(password)","b":"no \#(password)!","c":"my_\#(password)"}"#
        let response = try send(body, request([password]))
        #expect(response.json == ["a": "<redacted>", "b": "no <redacted>!", "c": "my_<redacted>"])
    }

    @Test func `white space around a password that is a plain word changes nothing`() throws {
        let response = try send(#"{"user":{"a":"user_not_found","b":" user "}}"#, request([" user "]))
        #expect(response.json == ["user": ["a": "user_not_found", "b": "<redacted>"]])
    }

    @Test func `a code that is the password as a whole is masked`() throws {
        let response = try send(#"{"a":"User_Not_Found","b":"user_not"}"#, request(["user_not_found"]))
        #expect(response.json == ["a": "<redacted>", "b": "user_not"])
    }

    @Test func `a password that ends in digits does not hide the name of a field`() throws {
        let response = try send(#"{"password1":["password1 is too common"]}"#, status: 400, request(["password1"]))
        #expect(response.json == ["password1": ["<redacted> is too common"]])
    }

    @Test func `a token member passes, and its value is masked everywhere else`() throws {
        let request = request(["old-token"], tokens: ["key", "meta.session_token"])
        let response = try send(
            #"{"key":"new-token","meta":{"session_token":"s3ssion","key":"new-token"},"#
                + #""note":"new-token S3SSION old-token","session_token":"s3ssion","list":[{"key":"s3ssion"}]}"#,
            request)
        #expect(
            response.json
                == [
                    "key": "new-token", "meta": ["session_token": "s3ssion", "key": "<redacted>"],
                    "note": "<redacted> <redacted> <redacted>", "session_token": "<redacted>",
                    "list": [["key": "<redacted>"]],
                ])
    }

    @Test func `the token of the request passes where the response gives it again`() throws {
        let response = try send(#"{"key":"0a1b","x":"0a1b"}"#, request(["0a1b"], tokens: ["key"]))
        #expect(response.json == ["key": "0a1b", "x": "<redacted>"])
    }

    @Test func `a token member that is not a text is searched like any other`() throws {
        let response = try send(#"{"key":{"a":"pass-w0rd"}}"#, request(["pass-w0rd"], tokens: ["key"]))
        #expect(response.json == ["key": ["a": "<redacted>"]])
    }

    @Test func `a name that the user typed is shown, although the password is the same word`() throws {
        let response = try send(
            #"{"username":"s3same","email":"s3same@example.org","text":"user s3same"}"#,
            request(["s3same"], publicValues: ["s3same"]))
        #expect(
            response.json
                == ["username": "s3same", "email": "<redacted>@example.org", "text": "user <redacted>"])
    }

    @Test func `a name that the user typed is shown in any case`() throws {
        let response = try send(
            #"{"email":"ada@test.example","name":"ÉMILIE"}"#,
            request(["ada@test", "émilie"], publicValues: ["Ada@Test.example", "Émilie"]))
        #expect(response.json == ["email": "ada@test.example", "name": "ÉMILIE"])
    }

    // MARK: - Application keys

    @Test func `a key of the application stays in a good response and in a Location`() throws {
        let good = try send(#"{"username":"tester1","x":"test"}"#, status: 201, request(keys: ["test"]))
        #expect(good.json == ["username": "tester1", "x": "test"])
        for status in [307, 404] {
            let response = try send("", status: status, headers: ["Location": "/parse/x"], request(keys: ["parse"]))
            #expect(response.headers["Location"] == "/parse/x")
        }
    }

    @Test(arguments: [(400, #"{"a":"no rest-k3y"}"#), (500, "no rest-k3y"), (200, "<p>no rest-k3y")])
    func `a key of the application is masked in an error and in a body that is not JSON`(
        status: Int, body: String
    ) throws {
        let response = try send(body, status: status, request(keys: ["rest-k3y"]))
        #expect(
            String(decoding: response.body, as: UTF8.self) == body.replacing("rest-k3y", with: "<redacted>"))
    }

    @Test func `a key of the application is masked in a transport error`() {
        let transport = RedactingTransport(
            ScriptedTransport([.failure(TransportError(.connect, "proxy says rest-k3y"))]))
        #expect(throws: TransportError(.connect, "proxy says <redacted>")) {
            try transport.send(request(keys: ["rest-k3y"]))
        }
    }

    // MARK: - Other content

    @Test(arguments: ["<p>you sent pass-w0rd</p>", #"{"a":"pass-w0rd"#, #"{"a":"pass-w0rd","a":1}"#, "pass-w0rd"])
    func `a body that is not JSON is masked as text`(body: String) throws {
        let response = try send(body, status: 500, request(["pass-w0rd"]))
        #expect(response.json == nil)
        #expect(String(decoding: response.body, as: UTF8.self) == body.replacing("pass-w0rd", with: "<redacted>"))
    }

    @Test func `secrets in bytes that are not text are masked`() throws {
        let answer = HTTPResponse(status: 200, body: [0xFF] + Array("pass-w0rd".utf8) + [0x80])
        let transport = RedactingTransport(ScriptedTransport([.success(answer)]))
        #expect(try transport.send(request(["pass-w0rd"])).body == [0xFF] + Array("<redacted>".utf8) + [0x80])
    }

    @Test func `a Location is masked`() throws {
        let response = try send("", headers: ["location": "https://b.example/?t=r%3Aabc"], request(["r:abc"]))
        #expect(response.headers == ["location": "https://b.example/?t=<redacted>"])
    }

    @Test(arguments: ["application", "json", "3600"])
    func `a password leaves the headers that are not shown as they are`(password: String) throws {
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Retry-After": "3600"]
        #expect(try send("{}", headers: headers, request([password])).headers == headers)
    }

    @Test func `message and hint of an error are masked`() {
        let error = TransportError(
            .redirect, "sends on to 'http://R%3aABC.test'", hint: "--server http://r%3aabc", wasSent: true,
            isFinal: true)
        let transport = RedactingTransport(ScriptedTransport([.failure(error)]))
        let masked = TransportError(
            .redirect, "sends on to 'http://<redacted>.test'", hint: "--server http://<redacted>", wasSent: true,
            isFinal: true)
        #expect(throws: masked) { try transport.send(request(["r:abc"])) }
    }

    @Test(.timeLimit(.minutes(1))) func `a hostile body is masked in time`() throws {
        let text = String(repeating: "a", count: 450)
        let body: JSONValue = .array(Array(repeating: .string(text), count: 2000))
        let start = ContinuousClock.now
        let response = try send(body.text, request([String(repeating: "a", count: 449) + "b"]))
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(response.json?.array?.last == "<redacted>")
    }

    @Test func `a Location that repeats the token reaches neither the trace nor an error`() throws {
        let lines = Mutex<[String]>([])
        let answers: [ScriptedTransport.Answer] = [.redirect(to: "https://r-abc-0123.example/r-abc-0123?r-abc-0123")]
        let trace = TracingTransport(ScriptedTransport(answers)) { line in lines.withLock { $0.append(line) } }
        var request = HTTPRequest(.get, "https://a.example/me")
        request.secrets = ["r-abc-0123"]
        let stack = RedirectingTransport(RedactingTransport(trace), mount: "https://a.example")
        let error = #expect(throws: TransportError.self) { try stack.send(request) }
        #expect(error?.kind == .redirect)
        #expect(error?.message.contains("0123") == false && error?.hints.first?.contains("0123") != true)
        #expect(lines.withLock { $0.count } == 2)
        #expect(lines.withLock { !$0.joined().contains("0123") })
    }

    @Test func `the trace masks a secret in the path and in the text of an error`() throws {
        let lines = Mutex<[String]>([])
        let failure = ScriptedTransport.Answer.failure(TransportError(.connect, "cannot reach r-abc-0123.example"))
        let trace = TracingTransport(ScriptedTransport([failure])) { line in lines.withLock { $0.append(line) } }
        var request = HTTPRequest(.get, "https://a.example/x/r-abc-0123?y")
        request.secrets = ["r-abc-0123"]
        #expect(throws: TransportError.self) { try trace.send(request) }
        #expect(lines.withLock { $0.first } == "> GET https://a.example/x/<redacted>")
        #expect(lines.withLock { $0.last?.hasSuffix("ms: cannot reach <redacted>.example") } == true)
    }
}
