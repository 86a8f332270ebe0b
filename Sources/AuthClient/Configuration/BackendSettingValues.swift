package import AuthModel
import JSON

extension BackendSetting {
    /// Refuses a value that somebody named and that the setting cannot have.
    package func require(_ value: Setting<String>) throws(AuthError) {
        guard let problem = form.problem(of: value.value) else { return }
        throw AuthError(
            .usage, "'\(value.value)'\(value.origin.clause) cannot be '\(key)': it \(problem)",
            hint: "give a path below the base URL of the server, such as \(standard)")
    }
}

extension BackendSetting.Form {
    /// What is wrong with a value: `is empty`; `nil` for a good one.
    func problem(of value: String) -> String? {
        switch self {
        case .path: Self.problem(ofPath: value)
        }
    }

    /// As strict as a base URL: a path that leads out of it would take secrets to where nobody sent them.
    private static func problem(ofPath text: String) -> String? {
        if text.isEmpty { return "is empty" }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "holds a space, a control character or a letter beyond ASCII"
        }
        if text.hasPrefix("/") { return "begins with '/'" }
        if text.prefix(while: { $0 != "/" }).contains(":") { return "begins like a URL of its own" }
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
                    .usage, "'\(setting.key)' of profile '\(name)' is no text",
                    hint: "set it anew: authctl profile set \(name) \(setting.key) \(setting.standard)")
            }
        }
        return values
    }
}
