import AuthModel
import JSON
import Platform

/// The messages in an error response, with the fields that they concern.
///
/// Each member of the body names a field, except `non_field_errors`, `detail`, and `code` and `messages` beside
/// `detail`. The value of a member is a message, or contains nested messages. Sites rename `non_field_errors`, wrap the
/// body, as in `{"success": false, "message": "…", "errors": {…}}`, and list errors, as drf-standardized-errors does:
/// `{"type", "errors": [{"code", "detail", "attr"}]}`. Source: Django REST framework, "Validation errors";
/// `Tests/Exchanges/rest-auth/answers.ndjson`.
struct DjangoFaults {
    /// Field errors without duplicates. Username, e-mail, password and its confirmation come first, in that order.
    private(set) var fields: [FieldFault] = []
    /// Messages that concern the whole request.
    private(set) var texts: [String] = []
    /// The error code beside the message, or the code of the first error in a list.
    let code: String?
    /// The first error code of each field, if the site sends codes.
    private(set) var fieldCodes: [String: String] = [:]

    /// - Parameters:
    ///   - masker: masks field names that the site defines. Messages stay unmasked, because reasons are derived from
    ///     them.
    ///   - mayBeGateway: whether a gateway may have sent the body, unless it contains `detail`.
    init(_ body: JSONValue?, _ masker: Masker, mayBeGateway: Bool = false) {
        let listed = body?["errors"]?.array?.first
        code = (body?["code"] ?? listed?["code"] ?? body?["errors"]?["code"])?.string
        var leaves: [Leaf] = []
        if let body, !mayBeGateway || body["detail"] != nil {
            Self.collect(body, at: [], into: &leaves, masker)
        }
        for (path, text, code) in leaves {
            if let field = Self.field(path, text) {
                fieldCodes[field] = fieldCodes[field] ?? code
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

    private typealias Leaf = (path: [String], text: String, code: String?)

    /// Limits the work that a malicious server can cause.
    private static let mostLeaves = 100

    private static func collect(_ value: JSONValue, at path: [String], into leaves: inout [Leaf], _ masker: Masker) {
        guard leaves.count < mostLeaves else { return }
        switch value {
        case .string(let text): leaves.append((path, text, nil))
        case .array(let elements): for element in elements { collect(element, at: path, into: &leaves, masker) }
        case .object(let object): collect(object, at: path, into: &leaves, masker)
        case .null, .bool, .integer, .number: break
        }
    }

    private static func collect(
        _ object: JSONObject, at path: [String], into leaves: inout [Leaf], _ masker: Masker
    ) {
        // Beside the errors themselves, an envelope has texts such as `"message": "The request failed"`.
        let isEnvelope = object.members.contains { wholeNames.contains($0.name) && $0.value.isFilledContainer }
        let text = (object["detail"] ?? object["message"])?.string
        if let text, !isEnvelope, object["attr"] ?? object["field"] ?? object["code"] != nil {
            let name = (object["attr"] ?? object["field"])?.string ?? ""
            let names = name.split(separator: ".").map { FieldFault.name(String($0), masker) }
            let code = object["code"]?.string
            return leaves.append((path + names.filter { !wholeNames.contains($0) }, text, code))
        }
        // Beside a message, other texts such as `"status": "error"` are no errors.
        let hasMessage = object.members.contains { wholeNames.contains($0.name) && $0.value.string != nil }
        for member in object.members {
            if isEnvelope, member.name != "detail", member.value.string != nil { continue }
            if hasMessage, !wholeNames.contains(member.name), member.value.string != nil { continue }
            let name = wholeNames.contains(member.name) ? [] : [FieldFault.name(member.name, masker)]
            collect(member.value, at: path + name, into: &leaves, masker)
        }
    }

    /// Members that concern the whole request, or contain all errors. `NON_FIELD_ERRORS_KEY` sets the name of the first.
    private static let wholeNames = [
        "non_field_errors", "nonFieldErrors", "detail", "errors", "error", "message", "validation_errors",
        "validationErrors", "__all__",
    ]

    /// Returns authctl's name of the field that a message concerns; `nil` if it concerns the whole request.
    private static func field(_ path: [String], _ text: String) -> String? {
        // The site sends this message for the whole request, or for the field that repeats the new password.
        if text.hasPrefix("The two password fields") { return "passwordConfirmation" }
        return switch path.first {
        case "password", "password1", "new_password1", "new_password2", "newPassword1", "newPassword2": "password"
        case "password2": "passwordConfirmation"
        case "old_password", "oldPassword": "currentPassword"
        // The site sends these messages for the whole request, but they concern only one field. Some sites send only
        // the first message of any error, without its field.
        case nil where ["The password is too similar", "This password "].contains(where: text.hasPrefix): "password"
        case nil where text.hasPrefix("A user with that username"): "username"
        case nil: nil
        // `NON_FIELD_ERRORS_KEY` may have any value.
        case _? where path.count == 1 && wholeTexts.contains(where: text.hasPrefix): nil
        case _?: path.joined(separator: ".")
        }
    }

    /// Messages about a login, never about a field of it.
    private static let wholeTexts = [
        "Unable to log in with provided credentials", "E-mail is not verified", "Email is not verified",
        "User account is disabled", "Must include \"", "Too many failed login attempts",
    ]
}

extension JSONValue {
    fileprivate var isFilledContainer: Bool {
        switch self {
        case .array(let elements): !elements.isEmpty
        case .object(let object): !object.isEmpty
        case .null, .bool, .integer, .number, .string: false
        }
    }
}
