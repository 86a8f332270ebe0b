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

    static var words: [String] { allCases.map(\.rawValue) }

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
        case .server:
            // A name stays one: which URL it stands for, the kind of backend says.
            let isName = context.backends.contains { $0.namedServers.contains { $0.name == value.value } }
            return .string(isName ? value.value : try ServerURL(value).text)
        case .appID:
            try Profile.requireAppID(value)
            return .string(value.value)
        case .clientKeyFile:
            return .string(try SecretReader(what: "client key", context: context).token(in: value.value).reveal())
        case .allowsHTTP:
            guard let isOn = ["true": true, "false": false][value.value] else {
                throw AuthError(.usage, "'\(value.value)' is not true or false")
            }
            return .bool(isOn)
        }
    }
}

/// New values of a profile's settings.
struct ProfileChange {
    /// `nil` takes a setting out.
    private var values: [(key: String, value: JSONValue?)] = []
    private let backends: [BackendDescriptor]

    /// Those that the options of the program give, beside the profile's own.
    init(_ globals: GlobalOptions, in context: Context) throws(AuthError) {
        backends = context.backends
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
        backends = context.backends
        try add(setting, Setting(value, from: .builtIn), context)
    }

    /// - Parameter value: the path of its file for a secret; empty to take the setting out.
    init(_ setting: BackendSetting, _ value: String, in context: Context) throws(AuthError) {
        backends = context.backends
        guard !value.isEmpty else {
            values = [(setting.key, nil)]
            return
        }
        let given =
            setting.form == .secret
            ? try SecretReader(what: setting.key, context: context).token(in: value).reveal() : value
        try setting.require(Setting(given, from: .builtIn))
        values = [(setting.key, .string(given))]
    }

    private mutating func add(
        _ setting: ProfileSetting, _ value: Setting<String>, _ context: Context
    ) throws(AuthError) {
        values.append((setting.key.rawValue, try setting.stored(value, in: context)))
    }

    /// Applies the values; what belongs to one server alone does not go over to another one.
    func apply(to profile: inout Profile) {
        let before = (server: profile.text(.server), kind: kind(of: profile))
        if let server, server != before.server {
            for key in [ProfileKey.clientKey, .allowsHTTP] { profile.set(key, nil) }
            forgetBackendSettings(of: &profile)
            // The word for a backend that means a server says which.
            if value(.server) == nil { profile.set(.server, nil) }
        }
        for (key, value) in values { profile.settings[key] = value }
        // What is so called at one kind of backend may be something else at another.
        if kind(of: profile) != before.kind { forgetBackendSettings(of: &profile) }
    }

    private func forgetBackendSettings(of profile: inout Profile) {
        for setting in backends.settings { profile.settings[setting.key] = nil }
    }

    private func kind(of profile: Profile) -> String? {
        guard let word = profile.text(.backend) else { return backends[0].kind }
        return backends.meant(by: word)?.kind
    }

    /// The new server: named, or meant by the word for the backend.
    private var server: String? {
        if let server = value(.server) { return server }
        return value(.backend).flatMap { word in backends.meant(by: word)?.server(meantBy: word) }
    }

    private func value(_ key: ProfileKey) -> String? {
        values.first { $0.key == key.rawValue }?.value?.string
    }
}
