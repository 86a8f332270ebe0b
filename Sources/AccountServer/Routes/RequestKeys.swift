import JSON
internal import Platform
internal import Transport

/// The credentials of a request: application id, client key and session token.
///
/// The credentials may be in headers, in HTTP Basic (application id as the user, `javascript-key=<key>` as the
/// password), or in the body. Browsers use the body, because such a request needs no CORS preflight. The body is read
/// only if the headers do not contain the server's application id. The value of a master key is never read.
struct RequestKeys {
    let applicationID: String?
    /// `nil` if missing or empty.
    let sessionToken: String?
    /// `nil` if missing or empty.
    let installationID: String?
    private let headers: HTTPHeaders
    /// The client key in HTTP Basic.
    private let basicKey: String?
    /// The client key in the body.
    private let bodyKey: String?

    /// - Parameter application: the server's application id.
    init(_ headers: HTTPHeaders, _ body: JSONObject, application: String) {
        let basic = BasicCredentials(headers["Authorization"])
        let named = basic?.applicationID == application ? application : headers["X-Parse-Application-Id"]
        let isInBody = named != application && body["_ApplicationId"]?.string == application
        func member(_ name: String) -> String? { isInBody ? body[name]?.string : nil }
        applicationID = isInBody ? application : named
        self.headers = headers
        basicKey = basic?.javaScriptKey
        bodyKey = member("_JavaScriptKey")
        sessionToken = (member("_SessionToken") ?? headers["X-Parse-Session-Token"])?.ifNotEmpty
        installationID = (member("_InstallationId") ?? headers["X-Parse-Installation-Id"])?.ifNotEmpty
    }

    /// All client keys in the request, computed on demand because most servers require none.
    var clientKeys: [String] { (Self.keyHeaders.map { headers[$0] } + [basicKey, bodyKey]).compactMap { $0 } }

    /// Whether the request has a master key. It counts only in requests from this process.
    var hasMasterKey: Bool { headers["X-Parse-Master-Key"] != nil }

    private static let keyHeaders = [
        "X-Parse-REST-API-Key", "X-Parse-JavaScript-Key", "X-Parse-Client-Key", "X-Parse-Windows-Key",
    ]
}

/// The header `Authorization: Basic <base64 of user:password>`. Source: RFC 7617.
private struct BasicCredentials {
    let applicationID: String
    let javaScriptKey: String?

    init?(_ header: String?) {
        guard let header, header.prefix(6).lowercased() == "basic ",
            let bytes = [UInt8](base64: header.dropFirst(6))
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        applicationID = String(parts[0])
        let prefix = "javascript-key="
        javaScriptKey = parts[1].hasPrefix(prefix) ? String(parts[1].dropFirst(prefix.count)) : nil
    }
}

extension String {
    var ifNotEmpty: String? { isEmpty ? nil : self }
}
