import AuthModel
import Testing

/// The reading of each recorded response, compared with a table that was reviewed by hand.
enum ReasonTable {
    /// Every line of a recording, read by each call that could get it. Columns, separated by tabs as in the table:
    /// name, versions, call, reading.
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

    /// The reason of a rejection, with the seconds of Retry-After and the rejected fields; or the summary of a
    /// success.
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
