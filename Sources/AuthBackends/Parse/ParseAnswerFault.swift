import JSON
import Transport

/// What a good status brings although it promises more: no object, no user, no session.
struct ParseAnswerFault {
    /// No capital, no full stop, no secret.
    let message: String

    /// `nil`: the answer is good.
    init?(_ response: HTTPResponse, _ object: JSONObject?, to request: HTTPRequest, _ call: ParseErrors.Call) {
        let promise = Promise(request, call)
        let fault =
            if let object {
                response.isSaidToBeJSON ? promise.fault(of: object) : "the server's answer is not said to be JSON"
            } else if response.body.isEmpty {
                promise == .nothing ? nil : "the server's answer is empty"
            } else if let line = PageText.firstLine(of: response, masking: request.masking) {
                "the server's answer is a page, not JSON: \"\(line)\""
            } else {
                "the server's answer is no JSON object"
            }
        guard let fault else { return nil }
        message = fault
    }
}

/// What the answer to a request has to hold. All that were recorded do.
private enum Promise {
    /// `objectId`, and `sessionToken` unless something must be done first.
    case account
    /// `sessionToken`.
    case session
    /// A user, a row of a session, or a list: `objectId` or `results`.
    case object
    case nothing

    init(_ request: HTTPRequest, _ call: ParseErrors.Call) {
        switch call {
        case .signUp: self = .account
        case .identity: self = request.method == .post ? .account : .nothing
        case .logIn, .secondFactor: self = .session
        case .session, .token: self = request.method == .get ? .object : .nothing
        case .mail, .update: self = .nothing
        }
    }

    func fault(of object: JSONObject) -> String? {
        switch self {
        case .account where object["objectId"]?.string == nil: "the server's answer names no account"
        case .session where ParsePayloads.token(object) == nil: "the server's answer holds no session"
        case .object where object["objectId"]?.string == nil && object["results"]?.array == nil:
            "the server's answer holds nothing that was asked for"
        case .object: nil
        case .account, .session, .nothing: brokenToken(object)
        }
    }

    /// A new session that nobody can use is worse than none: the caller would go on with what is dead.
    private func brokenToken(_ object: JSONObject) -> String? {
        let token = object["sessionToken"] ?? .null
        return token == .null || ParsePayloads.token(object) != nil
            ? nil : "the server's answer holds no usable session"
    }
}
