package import AuthModel
import JSON
package import Transport

/// What a response says about the right to send its request.
package struct CheckOutcome: Sendable, Equatable {
    package enum Meaning: Sendable, Equatable {
        case allowed, denied
        /// The server rejects the request for a reason other than the user's rights.
        case neither
    }

    package let meaning: Meaning
    package let status: Int
    /// The number of items if the body is a list; otherwise `nil`.
    package let items: Int?

    /// - Throws: `AuthError` with the outcome `unreachable` or `serverError` if the response does not tell.
    package init(_ answer: RequestAnswer, to method: HTTPRequest.Method, hasSession: Bool) throws(AuthError) {
        let response = answer.response
        status = response.status
        if let problem = Self.problem(of: response, to: method) { throw problem }
        guard status < 300 else {
            // Some servers reject a request without a session as if it had an invalid session.
            let wantsSession = !hasSession && answer.error?.reason.mayMeanInvalidSession == true
            (meaning, items) = (answer.isDenied || wantsSession ? .denied : .neither, nil)
            return
        }
        items = try Self.items(in: response)
        meaning = items == 0 ? .denied : .allowed
    }

    /// What the table shows: `yes`, `no`, a status or `items=N`.
    package func actual(_ expected: CheckExpectation) -> String {
        switch (expected, meaning) {
        case (.status, _): "\(status)"
        case (.items, _) where items != nil: "items=\(items ?? 0)"
        case (_, .allowed): "yes"
        case (_, .denied): "no"
        case (_, .neither): "\(status)"
        }
    }

    package func meets(_ expected: CheckExpectation) -> Bool { actual(expected) == expected.word }

    /// Whether the response may be that to an invalid session. Then the session must be checked again.
    static func doubtsSession(_ answer: RequestAnswer) -> Bool {
        answer.response.status == 401 || answer.error?.reason.mayMeanInvalidSession == true
    }

    /// Why the response tells nothing about rights: it comes from a gateway or captive portal, or the server failed.
    private static func problem(of response: HTTPResponse, to method: HTTPRequest.Method) -> AuthError? {
        let (status, detail) = (response.status, ServerDetail(status: response.status))
        return switch status {
        case 300..<400: AuthError(.redirect, "the server redirects (HTTP \(status))", server: detail)
        case 429: AuthError(.rateLimited, "too many requests (HTTP 429)", server: detail)
        case 200..<500 where response.isPage(method):
            AuthError(.invalidResponse, "the response is an HTML page (HTTP \(status))", server: detail)
        case 200..<500: nil
        default: AuthError(.serverFault, "the server failed (HTTP \(status))", server: detail)
        }
    }

    /// The number of items; `nil` if the body is not a list.
    private static func items(in response: HTTPResponse) throws(AuthError) -> Int? {
        // `try?`: a body that is not JSON is not a list.
        guard !response.body.isEmpty, let list = try? JSONList(parsing: response.body) else { return nil }
        // Other names than those that `--paginate` knows.
        let isUnknownList = list.form == .single && (list.more.next == .none || list.announcesMore(than: 0))
        guard list.form != .single || isUnknownList else { return nil }
        if list.form == .array || !list.elements.isEmpty && !isUnknownList { return list.elements.count }
        let members = (try? JSONValue(parsing: response.body))?.object
        // A record that happens to have an empty array under the name of a list.
        guard !["id", "_id", "objectId", "uuid", "pk", "url"].contains(where: { members?[$0] != nil }) else {
            return nil
        }
        let detail = ServerDetail(status: response.status)
        guard !isUnknownList else {
            throw AuthError(
                .invalidResponse, "the response has a list under a name that authctl does not know", server: detail)
        }
        let counts =
            ["count", "total", "totalItems"].compactMap { members?[$0]?.integer } + [Int64(list.more.count ?? 0)]
        if case .link = list.more.next { throw .hasMore(detail) }
        if counts.contains(where: { $0 > 0 }) { throw .hasMore(detail) }
        return 0
    }
}

extension AuthError {
    fileprivate static func hasMore(_ detail: ServerDetail) -> AuthError {
        AuthError(.invalidResponse, "the response is an empty page of a list that has items", server: detail)
    }
}

extension AuthError.Reason {
    fileprivate var mayMeanInvalidSession: Bool { meansInvalidSession || self == .tokenRefused }
}

extension HTTPResponse {
    /// Whether the body is HTML, as that of a gateway or a captive portal.
    fileprivate func isPage(_ method: HTTPRequest.Method) -> Bool {
        if body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "<") { return true }
        let type = headers["Content-Type"]?.lowercased() ?? ""
        guard type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") else { return false }
        // A site may declare a text as HTML. `try?`: JSON is not HTML.
        return method == .head || body.contains(UInt8(ascii: "<")) && (try? JSONList(parsing: body)) == nil
    }
}
