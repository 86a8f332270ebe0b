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
    /// The members of the items that the expectation excludes, in order; empty unless it concerns members.
    private var excess: [String] = []

    package var hasExcess: Bool { !excess.isEmpty }

    /// - Throws: `AuthError` with the outcome `unreachable` or `serverError` if the response does not tell. If only a
    ///   status is expected, most responses tell.
    package init(
        _ answer: RequestAnswer, to method: HTTPRequest.Method, hasSession: Bool, expecting expected: CheckExpectation
    ) throws(AuthError) {
        let response = answer.response
        status = response.status
        if let problem = Self.problem(of: answer, to: method) { throw problem }
        let isSuccess = status < 300
        if case .status = expected {
            // `try?`: whatever the body is, the status is known.
            items = isSuccess ? try? Self.items(in: response, to: method) : nil
            meaning = answer.refusal == .denial || items == 0 ? .denied : isSuccess ? .allowed : .neither
            return
        }
        if hasSession, Self.doubtsSession(answer) {
            throw .unknown("the server did not accept the valid session", status)
        }
        switch answer.refusal {
        case .denial: (meaning, items) = (.denied, nil)
        case .unclear, .gateway, .tokenTooEarly:
            throw .unknown("the response is not in the form in which the server denies", status)
        case .other where isSuccess:
            throw .unknown("the response contains only errors, not all of which are denials", status)
        case nil where isSuccess:
            items = try Self.items(in: response, to: method)
            meaning = items == 0 ? .denied : .allowed
            if meaning == .allowed { excess = try Self.excess(in: response, items, expected) }
        case .other, nil:
            // Some servers reject a request without a session as if it had an invalid session.
            let isOfSession = answer.error.map { $0.reason.mayMeanInvalidSession && !$0.isReasonOfStatus } ?? false
            (meaning, items) = (isOfSession ? .denied : .neither, nil)
        }
    }

    /// What the table shows: `yes`, `no`, a status, `items=N`, or the names of the members that differ.
    package func actual(_ expected: CheckExpectation) -> String {
        switch (expected, meaning) {
        case (.status, _): "\(status)"
        case (.items, _) where items != nil: "items=\(items ?? 0)"
        case (.fields, .allowed), (.noFields, .allowed):
            excess.isEmpty ? expected.word : excess.joined(separator: ",")
        case (_, .allowed): "yes"
        case (_, .denied): "no"
        case (_, .neither): "\(status)"
        }
    }

    package func meets(_ expected: CheckExpectation) -> Bool {
        !hasExcess && actual(expected) == expected.word
    }

    /// The maximum number of names that are shown.
    private static let mostNames = 20

    /// Whether the response may be that to an invalid session. Then the session must be checked again.
    static func doubtsSession(_ answer: RequestAnswer) -> Bool {
        answer.response.status == 401 || answer.error?.reason.mayMeanInvalidSession == true
    }

    /// Why the response tells nothing: it comes from a gateway or captive portal, or the server failed.
    private static func problem(of answer: RequestAnswer, to method: HTTPRequest.Method) -> AuthError? {
        let (status, detail) = (answer.response.status, ServerDetail(status: answer.response.status))
        return switch status {
        case 300..<400 where answer.mayBePage && answer.refusal == .denial: nil
        case 300..<400: AuthError(.redirect, "the server redirects (HTTP \(status))", server: detail)
        case 429: AuthError(.rateLimited, "too many requests (HTTP 429)", server: detail)
        case 200..<500 where answer.response.isPage(method) && !answer.mayBePage:
            .unknown("the response is an HTML page", status)
        case 200..<500 where answer.refusal == .gateway:
            .unknown("the response may come from a proxy or gateway", status)
        case 200..<500: nil
        default: AuthError(.serverFault, "the server failed (HTTP \(status))", server: detail)
        }
    }

    /// The members that the expectation excludes in the items of a list, or in the object that is the body.
    ///
    /// - Parameter count: the number of items; `nil` if the body is not a list.
    private static func excess(
        in response: HTTPResponse, _ count: Int?, _ expected: CheckExpectation
    ) throws(AuthError) -> [String] {
        let isExcess: (String) -> Bool
        switch expected {
        case .fields(let names): isExcess = { !names.contains($0) }
        case .noFields(let names): isExcess = { names.contains($0) }
        default: return []
        }
        var excess: [String] = []
        for item in try values(in: response, count) {
            guard let names = item.object?.names else {
                throw .unknown("the response has an item without fields", response.status)
            }
            for name in names where isExcess(name) && !excess.contains(name) {
                guard excess.count < mostNames else { return excess + ["…"] }
                excess.append(name)
            }
        }
        return excess
    }

    /// The items of a list; if the body is not a list, the body alone.
    ///
    /// - Parameter count: the number of items; `nil` if the body is not a list.
    private static func values(in response: HTTPResponse, _ count: Int?) throws(AuthError) -> [JSONValue] {
        // `try?`: a body that is not JSON has no members.
        guard let list = try? JSONList(parsing: response.body), let body = try? JSONValue(parsing: response.body)
        else { throw .unknown("the response is not JSON, so its fields are not known", response.status) }
        switch count {
        case nil: return [body]
        case list.elements.count where list.form != .single:
            // `try?`: the body is valid, and so are its elements.
            return list.elements.compactMap { try? JSONValue(parsing: response.body[$0]) }
        default: return body.object?.onlyList ?? []
        }
    }

    /// The items of a list that are objects; empty if the response is none.
    static func listed(in response: HTTPResponse) -> [JSONObject] {
        // `try?`: a response that does not tell has no list.
        guard response.status < 300, let count = try? items(in: response, to: .get),
            let values = try? values(in: response, count)
        else { return [] }
        return values.compactMap(\.object)
    }

    /// The number of items; `nil` if the body is not a list.
    private static func items(in response: HTTPResponse, to method: HTTPRequest.Method) throws(AuthError) -> Int? {
        // For an empty list, PostgREST responds to HEAD with `*/*`.
        if response.body.isEmpty {
            return response.rowCount ?? (method == .head && response.headers["Content-Range"] == "*/*" ? 0 : nil)
        }
        // `try?`: a body that is not JSON is not a list.
        guard let list = try? JSONList(parsing: response.body) else {
            guard response.headers["Content-Type"] != nil, response.isSaidToBeJSON else { return nil }
            throw .unknown("the response is declared as JSON, but is not JSON", response.status)
        }
        if list.form == .array || list.form != .single && !list.elements.isEmpty { return list.elements.count }
        // A record may have an empty array under the name of a list.
        guard let body = try? JSONValue(parsing: response.body), let object = body.object,
            !object.names.contains(where: JSONValue.idNames.contains), object["url"] == nil
        else { return nil }
        if let count = object.onlyList?.count ?? (list.form == .single ? nil : 0) {
            let counts =
                ["count", "total", "totalItems"].compactMap { object[$0]?.integer } + [Int64(list.more.count ?? 0)]
            var hasMore = counts.contains { $0 > 0 }
            if case .link = list.more.next { hasMore = true }
            guard count == 0, hasMore else { return count }
            throw .unknown("the response is an empty page of a list that has items", response.status)
        }
        // Other names than those that `--paginate` knows.
        var hasArray = false
        let isEmpty = body.isEmpty(&hasArray) && hasArray
        guard list.more.next == .none || list.announcesMore(than: 0) || isEmpty else { return nil }
        throw .unknown("the response has a list under a name that authctl does not know", response.status)
    }
}

extension JSONObject {
    /// The list in `{"result": […]}` of a Parse function, or in `{"items": [], "count": 0}`.
    fileprivate var onlyList: [JSONValue]? {
        let lists = members.filter { $0.name != "count" || $0.value.integer == nil }
        return lists.count == 1 && ["result", "items"].contains(lists[0].name) ? lists[0].value.array : nil
    }
}

extension JSONValue {
    fileprivate static let idNames: Set = ["id", "pk", "_id", "objectId", "uuid"]

    /// Whether the value has neither a text nor an id, and all its arrays are empty, as an empty page of a list:
    /// `{"content": [], "last": true}`. Annotations of JSON-LD and OData, such as `@context`, do not count.
    fileprivate func isEmpty(_ hasArray: inout Bool) -> Bool {
        switch self {
        case .null, .bool, .integer, .number: return true
        case .string: return false
        case .array(let elements):
            hasArray = true
            return elements.isEmpty
        case .object(let object):
            for member in object.members where !member.name.hasPrefix("@") {
                if Self.idNames.contains(member.name) || !member.value.isEmpty(&hasArray) { return false }
            }
            return true
        }
    }
}

extension AuthError {
    fileprivate static func unknown(_ cause: String, _ status: Int) -> AuthError {
        AuthError(.invalidResponse, "\(cause) (HTTP \(status))", server: ServerDetail(status: status))
    }
}

extension AuthError.Reason {
    fileprivate var mayMeanInvalidSession: Bool { meansInvalidSession || self == .tokenRefused }
}

extension HTTPResponse {
    /// The number of rows in `Content-Range`, as in `*/25`. Source: PostgREST, "Pagination and Count".
    var rowCount: Int? { headers["Content-Range"]?.split(separator: "/").last.flatMap { Int($0) } }

    /// Whether the body is HTML, as that of a gateway or a captive portal.
    fileprivate func isPage(_ method: HTTPRequest.Method) -> Bool {
        if body.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "<") { return true }
        let type = headers["Content-Type"]?.lowercased() ?? ""
        guard type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") else { return false }
        // A site may declare a text as HTML. `try?`: JSON is not HTML.
        return method == .head || body.contains(UInt8(ascii: "<")) && (try? JSONList(parsing: body)) == nil
    }
}
