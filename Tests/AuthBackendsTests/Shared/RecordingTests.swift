import CommandTestSupport

@testable import AuthBackends

/// Parses the recorded responses of a server as the client does.
protocol RecordingReader {
    /// The names of response members whose values must not appear in any user, session or error.
    var secretNames: Set<String> { get }

    /// The reading of a successful response, as in `RecordedAnswer.reads`.
    func summary(of response: HTTPResponse, _ operation: AuthModel.Operation) throws -> String

    /// Every value that the client reads from a successful response and may show.
    func values(in response: HTTPResponse, _ operation: AuthModel.Operation) throws -> [Any?]
}

@Suite struct RecordingTests {
    @Test(arguments: RecordedServer.allCases)
    func `every recorded server response is parsed as documented in the recording`(server: RecordedServer) throws {
        for answer in try RecordedAnswer.all(of: server) {
            #expect(!answer.reads.isEmpty, "\(answer.name)")
            for (operation, reading) in answer.reads {
                let found = Self.reading { try server.reader.summary(of: answer.response, operation) }
                expect(found, reading, "\(answer.name) of \(answer.versions) for \(operation)")
            }
        }
    }

    /// The summary of a successful response, or the reason, Retry-After seconds and rejected fields of an error.
    private static func reading(_ summary: () throws -> String) -> String {
        do {
            return try summary()
        } catch let error as BackendError {
            let reason = error.reason.rawValue + (error.retryAfter.map { "(\($0))" } ?? "")
            var fields: [String] = []
            for fault in error.fields where !fields.contains(fault.field) { fields.append(fault.field) }
            return fields.isEmpty ? reason : "\(reason) \(fields.joined(separator: ","))"
        } catch {
            return "\(error)"
        }
    }

    /// Source of the Kii Cloud error: Kii's documentation.
    @Test(arguments: [
        (RecordedServer.parse, "a Parse server", 403, #"{"error":"unauthorized"}"#),
        (.parse, "a Parse server", 404, #"{"code":101,"error":"Invalid username/password."}"#),
        (.restAuth, "Django REST framework", 404, #"{"detail":"Not found."}"#),
        (.restAuth, "Django REST framework", 405, #"{"detail":"Method \"POST\" not allowed."}"#),
        (.restAuth, "Django REST framework", 400, #"{"non_field_errors":["Unable to log in."]}"#),
        (.restAuth, "Django REST framework", 400, #"{"username":["required"],"password":["required"]}"#),
        (.allauth, "allauth's headless API", 401, #"{"status":401,"meta":{"is_authenticated":false}}"#),
        (.allauth, "allauth's headless API", 400, #"{"status":400,"errors":[{"message":"x","code":"invalid"}]}"#),
        (.kii, "Kii Cloud", 401, #"{"errorCode":"UNAUTHORIZED","message":"x"}"#),
        (.firebase, "a service of Google", 400, #"{"error":{"code":400,"message":"INVALID_EMAIL"}}"#),
        (.pocketbase, "PocketBase", 404, #"{"data":{},"message":"x","status":404}"#),
        (.supabase, "Supabase Auth", 400, #"{"code":400,"error_code":"x","msg":"y"}"#),
    ])
    func `an error in the format of a different backend is reported as a wrong endpoint`(
        sender: RecordedServer, name: String, status: Int, body: String
    ) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        for server in RecordedServer.allCases where server != sender {
            for operation in [AuthModel.Operation.logIn, .currentUser, .signUp] {
                let error = try failure { _ = try server.reader.summary(of: response, operation) }
                expect(error.reason, .wrongEndpoint, "\(server) for \(operation)")
                #expect(error.message.hasSuffix(": the response comes from \(name)"))
            }
        }
    }

    /// A snapshot contains each message once, with the operations that cause it. Messages count as equal if they differ
    /// only in the text or error code that they quote from the server.
    @Test(arguments: RecordedServer.allCases)
    func `the errors of recorded server responses match the message snapshots`(server: RecordedServer) throws {
        var messages: [String: (error: AuthError, source: String, operations: Set<String>)] = [:]
        for answer in try RecordedAnswer.all(of: server) {
            for (operation, _) in answer.reads {
                do {
                    _ = try server.reader.summary(of: answer.response, operation)
                } catch let failure as BackendError {
                    let error = failure.shown
                    let key = error.snapshot().replacing(/".*"/, with: "\"…\"")
                        .replacing(#/(  field [^:]+: ).*/#) { "\($0.1)…" }.replacing(#/ \(code .*\)/#, with: "")
                    messages[key, default: (error, "\(answer.response.status) \(answer.name)", [])].operations
                        .insert("\(operation)")
                }
            }
        }
        let texts = messages.values.map {
            $0.error.snapshot(of: "\($0.source) for \($0.operations.sorted().joined(separator: ", "))")
        }
        MessageFile("backends/\(server.rawValue)").expect(texts.sorted().joined(separator: "\n"))
    }

    @Test(arguments: RecordedServer.allCases)
    func `users, sessions and errors read from recorded responses contain no secret`(server: RecordedServer) throws {
        var namesSeen: Set<String> = []
        for answer in try RecordedAnswer.all(of: server) {
            var text = ""
            for (operation, _) in answer.reads {
                do {
                    for value in try server.reader.values(in: answer.response, operation) { dump(value, to: &text) }
                } catch {
                    dump(error, to: &text)
                }
            }
            // `try?`: an HTML page has no members.
            guard let body = try? JSONValue(parsing: answer.response.body) else { continue }
            for (name, secret) in Self.members(of: body) where server.reader.secretNames.contains(name) {
                namesSeen.insert(name)
                if text.contains(secret) { Issue.record("\(answer.name): \(name) \(secret)") }
            }
        }
        // A search for secrets proves nothing if the recorded responses contain none.
        expect(namesSeen, server.reader.secretNames)
    }

    /// The strings in a document, each with the name of its member. Sentences are left out, because they are error
    /// messages. Short strings are left out, because longer strings may contain them by chance.
    private static func members(of value: JSONValue, name: String = "") -> [(name: String, text: String)] {
        switch value {
        case .object(let object): object.members.flatMap { members(of: $0.value, name: $0.name) }
        case .array(let elements): elements.flatMap { members(of: $0, name: name) }
        case .string(let text):
            text.split(separator: ", ").filter { $0.utf8.count > 4 && !$0.contains(" ") }.map { (name, String($0)) }
        default: []
        }
    }
}
