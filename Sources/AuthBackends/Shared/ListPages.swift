import AuthModel
import JSON
import Platform
import Transport

/// Pagination by links: each page contains the URL of the next page, `{"results": […], "next": "https://…"}`.
///
/// A site behind a proxy may name itself by another scheme, or by the name that the proxy uses. Such a link is requested
/// at the base URL.
///
/// Source: Django REST framework, "Pagination".
enum LinkedPages {
    static func page(
        after list: JSONList, to request: HTTPRequest, base: String, _ masker: Masker
    ) throws(BackendError) -> HTTPRequest? {
        guard list.form != .single, case .link(let next) = list.more.next else { return nil }
        guard let current = URLParts(request.url), let mount = URLParts(base),
            let target = current.resolving(next).map({ mapped($0, to: current) ?? $0 })
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

    /// Returns the URL of the current page with the query of a link that leads to the same list; `nil` if the link
    /// already has the origin of the page, or leads to another site or list.
    private static func mapped(_ link: URLParts, to current: URLParts) -> URLParts? {
        // A proxy may have removed the beginning of the path.
        guard !link.isSameOrigin(as: current), ["http", "https"].contains(link.scheme), link.userInfo == nil,
            link.host == current.host || isInternal(link.host), link.path.count > 1, current.path.hasSuffix(link.path)
        else { return nil }
        return link.query.flatMap { current.resolving("?\($0)") }
    }

    /// Whether only machines near the site know the host: `web`, `10.0.0.7`, `web.default.svc.cluster.local`.
    private static func isInternal(_ host: String) -> Bool {
        if let address = IPAddress(host.filter { !"[]".contains($0) }) {
            return ["10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "::1/128"].contains {
                address.isIn(block: $0) == true
            }
        }
        return !host.contains(".") || [".local", ".internal", ".localhost"].contains(where: host.hasSuffix)
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
        guard list.form == .results, !list.elements.isEmpty else { return nil }
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

/// Pagination of arrays with the query parameters `offset` and `limit`.
///
/// A server may return fewer rows than `limit`, so only an empty page marks the end of the list. Source: PostgREST,
/// "Pagination"; Supabase, setting "Max rows".
enum OffsetPages {
    private static let usualLimit = 1000

    /// - Throws: `BackendError` `usage` without an order: rows could be missing or repeated.
    static func first(of request: HTTPRequest) throws(BackendError) -> HTTPRequest {
        var query = QueryParameters(of: request.url)
        guard query["order"]?.isEmpty == false else {
            throw BackendError(
                .usage, "the pages of this list need an order", next: "add one to the path, such as ?order=id")
        }
        if query["limit"] == nil { query["limit"] = String(usualLimit) }
        var first = request
        first.url = query.url
        return first
    }

    static func page(after list: JSONList, to request: HTTPRequest) -> HTTPRequest? {
        guard list.form == .array, !list.elements.isEmpty else { return nil }
        var query = QueryParameters(of: request.url)
        let (sum, isTooMuch) = (query["offset"].flatMap { Int($0) } ?? 0).addingReportingOverflow(list.elements.count)
        query["offset"] = String(isTooMuch ? .max : sum)
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
