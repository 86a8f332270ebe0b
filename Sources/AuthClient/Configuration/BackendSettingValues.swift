package import AuthModel
import JSON
import Platform

extension BackendSetting {
    /// Refuses a value that somebody named and that the setting cannot have.
    package func require(_ value: Setting<String>) throws(AuthError) {
        guard let problem = form.problem(of: value.value) else { return }
        let subject = form == .secret ? "the value\(value.origin.clause)" : "'\(value.value)'\(value.origin.clause)"
        throw AuthError(.usage, "invalid setting '\(key)': \(subject) \(problem)", next: advice)
    }

    private var advice: NextStep {
        let example = standard.map { ", such as \($0)" } ?? ""
        return switch form {
        case .path: "use a path below the base URL of the server\(example)"
        case .word: "copy it from the settings of the app: letters, digits and punctuation, no spaces"
        case .secret: "copy the value alone from the settings of the app"
        case .graphVersion: "use a version of the Facebook Graph API\(example)"
        }
    }
}

extension BackendSetting.Form {
    /// What is wrong with a value: `is empty`; `nil` for a good one.
    func problem(of value: String) -> String? {
        if value.isEmpty { return "is empty" }
        return switch self {
        case .path: Self.problem(ofPath: value)
        case .word: value.isVisibleASCII ? nil : "contains a space, a control character or a non-ASCII character"
        // Facebook wants both as one text, with a bar between them, and the app's pages show that, too.
        case .secret:
            value.isVisibleASCII && !value.utf8.contains(UInt8(ascii: "|"))
                ? nil : "contains a space, a control character, a non-ASCII character or '|'"
        case .graphVersion: Self.isGraphVersion(value) ? nil : "is not a version such as v21.0"
        }
    }

    private static func isGraphVersion(_ text: String) -> Bool {
        let numbers = text.dropFirst().split(separator: "." as Character, omittingEmptySubsequences: false)
        return text.hasPrefix("v") && numbers.count == 2
            && numbers.allSatisfy {
                $0.utf8.count <= 4 && $0.isASCIIDigits
            }
    }

    /// As strict as a base URL: a path that leads out of it would take secrets to where nobody sent them.
    private static func problem(ofPath text: String) -> String? {
        guard text.isVisibleASCII else { return "contains a space, a control character or a non-ASCII character" }
        if text.hasPrefix("/") { return "starts with '/'" }
        if text.prefix(while: { $0 != "/" }).contains(":") { return "has a scheme like a URL" }
        do throws(ServerURL.Fault) {
            _ = try ServerURL.path(Substring("/" + text))
            return nil
        } catch {
            return error.problem
        }
    }
}

extension Profile {
    /// What it says of its kind of backend, by key; a setting that is missing or null has its standard.
    ///
    /// - Throws: `AuthError` `usage` if somebody wrote a value into the configuration that cannot be one.
    func values(of settings: [BackendSetting]) throws(AuthError) -> [String: String] {
        var values: [String: String] = [:]
        for setting in settings {
            switch self.settings[setting.key] {
            case nil, .null: continue
            case .string(let text):
                try setting.require(Setting(text, from: .profile(name)))
                values[setting.key] = text
            default:
                throw AuthError(
                    .usage, "'\(setting.key)' of profile '\(name)' is not a string",
                    next: NextStep(
                        "set it again", run: ["profile", "set", name, setting.word, setting.standard ?? "VALUE"]))
            }
        }
        return values
    }
}
