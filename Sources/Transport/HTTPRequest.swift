package import Platform

package struct HTTPRequest: Sendable, Equatable {
    /// A method name, as sent in the request line.
    package struct Method: RawRepresentable, Sendable, Equatable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        package static let get = Method(rawValue: "GET")
        package static let post = Method(rawValue: "POST")
        package static let put = Method(rawValue: "PUT")
        package static let patch = Method(rawValue: "PATCH")
        package static let delete = Method(rawValue: "DELETE")
        package static let head = Method(rawValue: "HEAD")
        package static let options = Method(rawValue: "OPTIONS")
    }

    package var method: Method
    /// The absolute URL, percent-encoded, with its query.
    package var url: String
    package var headers: HTTPHeaders
    /// If this and `bodySource` are `nil`, the request has no body. POST and PUT then send `Content-Length: 0`.
    package var body: [UInt8]?
    /// A body that is read while it is sent, instead of `body`.
    package var bodySource: ByteSource?
    package var reception = Reception.whole(limit: 1 << 20)
    /// Whether the request is idempotent and may therefore be retried.
    package var isIdempotent: Bool
    /// The time limit of the whole request; `nil` for the transport's own limit.
    package var timeLimit: Duration?
    /// How long the connection may be idle in both directions. If set, `timeLimit` limits only connecting and retries.
    package var stallLimit: Duration?
    /// Whether the request needs a new connection, because libcurl resends a request if its reused connection is dead.
    package var wantsNewConnection = false
    /// How often the request is sent at most if it is idempotent.
    package var mostTries = 3
    /// If false, a redirect is an ordinary response.
    package var followsRedirects = true
    /// The path of the site's login form, empty if it is not known: a redirect that asks for a login is then an ordinary
    /// response.
    package var loginPath: String?

    /// - Parameter isIdempotent: `nil` means true for GET and false for other methods.
    package init(
        _ method: Method, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil, isIdempotent: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.isIdempotent = isIdempotent ?? (method == .get)
    }

    /// Whether libcurl may send the request again by itself, beside the tries.
    package var mayBeResent: Bool { isIdempotent && (method == .get || mostTries > 2) }

    /// Whether the request can be sent again: no part of a response was passed on, and its body can be read again.
    package var isRepeatable: Bool { reception.sink?.hasBegun != true && bodySource?.isRepeatable != false }
}

package struct HTTPResponse: Sendable, Equatable {
    /// From 100 to 599.
    package var status: Int
    package var headers: HTTPHeaders
    /// Empty if the response has no body, or if a sink received the body.
    package var body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the content type is JSON, or missing.
    ///
    /// Every account server declares its responses as JSON. Any other type comes from a gateway or a web page.
    package var isSaidToBeJSON: Bool {
        guard let type = headers["Content-Type"] else { return true }
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }
}

/// Header fields of a request or response, in order; names are case-insensitive.
package struct HTTPHeaders: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// `Name: value`.
        package var line: String { "\(name): \(value)" }
    }

    package private(set) var fields: [Field]

    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The value of the first field with this name. Setting it replaces all fields with this name; `nil` removes them.
    package subscript(name: String) -> String? {
        get {
            firstIndex(of: name, from: 0).map { fields[$0].value }
        }
        set {
            while let index = firstIndex(of: name, from: 0) { fields.remove(at: index) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// The values of all fields with this name, in order.
    package func values(_ name: String) -> [String] {
        var values: [String] = []
        var start = 0
        while let index = firstIndex(of: name, from: start) {
            values.append(fields[index].value)
            start = index + 1
        }
        return values
    }

    private func firstIndex(of name: String, from start: Int) -> Int? {
        fields.indices[start...].first { index in
            fields[index].name.utf8.count == name.utf8.count
                && fields[index].name.utf8.elementsEqual(name.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
        }
    }

    /// Adds a field, and keeps other fields with the same name.
    package mutating func add(_ name: String, _ value: String) { add(Field(name: name, value: value)) }

    package mutating func add(_ field: Field) { fields.append(field) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }
}
