import AuthModel
import JSON
import Transport

/// A request of a backend, with its meaning, which decides what its response means.
struct Call: Sendable {
    var request: HTTPRequest
    let operation: Operation
    /// What a successful response must hold; `nil` for what every response to the operation must hold.
    let required: Required?

    init(_ operation: Operation, _ request: HTTPRequest, _ required: Required? = nil) {
        self.operation = operation
        self.request = request
        self.required = required
    }

    /// - Parameters:
    ///   - fields: the object in the body; `nil` for no body.
    ///   - type: the type of the body, below `application/`.
    init(
        _ operation: Operation, _ method: HTTPRequest.Method, _ url: String, _ headers: HTTPHeaders,
        _ fields: JSONObject?, _ required: Required? = nil, type: String = "json", isIdempotent: Bool? = nil
    ) {
        var headers = headers
        if fields != nil { headers["Content-Type"] = "application/\(type)" }
        let body = fields.map { JSONValue.object($0).bytes }
        self.init(
            operation, HTTPRequest(method, url, headers: headers, body: body, isIdempotent: isIdempotent), required)
    }
}

/// The content that a successful response must have.
struct Required: Sendable {
    /// Whether a response without a body stands for an empty object.
    let mayBeEmpty: Bool
    /// Describes the missing content; `nil` if the object is complete.
    let fault: @Sendable (JSONObject) -> String?

    init(mayBeEmpty: Bool = false, fault: @escaping @Sendable (JSONObject) -> String? = { _ in nil }) {
        self.mayBeEmpty = mayBeEmpty
        self.fault = fault
    }

    static let nothing = Required(mayBeEmpty: true)
    static let object = Required()

    /// - Parameter name: the member with the id.
    static func account(_ name: String = "id") -> Required {
        Required { $0[name]?.identifier == nil ? "the response names no account" : nil }
    }

    static func list(_ name: String) -> Required { data { $0[name]?.array != nil } }

    static func data(_ isComplete: @escaping @Sendable (JSONObject) -> Bool) -> Required {
        Required { isComplete($0) ? nil : "the response lacks the requested data" }
    }

    /// - Parameters:
    ///   - name: the member with the token.
    ///   - user: the member with the user, who has an `id`; `nil` if the response need not name the user.
    static func session(_ name: String, of user: String? = nil) -> Required {
        Required { object in
            if object[name]?.isToken != true { return "the response has no session" }
            return user.map { object[$0]?["id"]?.identifier } == .some(nil) ? "the response names no user" : nil
        }
    }
}
