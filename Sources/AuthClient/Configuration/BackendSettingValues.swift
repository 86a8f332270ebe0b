package import AuthModel
import JSON
import Platform

extension BackendSetting {
    package func require(_ value: Setting<String>) throws(AuthError) {
        guard let problem = form.problem(of: value.value) else { return }
        let shown = [.secureURL, .url].contains(form) ? ServerURL.masked(value.value) : value.value
        let subject = form == .secret ? "the value" : "'\(shown)'"
        throw AuthError(.usage, "invalid setting '\(key)': \(subject)\(value.origin.clause) \(problem)", next: advice)
    }

    private var advice: NextStep {
        let example = standard.map { ", such as \($0)" } ?? ""
        return switch form {
        case .path: "use a path below the base URL of the server\(example)"
        case .mount: "use a path with a leading slash\(example), or / alone"
        case .word: "copy it from the settings of the app: letters, digits and punctuation, no spaces"
        case .secret: "copy the value alone from the settings of the app"
        case .graphVersion: "use a version of the Facebook Graph API\(example)"
        case .secureURL: "use an https URL such as https://api.example.org/v1"
        case .url: "use a URL such as http://127.0.0.1:8025"
        case .folder, .file: "use an absolute path such as /srv/app/mails"
        }
    }
}

extension BackendSetting.Form {
    /// Describes why a value is invalid, such as `is empty`; `nil` if the value is valid.
    func problem(of value: String) -> String? {
        if value.isEmpty { return "is empty" }
        return switch self {
        case .path: Self.problem(ofPath: value)
        case .mount:
            !value.hasPrefix("/")
                ? "does not begin with '/'" : value == "/" ? nil : Self.problem(ofPath: String(value.dropFirst()))
        case .word: value.isVisibleASCII ? nil : "contains a space, a control character or a non-ASCII character"
        // Rejects `|`, because Facebook's pages also show the client token in the form `APP_ID|CLIENT_TOKEN`.
        case .secret:
            value.isVisibleASCII && !value.utf8.contains(UInt8(ascii: "|"))
                ? nil : "contains a space, a control character, a non-ASCII character or '|'"
        case .secureURL: Self.problem(ofURL: value) { $0.isSecure || $0.isLoopback }
        case .url: Self.problem(ofURL: value) { _ in true }
        case .folder, .file: value.hasPrefix("/") ? nil : "is not an absolute path"
        case .graphVersion:
            Self.isGraphVersion(value)
                ? nil : "is not a version such as \(BackendSetting.facebookGraphVersion.standard ?? "")"
        }
    }

    private static func problem(ofURL text: String, isSafe: (ServerURL) -> Bool) -> String? {
        do throws(ServerURL.Fault) {
            return isSafe(try ServerURL(text)) ? nil : "would receive the session unencrypted"
        } catch {
            return error.problem
        }
    }

    private static func isGraphVersion(_ text: String) -> Bool {
        let numbers = text.dropFirst().split(separator: "." as Character, omittingEmptySubsequences: false)
        return text.hasPrefix("v") && numbers.count == 2
            && numbers.allSatisfy {
                $0.utf8.count <= 4 && $0.isASCIIDigits
            }
    }

    /// Checks a path as strictly as a base URL, because a path outside the base URL would send secrets elsewhere.
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
    /// Returns the profile's settings for a kind of backend, by key. Omits settings that are missing or null.
    ///
    /// - Throws: `AuthError` `usage` if a value in the configuration is invalid.
    func values(of settings: [BackendSetting]) throws(AuthError) -> [String: String] {
        var values: [String: String] = [:]
        for (key, value) in self.settings.members.map({ ($0.name, $0.value) }) where value != .null {
            guard let setting = settings.keyed(key) else { continue }
            guard let text = value.string else {
                throw AuthError(
                    .usage, "'\(key)' of profile '\(name)' is not a string",
                    next: NextStep(
                        "set it again", run: ["profile", "set", name, setting.word, setting.standard ?? "VALUE"]))
            }
            try setting.require(Setting(text, from: .profile(name)))
            values[key] = text
        }
        return values
    }
}
