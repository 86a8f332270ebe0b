import AuthModel
import JSON

/// The texts of an error, in order, with their fields.
///
/// Members of the body are fields, except `non_field_errors` and `detail`. A value is a text, a list of texts, or
/// nested. Source: Django REST framework, "Validation errors"; README of the recorded exchanges, section 2, "Error
/// shapes".
struct RestAuthFaults {
    /// Without duplicates; username, e-mail and password first, in the order of forms.
    private(set) var fields: [FieldFault] = []
    /// Errors of the whole request.
    private(set) var texts: [String] = []

    /// - Parameter masked: redacts a phrase like the body.
    init(_ body: JSONValue?, masked: (String) -> String = { $0 }) {
        var leaves: [Leaf] = []
        if let body { Self.collect(body, at: [], into: &leaves) }
        for (path, text) in leaves {
            if let field = Self.field(path, text, masked) {
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

    /// Limits the work for a hostile server.
    private static let mostLeaves = 100

    private static func collect(_ value: JSONValue, at path: [String], into leaves: inout [Leaf]) {
        guard leaves.count < mostLeaves else { return }
        switch value {
        case .string(let text): leaves.append((path, text))
        case .array(let elements): for element in elements { collect(element, at: path, into: &leaves) }
        case .object(let object): collect(object, at: path, into: &leaves)
        case .null, .bool, .integer, .number: break
        }
    }

    private static func collect(_ object: JSONObject, at path: [String], into leaves: inout [Leaf]) {
        // `{"message", "code"}`: sites that show codes send this object instead of the text.
        if !path.isEmpty, let message = object["message"], object["code"] != nil {
            return collect(message, at: path, into: &leaves)
        }
        let hasDetail = object["detail"] != nil
        for member in object.members where !(hasDetail && besideDetail.contains(member.name)) {
            // The name is copied to every text below it.
            let name = wholeNames.contains(member.name) ? [] : [member.name.start(200)]
            collect(member.value, at: path + name, into: &leaves)
        }
    }

    /// Members for the whole request. The last two are from Django's forms and from sites that use camel case.
    private static let wholeNames = ["non_field_errors", "detail", "__all__", "nonFieldErrors"]

    /// Members beside a `detail` that are not fields.
    private static let besideDetail = ["code", "messages"]

    /// The field name that all backends use; `nil`: the text concerns the whole request.
    private static func field(_ path: [String], _ text: String, _ masked: (String) -> String) -> String? {
        // Sent for the whole request, or for both fields of a new password.
        if text.hasPrefix(masked("The two password fields")) { return "passwordConfirmation" }
        return switch path.first {
        case "password", "password1", "new_password1", "new_password2": "password"
        case "password2": "passwordConfirmation"
        case "old_password": "currentPassword"
        // Sent for the whole request, but about the password only.
        case nil where text.hasPrefix(masked("The password is too similar")): "password"
        case nil: nil
        case _?: path.joined(separator: ".")
        }
    }
}
