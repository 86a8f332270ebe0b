import CommandTestSupport

/// Exchanges with the embedded account server about the Facebook link of the user `ada`.
extension Exchange {
    static func linkedUser(_ id: String) -> Exchange {
        currentUser(
            200, #"{"authData":{"facebook":{"id":"\#(id)","access_token":"secret"}},\#(adaUser.dropFirst())"#)
    }

    static func link(
        _ status: Int = 200, _ answer: String = #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#
    ) -> Exchange {
        update(#"{"id":"1003","access_token":"EAAB"}"#, status, answer)
    }

    static let unlink = update("null", 200, #"{"updatedAt":"2026-06-01T00:00:00.000Z"}"#)

    private static func update(_ value: String, _ status: Int, _ answer: String) -> Exchange {
        embedded(
            "PUT", "users/g7y9tkhB7O", token: adaToken, body: #"{"authData":{"facebook":\#(value)}}"#, status, answer)
    }
}
