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
        _ secrets: [String], publicValues: [String] = [], tokens: [String] = []
    ) -> HTTPRequest {
        var request = HTTPRequest(.post, "https://a.example/")
        request.secrets = secrets
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

    @Test func `the parsed body is handed on as it was if it repeats no secret`() throws {
        let body = #" {"a": [1, "pass", {"b": null}] } "#
        for secrets in [[], ["pass-w0rd"]] {
            let response = try send(body, request(secrets))
            #expect(response.json == ["a": [1, "pass", ["b": nil]]])
            #expect(response.body == Array(body.utf8))
        }
    }

    @Test func `a member name that holds a secret is masked, and stands once`() throws {
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

    @Test func `a number that is a secret is masked`() throws {
        let response = try send(#"{"a":123456,"b":1234567,"c":[123456.5]}"#, request(["123456"]))
        #expect(response.json == ["a": "<redacted>", "b": 1_234_567, "c": [.number(123456.5)]])
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

    // MARK: - Everything else

    @Test(arguments: ["<p>you sent pass-w0rd</p>", #"{"a":"pass-w0rd"#, #"{"a":"pass-w0rd","a":1}"#, "pass-w0rd"])
    func `a body that is not JSON is masked as text`(body: String) throws {
        let response = try send(body, status: 500, request(["pass-w0rd"]))
        #expect(response.json == nil)
        #expect(String(decoding: response.body, as: UTF8.self) == body.replacing("pass-w0rd", with: "<redacted>"))
    }

    @Test func `bytes that are no text are masked`() throws {
        let answer = HTTPResponse(status: 200, body: [0xFF] + Array("pass-w0rd".utf8) + [0x80])
        let transport = RedactingTransport(ScriptedTransport([.success(answer)]))
        #expect(try transport.send(request(["pass-w0rd"])).body == [0xFF] + Array("<redacted>".utf8) + [0x80])
    }

    @Test func `the values of headers are masked`() throws {
        let response = try send(
            "", headers: ["Location": "https://b.example/?t=r%3Aabc", "Retry-After": "5"], request(["r:abc"]))
        #expect(response.headers == ["Location": "https://b.example/?t=<redacted>", "Retry-After": "5"])
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
        #expect(error?.message.contains("0123") == false && error?.hint?.contains("0123") != true)
        #expect(lines.withLock { $0.count } == 2)
        #expect(lines.withLock { !$0.joined().contains("0123") })
    }
}
