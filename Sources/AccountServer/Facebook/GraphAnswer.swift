import JSON
internal import Transport

/// What the Graph says to a question for an `id`.
///
/// A good answer is `{"id":"1003"}`; a bad one `{"error":{"code":190,"type":"OAuthException"}}`, mostly with status 400.
enum GraphAnswer: Equatable {
    case id(String)
    /// It does not take the token, or says nothing that proves anything.
    case refused
    /// None, or one that says nothing of the token.
    case unreachable

    init(_ outcome: FetchJob.Completion) {
        // `try?`: an answer that is no JSON is as good as none.
        guard case .answer(let response) = outcome, let answer = try? JSONValue(parsing: response.body),
            response.status < 500, response.status != 429,
            !Self.passingCodes.contains(answer["error"]?["code"]?.integer ?? 0)
        else {
            self = .unreachable
            return
        }
        guard (200...299).contains(response.status), let id = answer["id"]?.string, !id.isEmpty else {
            self = .refused
            return
        }
        self = .id(id)
    }

    /// Unknown, service down, and the limits of calls: of the app, of the user and of a page.
    ///
    /// Source: Facebook, "Handling Errors".
    private static let passingCodes: Set<Int64> = [1, 2, 4, 17, 32, 341, 613]
}
