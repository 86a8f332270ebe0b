import AuthModel
import JSON
import Transport

extension ErrorTable {
    /// The error of a response to a request from the user, and what the response shows about the user's rights, for
    /// `authctl check`. Both are `nil` for a success; the error also for status 304.
    ///
    /// - Parameters:
    ///   - isForeign: whether the request went to another server than the one of this table.
    ///   - isCustom: see `ServerClient.send`.
    static func judge(
        _ answer: ServerResponse, isForeign: Bool, isCustom: Bool
    ) -> (error: BackendError?, refusal: Refusal?) {
        guard !answer.isSuccess else { return (nil, refusalOfSuccess(answer)) }
        let response = reading(ErrorResponse(answer))
        let refusal = refusal(in: answer, response, isForeign: isForeign, isCustom: isCustom)
        return (response.status == 304 ? nil : error(of: response, in: answer), refusal)
    }

    /// Where errors have any format, a JSON object is the application's, unless it is known to be a gateway's.
    private static func refusal(
        in answer: ServerResponse, _ response: ErrorResponse, isForeign: Bool, isCustom: Bool
    ) -> Refusal {
        // Source: Cloudflare, "Detect a Challenge Page response".
        guard answer.http.headers["cf-mitigated"] == nil else { return .gateway }
        if !isForeign, let refusal = refusal(response), !isCustom || refusal == .unclear { return refusal }
        guard [401, 403, 404].contains(response.status) else { return .other }
        // Only a body has a form.
        guard answer.request.method != .head else { return .unclear }
        // Firestore sends the errors of a query in a list.
        let object = response.body?.object ?? response.body?.array?.first?.object
        guard let object, !object.isEmpty, !object.isOfGateway else { return .gateway }
        return isForeign || isCustom ? .denial : .unclear
    }

    /// A response with a success status that contains only errors is what they say.
    private static func refusalOfSuccess(_ answer: ServerResponse) -> Refusal? {
        guard !answer.http.body.isEmpty, let body = answer.http.json else { return nil }
        let errors = errors(in: body) + body.graphQLErrors
        let isDenied = errors.allSatisfy { error in
            let response = ErrorResponse(status: answer.http.status, body: error, .callAPI, answer.masker)
            return refusal(reading(response)) == .denial || error.isGraphQLDenial
        }
        return errors.isEmpty ? nil : isDenied ? .denial : .other
    }
}

extension JSONObject {
    /// Whether a gateway has no such route, or rejects the request itself. Only the text tells. Source: Amazon API
    /// Gateway, "Gateway response types"; Kong, "Error reference".
    fileprivate var isOfGateway: Bool {
        names.map { $0.lowercased() } == ["message"]
            && [
                "Forbidden", "Unauthorized", "Not Found", "Missing Authentication Token",
                "no Route matched with those values",
            ].contains(members[0].value.string)
    }
}

extension JSONValue {
    /// The errors of a response without data, with the names that errors of servers have. Source: GraphQL, section 7.1.
    fileprivate var graphQLErrors: [JSONValue] {
        guard let object, object.names.allSatisfy({ ["data", "errors", "extensions"].contains($0) }),
            object["data"]?.object?.members.allSatisfy({ $0.value == .null }) ?? (object["data"] ?? .null == .null)
        else { return [] }
        return (object["errors"]?.array ?? []).map { error in
            let text = error["message"] ?? .null
            return ["code": error["extensions"]?["code"] ?? .null, "message": text, "error": text]
        }
    }

    /// pg_graphql and graphene send no code, only the text of PostgreSQL or Django. Source: Apollo Server, "Error
    /// handling"; Hot Chocolate, "Authorization".
    fileprivate var isGraphQLDenial: Bool {
        let text = self["message"]?.string ?? ""
        return ["FORBIDDEN", "AUTH_NOT_AUTHORIZED"].contains(self["code"])
            || ["permission denied for ", "You do not have permission"].contains(where: text.hasPrefix)
    }
}
