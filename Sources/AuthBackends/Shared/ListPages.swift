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
        return request.at(target.address)
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

/// Pagination with query parameters: the number of the rows before a page, or the number of the page, and its size.
struct QueryPages: Sendable {
    enum Position: Sendable {
        case rows(String)
        /// The first page has number 1.
        case page(String)
    }

    let position: Position
    /// The parameter with the greatest number of rows on a page, and its usual value.
    let size: (name: String, usual: Int)
    /// The parameter with the sort keys.
    let order: String
    /// The field that is added as the last sort key. Without one, the request must name an order.
    var id: String?
    /// Further parameters, with their usual values.
    var others: [(name: String, value: String)] = []
    /// Whether a list is one of these pages.
    let isPage: @Sendable (JSONList.Form) -> Bool

    /// - Throws: `BackendError` `usage` without an order: rows could be missing or repeated.
    func first(of request: HTTPRequest) throws(BackendError) -> HTTPRequest {
        var query = QueryParameters(of: request.url)
        if let id {
            query.sort(by: order, completedWith: id)
        } else if query[order]?.isEmpty != false {
            throw BackendError(
                .usage, "the pages of this list need an order", next: "add one to the path, such as ?\(order)=id")
        }
        for (name, value) in [(size.name, String(size.usual))] + others where query[name] == nil { query[name] = value }
        return request.at(query.url)
    }

    /// A server may return fewer rows than requested. PocketBase then tells in `perPage` how many a full page has. With
    /// others, only an empty page marks the end of the list.
    func page(after list: JSONList, to request: HTTPRequest) -> HTTPRequest? {
        let rows = list.elements.count
        if case .items(let full) = list.form, rows < full { return nil }
        guard rows > 0 else { return nil }
        var query = QueryParameters(of: request.url)
        switch position {
        case .rows(let name):
            let (sum, isTooMuch) = (query[name].flatMap { Int($0) } ?? 0).addingReportingOverflow(rows)
            query[name] = String(isTooMuch ? .max : sum)
        case .page(let name):
            let (number, isTooMuch) = (query[name].flatMap { Int($0) } ?? 1).addingReportingOverflow(1)
            guard !isTooMuch else { return nil }
            query[name] = String(number)
        }
        return request.at(query.url)
    }
}

extension HTTPRequest {
    fileprivate func at(_ url: String) -> HTTPRequest {
        var request = self
        request.url = url
        return request
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
