import AuthModel
import JSON

/// The settings that `authctl exec` hands to authctl inside of COMMAND, in AUTHCTL_SETTINGS:
///
///     {"backend":"pocketbase","server":"https://example.org","collection":"members"}
///
/// They rank as the profile, and replace its settings. They name no connection: if `backend` or `server` is not the one
/// in use, they are ignored.
package enum HandedSettings {
    package static let variable = "AUTHCTL_SETTINGS"

    /// The value of the variable.
    ///
    /// - Parameter more: settings that take precedence over those of the profile.
    package static func text(_ settings: Settings, _ more: [String: String] = [:]) -> String {
        let connection = settings.connection
        var document: JSONObject = ["backend": .string(connection.backend), "server": JSONValue(connection.server)]
        let values = settings.serverSettings.merging(more) { $1 }
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            guard settings.backend.value.settings.keyed(key)?.form != .secret else { continue }
            document[key] = .string(value)
        }
        return JSONValue.object(document).text
    }

    /// Parses the value of the variable.
    ///
    /// - Returns: the settings by key; `nil` if they belong to another connection.
    /// - Throws: `AuthError` `usage`, also for an unknown setting of this connection.
    static func values(
        in text: String, of backend: BackendDescriptor, at server: String?
    ) throws(AuthError) -> [String: String]? {
        // `try?`: the text is not quoted in the error, because it is long.
        guard let document = (try? JSONValue(parsing: text.utf8))?.object, let word = document["backend"]?.string else {
            throw AuthError(
                .usage, "\(variable) is not a JSON object with the member 'backend'", next: "correct or unset it")
        }
        // `try?`: an invalid URL is not the server in use.
        let own = document["server"]?.string.flatMap { try? ServerURL(backend.url(named: $0)).text }
        guard backend.words.contains(word), own == server else { return nil }
        var values: [String: String] = [:]
        for member in document.members where !["backend", "server"].contains(member.name) && member.value != .null {
            guard let setting = backend.settings.keyed(member.name), let value = member.value.string else {
                throw AuthError(
                    .usage, "\(variable): '\(member.name)' is not a setting of '\(backend.kind)', or not a string",
                    next: NextStep("list the settings", run: ["help", "profile", "set"]))
            }
            try setting.require(Setting(value, from: .environment(variable)))
            values[member.name] = value
        }
        return values
    }
}
