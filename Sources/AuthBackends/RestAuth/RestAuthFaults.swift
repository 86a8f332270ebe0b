import AuthModel
import JSON
import Platform

/// The messages in an error response, with the fields that they concern.
///
/// Each member of the body names a field, except `non_field_errors`, `detail`, and `code` and `messages` beside
/// `detail`. The value of a member is a message, or contains nested messages. Source: Django REST framework,
/// "Validation errors"; `Tests/Exchanges/rest-auth/answers.ndjson`.
struct RestAuthFaults {
    /// Field errors without duplicates. Username, e-mail, password and its confirmation come first, in that order.
    private(set) var fields: [FieldFault] = []
    /// Messages that concern the whole request.
    private(set) var texts: [String] = []

    /// - Parameter masker: masks field names that the site defines. Messages stay unmasked, because reasons are derived
    ///   from them.
    init(_ body: JSONValue?, _ masker: Masker) {
        var leaves: [Leaf] = []
        if let body { Self.collect(body, at: [], into: &leaves, masker) }
        for (path, text) in leaves {
            if let field = Self.field(path, text) {
                let fault = FieldFault(field, text, isServerText: true)
                if !fields.contains(fault) { fields.append(fault) }
            } else if !texts.contains(text) {
                texts.append(text)
            }
        }
        let order = ["username", "email", "password", "passwordConfirmation"]
        fields =
            order.flatMap { name in fields.filter { $0.field == name } } + fields.filter { !order.contains($0.field) }
    }

    private typealias Leaf = (path: [String], text: String)

    /// Limits the work that a malicious server can cause.
    private static let mostLeaves = 100

    private static func collect(_ value: JSONValue, at path: [String], into leaves: inout [Leaf], _ masker: Masker) {
        guard leaves.count < mostLeaves else { return }
        switch value {
        case .string(let text): leaves.append((path, text))
        case .array(let elements): for element in elements { collect(element, at: path, into: &leaves, masker) }
        case .object(let object): collect(object, at: path, into: &leaves, masker)
        case .null, .bool, .integer, .number: break
        }
    }

    private static func collect(
        _ object: JSONObject, at path: [String], into leaves: inout [Leaf], _ masker: Masker
    ) {
        let hasDetail = object["detail"] != nil
        for member in object.members where !(hasDetail && besideDetail.contains(member.name)) {
            let name = wholeNames.contains(member.name) ? [] : [FieldFault.name(member.name, masker)]
            collect(member.value, at: path + name, into: &leaves, masker)
        }
    }

    /// Members that concern the whole request.
    private static let wholeNames = ["non_field_errors", "detail"]

    /// Members next to `detail` that are not fields.
    private static let besideDetail = ["code", "messages"]

    /// Returns authctl's name of the field that a message concerns; `nil` if it concerns the whole request.
    private static func field(_ path: [String], _ text: String) -> String? {
        // The site sends this message for the whole request, or for the field that repeats the new password.
        if text.hasPrefix("The two password fields") { return "passwordConfirmation" }
        return switch path.first {
        case "password", "password1", "new_password1", "new_password2": "password"
        case "password2": "passwordConfirmation"
        case "old_password": "currentPassword"
        // The site sends this message for the whole request, but the message concerns only the password.
        case nil where text.hasPrefix("The password is too similar"): "password"
        case nil: nil
        case _?: path.joined(separator: ".")
        }
    }
}
