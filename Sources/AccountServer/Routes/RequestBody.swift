import JSON
internal import Transport

/// Parses the fields of a request body.
enum RequestBody {
    /// 1 MiB. Parse's default of 20 MB is for files, which this server does not store.
    static let maximumSize = 1 << 20

    /// Empty if the body is empty, an array, or has no content type.
    ///
    /// Like Parse, it parses JSON for every content type except a form's.
    static func fields(of request: HTTPRequest) throws(RouteError) -> JSONObject {
        guard let data = request.body, !data.isEmpty else { return [:] }
        guard data.count <= maximumSize else { throw .answered(.refusal(413, "request entity too large")) }
        guard let type = request.headers["Content-Type"], !type.isEmpty else { return [:] }
        let parts = type.split(separator: ";").map { $0.trimmed.lowercased() }
        try checkCharacterSet(parts.dropFirst())
        if parts.first == "application/x-www-form-urlencoded" { return try form(data) }
        return try object(in: data)
    }

    private static func checkCharacterSet(_ parameters: ArraySlice<String>) throws(RouteError) {
        guard let parameter = parameters.first(where: { $0.hasPrefix("charset=") }) else { return }
        let name = parameter.dropFirst("charset=".count).filter { $0 != "\"" }
        guard name == "utf-8" else {
            throw .answered(.refusal(415, "unsupported charset \"\(name.uppercased())\""))
        }
    }

    private static func form(_ data: [UInt8]) throws(RouteError) -> JSONObject {
        let pairs = RequestTarget.pairs(String(decoding: data, as: UTF8.self)[...])
        guard !pairs.contains(where: { $0.name.hasTooManyMarks || $0.value.hasTooManyMarks }) else {
            throw .answered(.refusal(400, "too many combining marks in the form"))
        }
        return JSONObject(firstOf: pairs)
    }

    private static func object(in data: [UInt8]) throws(RouteError) -> JSONObject {
        let text = data.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(data.dropFirst(3)) : data
        switch try json(text) {
        case .object(let object): return object
        case .array: return [:]
        default: throw .answered(.refusal(400, "the body is JSON, but neither an object nor an array"))
        }
    }

    /// Invalid UTF-8 becomes U+FFFD, as in Parse.
    ///
    /// Parse's message quotes the body around the error, possibly a password; this one reports only the offset.
    private static func json(_ data: [UInt8]) throws(RouteError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: data)
        } catch {
            let repaired = Array(String(decoding: data, as: UTF8.self).utf8)
            // `try?`: the first error is the one to report.
            if repaired != data, let value = try? JSONValue(parsing: repaired) { return value }
            throw .answered(.refusal(400, "the body is not JSON: \(error.description) at byte \(error.offset)"))
        }
    }
}

extension JSONObject {
    /// The names and values of a form or query. The first occurrence of a name wins.
    init(firstOf pairs: [(name: String, value: String)]) {
        var names: Set<String> = []
        self.init(
            pairs.filter { names.insert($0.name).inserted }.map { Member(name: $0.name, value: .string($0.value)) })
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }
}
