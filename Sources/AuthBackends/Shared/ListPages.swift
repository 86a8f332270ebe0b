import AuthModel
import JSON
import Platform
import Transport

/// Pagination by links: each page contains the URL of the next page, `{"results": […], "next": "https://…"}`.
///
/// Source: Django REST framework, "Pagination".
enum LinkedPages {
    static func page(
        after list: JSONList, to request: HTTPRequest, base: String, _ masker: Masker
    ) throws(BackendError) -> HTTPRequest? {
        guard case .results(let next?) = list.form else { return nil }
        guard let current = URLParts(request.url), let mount = URLParts(base), let target = current.resolving(next)
        else {
            throw BackendError(.invalidResponse, "the URL of the next page is invalid")
        }
        guard target.isSameOrigin(as: mount) else {
            throw BackendError(
                .redirect,
                "the next page is on another origin, '\(masker.mask(target.origin))', which must not receive the session"
            )
        }
        guard target.isAtOrBelow(mount), target.userInfo == nil else {
            throw BackendError(.redirect, "the next page is outside of '\(mount.address)', on '\(target.origin)'")
        }
        var page = request
        page.url = target.address
        return page
    }
}

/// Pagination with the query parameters `skip` and `limit`.
///
/// A server may return fewer rows than `limit`, so only an empty page marks the end of the list. Source: Parse REST
/// guide, "Queries"; Parse Server, option `maxLimit`.
enum SkippingPages {
    private static let usualLimit = 100

    /// Adds a `limit` if there is none.
    static func first(of request: HTTPRequest) -> HTTPRequest {
        var query = QueryParameters(of: request.url)
        query.sort(by: "order", completedWith: "objectId")
        if query["limit"] == nil { query["limit"] = String(usualLimit) }
        var first = request
        first.url = query.url
        return first
    }

    static func page(after list: JSONList, to request: HTTPRequest) -> HTTPRequest? {
        guard case .results = list.form, !list.elements.isEmpty else { return nil }
        var query = QueryParameters(of: request.url)
        let skipped = query["skip"].flatMap { Int($0) } ?? 0
        let (sum, isTooMuch) = skipped.addingReportingOverflow(list.elements.count)
        query["skip"] = String(isTooMuch ? .max : sum)
        var next = request
        next.url = query.url
        return next
    }
}

/// Pagination with the query parameters `page` and `perPage`.
///
/// A server may send fewer rows than requested, and then says so in `perPage`. Source: the exchange
/// `admin/list-huge-page`; documentation of PocketBase, "API: Records".
enum NumberedPages {
    /// The maximum number of rows on a page.
    private static let usualSize = 1000

    /// Skips the count of all rows, which takes time.
    static func first(of request: HTTPRequest) -> HTTPRequest {
        var query = QueryParameters(of: request.url)
        query.sort(by: "sort", completedWith: "id")
        if query["perPage"] == nil { query["perPage"] = String(usualSize) }
        if query["skipTotal"] == nil { query["skipTotal"] = "1" }
        var first = request
        first.url = query.url
        return first
    }

    static func page(after list: JSONList, to request: HTTPRequest) -> HTTPRequest? {
        guard case .items(let perPage) = list.form, !list.elements.isEmpty, list.elements.count >= perPage else {
            return nil
        }
        var query = QueryParameters(of: request.url)
        let (number, isTooMuch) = (query["page"].flatMap { Int($0) } ?? 1).addingReportingOverflow(1)
        guard !isTooMuch else { return nil }
        query["page"] = String(number)
        var next = request
        next.url = query.url
        return next
    }
}

/// The parameters in the query of a URL, in order and still percent-encoded.
private struct QueryParameters {
    private let path: Substring
    private var parameters: [String]

    init(of url: String) {
        path = url.prefix { $0 != "?" }
        let query = url.utf8.dropFirst(path.utf8.count + 1)
        parameters = query.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) }
    }

    var url: String { parameters.isEmpty ? String(path) : "\(path)?\(parameters.joined(separator: "&"))" }

    /// Adds the id as the last sort key; otherwise, rows with equal sort keys could be missing or repeated.
    mutating func sort(by name: String, completedWith id: String) {
        let order = self[name] ?? ""
        let keys = String(decoding: order.percentDecoded(plusIsSpace: true), as: UTF8.self)
            .split { $0 == "," || $0 == " " || $0 == "-" || $0 == "+" }
        if !keys.contains(Substring(id)) { self[name] = order.isEmpty ? id : "\(order),\(id)" }
    }

    /// The value of the last parameter with this name. Setting a value replaces all parameters with this name.
    subscript(name: String) -> String? {
        get { parameters.last { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.utf8.count + 1)) } }
        set {
            parameters.removeAll { $0 == name || $0.hasPrefix("\(name)=") }
            if let newValue { parameters.append("\(name)=\(newValue)") }
        }
    }
}
