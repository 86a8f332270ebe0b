import AuthModel
import JSON

/// What a refusal says, in order: of which field, and in which words.
///
/// Members of the body are fields but for `non_field_errors` and `detail`; a value is a text, a list of texts, or nested.
/// Source: Django REST framework, "Validation errors"; README of the recorded exchanges, section 2, "Error shapes".
struct RestAuthFaults {
    /// Without repeats; user name, e-mail and password first, as people fill them in.
    let fields: [FieldFault]
    /// What is said of the request as a whole.
    let texts: [String]

    /// - Parameter masking: takes out what was sent in secret: servers quote what they got.
    init(_ body: JSONValue?, masking: (String) -> String) {
        var fields: [FieldFault] = []
        var texts: [String] = []
        for (path, text) in Self.leaves(of: body, masking) {
            let text = masking(text)
            if let field = Self.field(path, text) {
                let fault = FieldFault(field, text, isServerText: true)
                if !fields.contains(fault) { fields.append(fault) }
            } else if !texts.contains(text) {
                texts.append(text)
            }
        }
        self.fields =
            Self.order.flatMap { name in fields.filter { $0.field == name } }
            + fields.filter { !Self.order.contains($0.field) }
        self.texts = texts
    }

    private static let order = ["username", "email", "password", "passwordConfirmation"]

    private typealias Leaf = (path: [String], text: String)

    /// Nobody reads more, and a server that sends thousands means harm.
    private static let mostLeaves = 100

    private static func leaves(of body: JSONValue?, _ masking: (String) -> String) -> [Leaf] {
        var leaves: [Leaf] = []
        if let body { collect(body, at: [], into: &leaves, masking) }
        return leaves
    }

    private static func collect(
        _ value: JSONValue, at path: [String], into leaves: inout [Leaf], _ masking: (String) -> String
    ) {
        guard leaves.count < mostLeaves else { return }
        switch value {
        case .string(let text): leaves.append((path, text))
        case .array(let elements): for element in elements { collect(element, at: path, into: &leaves, masking) }
        case .object(let object): collect(object, at: path, into: &leaves, masking)
        case .null, .bool, .integer, .number: break
        }
    }

    private static func collect(
        _ object: JSONObject, at path: [String], into leaves: inout [Leaf], _ masking: (String) -> String
    ) {
        // `{"message", "code"}`: sites that show codes put both where others have the text alone.
        if !path.isEmpty, let message = object["message"], object["code"] != nil {
            return collect(message, at: path, into: &leaves, masking)
        }
        let hasDetail = object["detail"] != nil
        for member in object.members where !(hasDetail && besideDetail.contains(member.name)) {
            // It is repeated with every text below it.
            let name = wholeNames.contains(member.name) ? [] : [masking(member.name).start(200)]
            collect(member.value, at: path + name, into: &leaves, masking)
        }
    }

    /// Names under which the request as a whole is spoken of; the last are those of Django's own forms and of sites that
    /// write names in another way.
    private static let wholeNames = ["non_field_errors", "detail", "__all__", "nonFieldErrors"]

    /// What stands beside a `detail` is no fault of a field.
    private static let besideDetail = ["code", "messages"]

    /// The name of the field in our documents; `nil`: the text is about the whole.
    private static func field(_ path: [String], _ text: String) -> String? {
        // Said of the whole, or of both fields of a new password.
        if text.hasPrefix("The two password fields") { return "passwordConfirmation" }
        return switch path.first {
        case "password", "password1", "new_password1", "new_password2": "password"
        case "password2": "passwordConfirmation"
        case "old_password": "currentPassword"
        // Said of the whole where the field alone is meant.
        case nil where text.hasPrefix("The password is too similar"): "password"
        case nil: nil
        case _?: path.joined(separator: ".")
        }
    }

    /// Whether there is a fault of this field, and nothing else.
    func isOnly(_ names: String...) -> Bool {
        !fields.isEmpty && texts.isEmpty && fields.allSatisfy { names.contains($0.field) }
    }

    /// Whether a text begins so, whatever it is about.
    func hasText(_ start: String) -> Bool {
        texts.contains { $0.lowercased().hasPrefix(start.lowercased()) }
    }
}

extension FieldFault {
    /// Whether somebody else has it: `A user with that username already exists.`, `This field must be unique.`
    var meansTaken: Bool {
        ["username", "email"].contains(field) && (message.holds("already") || message.holds("must be unique"))
    }

    /// Whether nothing was given, or not a text: `This field is required.`, `Not a valid string.`
    var meansMissing: Bool { message.hasPrefix("This field ") || message.hasPrefix("Not a valid") }
}
