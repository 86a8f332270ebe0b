import Transport

extension HTTPResponse {
    /// Whether the body is said to be JSON, or nothing is said of it.
    ///
    /// Every account server says so; what says otherwise speaks of something else.
    var isSaidToBeJSON: Bool {
        guard let type = headers["Content-Type"] else { return true }
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }
}
