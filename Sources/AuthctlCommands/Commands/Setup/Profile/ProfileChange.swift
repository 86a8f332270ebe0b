import AuthBackends
import AuthClient
import AuthModel
import JSON

/// What can be set in a profile, by the words of the command line.
enum ProfileSetting: String, CaseIterable {
    case backend
    case server
    case appID = "appId"
    case clientKeyFile
    case allowsHTTP = "allowHttp"

    /// Where the profile holds it.
    var key: ProfileKey {
        switch self {
        case .backend: .backend
        case .server: .server
        case .appID: .appID
        case .clientKeyFile: .clientKey
        case .allowsHTTP: .allowsHTTP
        }
    }

    /// The value to be stored for the one that was given; a URL in its normal form, a key in the place of its file.
    func stored(_ value: Setting<String>, in context: Context) throws(AuthError) -> JSONValue {
        switch self {
        case .backend:
            // As it was written: an alias may stand for a server, too.
            _ = try context.resolver.descriptor(value.value, from: value.origin)
            return .string(value.value)
        case .server: return .string(try ServerURL(value).text)
        case .appID:
            try Profile.requireAppID(value)
            return .string(value.value)
        case .clientKeyFile:
            return .string(try SecretReader(what: "client key", context: context).token(in: value.value).reveal())
        case .allowsHTTP:
            guard let isOn = ["true": true, "false": false][value.value] else {
                throw AuthError(.usage, "'\(value.value)' is neither true nor false")
            }
            return .bool(isOn)
        }
    }
}

/// New values of a profile's settings.
struct ProfileChange {
    private var values: [(setting: ProfileSetting, value: JSONValue)] = []

    /// Those that the options of the program give, beside the profile's own.
    init(_ globals: GlobalOptions, in context: Context) throws(AuthError) {
        let given: [(ProfileSetting, String, String?)] = [
            (.backend, "--backend", globals.backend), (.server, "--server", globals.server),
            (.appID, "--app-id", globals.appID), (.clientKeyFile, "--client-key-file", globals.clientKeyFile),
            (.allowsHTTP, "--allow-http", globals.allowsHTTP ? "true" : nil),
        ]
        for (setting, option, value) in given {
            if let value { try add(setting, Setting(value, from: .option(option)), context) }
        }
    }

    init(_ setting: ProfileSetting, _ value: String, in context: Context) throws(AuthError) {
        try add(setting, Setting(value, from: .builtIn), context)
    }

    private mutating func add(
        _ setting: ProfileSetting, _ value: Setting<String>, _ context: Context
    ) throws(AuthError) {
        values.append((setting, try setting.stored(value, in: context)))
    }

    /// Applies the values; what belongs to one server alone does not go over to another one.
    func apply(to profile: inout Profile) {
        let before = profile.text(.server)
        if let server, server != before {
            for key in [ProfileKey.clientKey, .allowsHTTP] { profile.set(key, nil) }
            // The word for a backend that means a server says which.
            if !values.contains(where: { $0.setting == .server }) { profile.set(.server, nil) }
        }
        for (setting, value) in values { profile.set(setting.key, value) }
    }

    /// The new server: named, or meant by the word for the backend.
    private var server: String? {
        if let server = values.first(where: { $0.setting == .server })?.value.string { return server }
        let word = values.first { $0.setting == .backend }?.value.string
        return word.flatMap { word in
            BackendRegistry.descriptors.lazy.compactMap { $0.server(meantBy: word) }.first
        }
    }
}
