import AuthModel
import JSON
import Platform

/// A form of an HTML page, as far as a login needs it: what a browser without scripts would send.
struct HTMLForm: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        let name: String
        /// The type of the input in lower case, `text` if it has none; or `select`, `textarea`, `submit`.
        let type: String
        let value: String
        let isRequired: Bool
        var isChecked = false
        /// What a browser fills in, such as `one-time-code`.
        var purpose = ""

        /// Whether the user types into the field.
        var isTyped: Bool { !["hidden", "password", "submit", "checkbox", "radio", "select"].contains(type) }
    }

    /// As written; empty for the URL of the page.
    let action: String
    let isPosted: Bool
    var fields: [Field] = []
    /// The parts of a captcha, by name or class.
    var captchas: [String] = []

    var csrf: String? { self["csrfmiddlewaretoken"].flatMap { $0.isEmpty ? nil : $0 } }

    /// Whether this is a login form of Django: a CSRF token beside one password field.
    var isLogin: Bool { csrf != nil && fields.count { $0.type == "password" } == 1 }

    /// Whether this is a step after the password: a form with a CSRF token, without a password field.
    var isStep: Bool { csrf != nil && isPosted && !fields.contains { $0.type == "password" } && !logsOut }

    /// Whether the form asks for a code: what it calls its fields tells.
    var asksForCode: Bool {
        isStep
            && fields.filter(\.isTyped).contains { field in
                let name = field.name.lowercased()
                return field.purpose == "one-time-code" || Self.codeNames.contains(name)
                    || ["otp", "2fa", "mfa"].contains(where: name.holds)
            }
    }

    private static let codeNames = ["code", "token", "pin", "verification_code", "auth_code", "security_code"]

    var logsOut: Bool { ["logout", "log-out", "signout"].contains { action.lowercased().holds($0) } }

    private subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The fields that the form requires beside those of a login.
    func missing(_ given: JSONObject) -> [String] {
        let name = loginField?.name
        return fields.filter { field in
            field.isRequired && !["hidden", "password", "submit"].contains(field.type) && field.name != name
                && given[field.name] == nil && (field.value.isEmpty || field.type == "checkbox" && !field.isChecked)
        }.map(\.name)
    }

    private var loginField: Field? { fields.first(where: \.isTyped) }

    /// The body of a login.
    ///
    /// - Parameter given: the values of other fields.
    func body(_ login: String, _ password: Secret, _ given: JSONObject) -> [UInt8] {
        var values: [(name: String, value: String)] = []
        let (name, button) = (loginField?.name, fields.first { $0.type == "submit" })
        for field in fields where given[field.name] == nil {
            switch field.type {
            case "password": values.append((field.name, password.reveal()))
            case "submit" where field != button, "select": break
            case "checkbox" where !field.isChecked, "radio" where !field.isChecked: break
            default: values.append((field.name, field.name == name ? login : field.value))
            }
        }
        values += given.members.map { ($0.name, $0.value.string ?? $0.value.text) }
        return Self.encoded(values)
    }

    static func encoded(_ values: [(name: String, value: String)]) -> [UInt8] {
        Array(values.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&").utf8)
    }

    /// Reads the forms of a page. Fields outside of a form do not count.
    static func all(in page: [UInt8]) -> [HTMLForm] {
        var (tags, forms, isOpen) = (HTMLTags(rest: page[...]), [HTMLForm](), false)
        while let tag = tags.next() {
            switch tag.name {
            // HTML has no nested forms.
            case "form" where !isOpen:
                isOpen = true
                forms.append(
                    HTMLForm(action: tag["action"] ?? "", isPosted: tag["method"]?.lowercased() == "post"))
            case "/form": isOpen = false
            case _ where isOpen: forms[forms.count - 1].add(tag)
            default: break
            }
        }
        return forms
    }

    private mutating func add(_ tag: HTMLTags.Tag) {
        let (name, type) = (tag["name"] ?? "", tag["type"]?.lowercased() ?? "")
        if ["captcha", "turnstile"].contains(
            where: "\(tag["class"] ?? "") \(tag["id"] ?? "") \(name)".lowercased().holds),
            type != "hidden"
        {
            captchas.append(name.isEmpty ? tag["class"] ?? tag.name : name)
        }
        let kind: String
        switch tag.name {
        case "input" where ["image", "button", "reset", "file"].contains(type): return
        case "input": kind = type.isEmpty ? "text" : type
        case "button" where ["", "submit"].contains(type): kind = "submit"
        case "select", "textarea": kind = tag.name
        default: return
        }
        guard !name.isEmpty, tag["disabled"] == nil else { return }
        fields.append(
            Field(
                name: name, type: kind, value: tag["value"] ?? (["checkbox", "radio"].contains(kind) ? "on" : ""),
                isRequired: tag["required"] != nil, isChecked: tag["checked"] != nil,
                purpose: tag["autocomplete"]?.lowercased() ?? ""))
    }
}

/// Reads the tags of an HTML page one by one. A tag that has no end is left out. Source: HTML, section 13.2.5.
struct HTMLTags {
    struct Tag {
        /// In lower case; begins with `/` for an end tag.
        let name: String
        fileprivate(set) var attributes: [String: String] = [:]

        subscript(name: String) -> String? { attributes[name] }
    }

    fileprivate var rest: ArraySlice<UInt8>

    init(rest: ArraySlice<UInt8>) { self.rest = rest }

    mutating func next() -> Tag? {
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...].dropFirst()
            if rest.starts(with: "!--".utf8) {
                skip(to: "-->")
            } else if let first = rest.first, first.isASCIILetter || first == UInt8(ascii: "/") {
                guard let tag = tag() else { return nil }
                // What follows is text up to the end tag.
                if ["script", "style", "textarea", "title"].contains(tag.name) { skip(to: "</\(tag.name)") }
                return tag
            }
        }
        return nil
    }

    private mutating func tag() -> Tag? {
        let slash = rest.first == UInt8(ascii: "/")
        if slash { rest = rest.dropFirst() }
        var tag = Tag(name: (slash ? "/" : "") + text { Self.isSpace($0) || $0 == 0x2F || $0 == 0x3E }.lowercased())
        while true {
            rest = rest.drop { Self.isSpace($0) || $0 == 0x2F }
            guard let byte = rest.first else { return nil }
            if byte == UInt8(ascii: ">") {
                rest = rest.dropFirst()
                return tag
            }
            // A name may begin with `=`.
            var name = byte == 0x3D ? "=" : ""
            rest = rest.dropFirst(name.utf8.count)
            name += text { Self.isSpace($0) || [0x2F, 0x3E, 0x3D].contains($0) }.lowercased()
            let value = value()
            // The first of several attributes with the same name counts.
            if tag.attributes[name] == nil { tag.attributes[name] = value.decodingCharacterReferences }
        }
    }

    private mutating func value() -> String {
        rest = rest.drop(while: Self.isSpace)
        guard rest.first == UInt8(ascii: "=") else { return "" }
        rest = rest.dropFirst().drop(while: Self.isSpace)
        guard let quote = rest.first, "\"'".utf8.contains(quote) else {
            return text { Self.isSpace($0) || $0 == UInt8(ascii: ">") }
        }
        rest = rest.dropFirst()
        let value = text { $0 == quote }
        rest = rest.dropFirst()
        return value
    }

    private mutating func text(upTo isEnd: (UInt8) -> Bool) -> String {
        let text = rest.prefix { !isEnd($0) }
        rest = rest[text.endIndex...]
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func skip(to end: String) {
        while let start = rest.firstIndex(where: { $0 == end.utf8.first }) {
            rest = rest[start...]
            if rest.prefix(end.utf8.count).map(\.lowercasedASCII).elementsEqual(end.utf8) { return }
            rest = rest.dropFirst()
        }
        rest = []
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\r\n\u{C}".utf8.contains(byte) }
}
