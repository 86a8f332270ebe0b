package import AuthModel
import JSON

/// The lists in an OpenAPI document, and what it describes that no draft of checks can request.
///
/// A list is a path without parameters; the path of its items has one more segment, their id: `/notes/` and `/notes/{id}/`.
/// Servers and hosts in the document are ignored, and references to other documents are not followed.
///
/// Source: OpenAPI Specification 3.1.0.
package struct OpenAPIDocument: Sendable {
    package private(set) var lists: [DescribedList] = []
    /// Each path with the reason.
    package private(set) var leftOut: [LeftOut] = []

    /// The maximum length of a document.
    package static let limit = 16 << 20

    private let root: JSONValue

    /// - Parameter name: the name of the document in messages, such as `'openapi.json'`.
    /// - Throws: `AuthError` with the reason `reason`.
    package init(_ bytes: [UInt8], name: String, reason: AuthError.Reason) throws(AuthError) {
        do throws(JSONSyntaxError) {
            root = try JSONValue(parsing: bytes)
        } catch {
            throw AuthError(
                reason, "\(name) is not JSON: \(error.description) (byte \(error.offset))",
                next: "authctl reads OpenAPI documents in JSON only; convert a YAML document first")
        }
        guard root["openapi"]?.string?.hasPrefix("3.") == true, let paths = root["paths"]?.object else {
            throw AuthError(reason, "\(name) is not an OpenAPI 3 document")
        }
        var names: [String] = []
        for member in paths.members where member.name.hasPrefix("/") {
            guard let item = resolved(member.value) else {
                leaveOut(member.name, "its description is not in this document")
                continue
            }
            guard let get = item["get"] else { continue }
            if let reason = reasonToLeaveOut(get, item) {
                leaveOut(member.name, reason)
            } else if member.name.utf8.contains(UInt8(ascii: "{")) {
                names.append(member.name)
            } else {
                lists.append(DescribedList(path: member.name, item: []))
            }
        }
        let places = Dictionary(
            lists.indices.map { (lists[$0].path.withoutFinalSlashes, $0) }, uniquingKeysWith: { first, _ in first })
        for name in names {
            guard let (list, item) = Self.parts(ofItem: name) else {
                leaveOut(name, "its parameters are not the id of an item alone")
                continue
            }
            guard let place = places[list.withoutFinalSlashes], lists[place].item.isEmpty else {
                leaveOut(name, "there is no list of its items")
                continue
            }
            lists[place] = DescribedList(path: lists[place].path, item: item)
        }
    }

    private mutating func leaveOut(_ path: String, _ reason: String) {
        leftOut.append(LeftOut(request: "GET \(path)", reason: reason))
    }

    /// Why a request without other parameters would not be valid; `nil` if it would be.
    private func reasonToLeaveOut(_ get: JSONValue, _ item: JSONValue) -> String? {
        var known: [String] = []
        // The parameters of the operation override those of the path.
        for value in (get["parameters"]?.array ?? []) + (item["parameters"]?.array ?? []) {
            guard let parameter = resolved(value), let name = parameter["name"]?.string else {
                return "a parameter is not described in this document"
            }
            let key = "\(parameter["in"]?.string ?? "") \(name)"
            if known.contains(key) { continue }
            known.append(key)
            if parameter["required"] == true, parameter["in"] != "path" { return "it requires the parameter '\(name)'" }
        }
        return nil
    }

    /// The value that a chain of references within the document leads to; `nil` if it leads elsewhere, or in a circle.
    private func resolved(_ value: JSONValue) -> JSONValue? {
        var value = value
        for _ in 0..<20 {
            guard let reference = value["$ref"]?.string else { return value.object == nil ? nil : value }
            guard reference.hasPrefix("#/") else { return nil }
            var target = root
            for part in reference.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false) {
                let name = String(part).percentDecoded.replacing("~1", with: "/").replacing("~0", with: "~")
                guard let next = target[name] else { return nil }
                target = next
            }
            value = target
        }
        return nil
    }

    /// Splits `/notes/{id}/`; `nil` if the only parameter is not the last segment.
    private static func parts(ofItem path: String) -> (list: String, item: [DescribedList.Part])? {
        guard let start = path.utf8.firstIndex(of: UInt8(ascii: "{")), path[..<start].hasSuffix("/"),
            let end = path.utf8[start...].firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        let (parameter, suffix) = (String(path[start..<end].dropFirst()), path[end...].dropFirst())
        guard suffix.isEmpty || suffix == "/" else { return nil }
        let isID = ["id", "pk"].contains(where: parameter.lowercased().hasSuffix)
        let members = [parameter] + (isID ? ["id", "pk", "uuid", "objectId", "_id"] : [])
        return (String(path[..<start]), [.text(String(path[..<start])), .member(members), .text(String(suffix))])
    }
}

/// A request that a draft of checks leaves out, with the reason.
package struct LeftOut: Sendable, Equatable {
    package let request: String
    package let reason: String
}
