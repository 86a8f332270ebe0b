import AuthModel
import JSON

/// The format of the errors of a kind of server, which shows that a response comes from such a server.
struct ErrorFormat: Sendable {
    /// The kind of server, for messages: `a Parse server`.
    let sender: String
    private let matches: @Sendable (JSONObject, ErrorResponse) -> Bool

    init(_ sender: String, _ matches: @escaping @Sendable (JSONObject, ErrorResponse) -> Bool) {
        self.sender = sender
        self.matches = matches
    }

    /// Whether the response is an error in this format.
    func isOf(_ response: ErrorResponse) -> Bool { Self.of(response)?.sender == sender }

    /// Detects the kind of server that sent a 4xx response; `nil` if the format is unknown or used by several kinds,
    /// and for status 408, 413 and 429.
    ///
    /// Source: `answers.ndjson` of each kind in `Tests/Exchanges`.
    static func of(_ response: ErrorResponse) -> ErrorFormat? {
        guard (400..<500).contains(response.status), ![408, 413, 429].contains(response.status),
            let object = response.body?.object
        else { return nil }
        return BackendRegistry.errorFormats.first { $0.matches(object, response) }
    }
}

extension JSONObject {
    /// Whether the member is the status of the response.
    func holds(_ status: Int, in name: String) -> Bool { self[name]?.integer == Int64(status) }
}
