import AuthModel
import Testing

/// What each recorded answer is read as, compared with the table that was gone through by hand.
enum ReasonTable {
    /// Every line of a recording, read by each of the calls that could get it: name, versions, call and reading, with
    /// tabs between them, as the table has them.
    static func lines<Call>(
        of server: RecordedServer, calls: (RecordedAnswer) -> [Call], reading: (RecordedAnswer, Call) throws -> String
    ) throws -> [String] {
        try RecordedAnswer.all(of: server).flatMap { answer in
            calls(answer).map { call in
                "\(answer.name)\t\(answer.versions)\t\(call)\t\(Self.reading { try reading(answer, call) })"
            }
        }
    }

    static func expect(_ found: [String], areThoseOf server: RecordedServer) throws {
        let expected = try server.lines(of: "reasons.tsv").map(String.init)
        #expect(Set(found).count == found.count, "a case stands twice in the recording")
        #expect(found.filter { !expected.contains($0) } == [], "not in the table")
        #expect(expected.filter { !found.contains($0) } == [], "only in the table")
        #expect(found == expected)
    }

    /// The reason of a refusal, with the seconds after which to come back and the fields it is about; or what a good
    /// answer is.
    private static func reading(_ success: () throws -> String) -> String {
        do {
            return try success()
        } catch let error as AuthError {
            let reason = error.reason.rawValue + (error.retryAfter.map { "(\($0))" } ?? "")
            var fields: [String] = []
            for fault in error.fields where !fields.contains(fault.field) { fields.append(fault.field) }
            return fields.isEmpty ? reason : "\(reason) \(fields.joined(separator: ","))"
        } catch {
            return "\(error)"
        }
    }
}
