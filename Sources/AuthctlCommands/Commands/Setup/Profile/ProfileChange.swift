import AuthBackends
import AuthClient
import AuthModel
import JSON
import Platform

/// The names of the connection settings of a profile, for `profile set`.
extension ProfileKey {
    static let words = allCases.map(\.word)

    /// The name on the command line. The value of `clientKeyFile` is the path of a file with the key.
    var word: String { self == .clientKey ? "clientKeyFile" : rawValue }

    /// The option of `profile add`.
    var option: String {
        switch self {
        case .backend: "--backend"
        case .server: "--server"
        case .appID: "--app-id"
        case .clientKey: "--client-key-file"
        case .allowsHTTP: "--allow-http"
        }
    }

    init?(word: String) {
        guard let key = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = key
    }

    static func words(for backend: BackendDescriptor) -> [String] {
        allCases.filter { key in
            switch key {
            case .backend: true
            case .server, .allowsHTTP: backend.has(.takesServer)
            case .appID: backend.knowsApplications
            case .clientKey: backend.knowsClientKeys
            }
        }.map(\.word)
    }

    /// The value to store, such as a normalized URL, or the content of a key file instead of its path.
    func stored(_ value: Setting<String>, in context: Context) throws(AuthError) -> JSONValue {
        switch self {
        case .backend:
            // The backend's name is stored as typed, because an alias may also imply a server.
            _ = try context.resolver.descriptor(value.value, from: value.origin)
            return .string(value.value)
        case .server:
            // A server name is stored unchanged; the backend maps it to a URL.
            let isName = context.backends.contains { $0.namedServers[value.value] != nil }
            return .string(isName ? value.value : try ServerURL(value).text)
        case .appID:
            try Profile.requireAppID(value)
            return .string(value.value)
        case .clientKey:
            return .string(try SecretReader(what: "client key", context: context).token(in: value.value).reveal())
        case .allowsHTTP:
            guard let isOn = ["true": true, "false": false][value.value] else {
                throw AuthError(.usage, "'\(value.value)' is not true or false")
            }
            return .bool(isOn)
        }
    }
}

struct ProfileChange {
    /// `nil` unsets a setting.
    private var values: [(key: String, value: JSONValue?)] = []
    private let registry: BackendRegistry

    init(_ globals: GlobalOptions, in context: Context) throws(AuthError) {
        registry = context.world.backends()
        let given: [(ProfileKey, String?)] = [
            (.backend, globals.backend), (.server, globals.server), (.appID, globals.appID),
            (.clientKey, globals.clientKeyFile), (.allowsHTTP, globals.allowsHTTP ? "true" : nil),
        ]
        for (key, value) in given {
            if let value { try add(key, Setting(value, from: .option(key.option)), context) }
        }
    }

    init(_ key: ProfileKey, _ value: String, in context: Context) throws(AuthError) {
        registry = context.world.backends()
        try add(key, Setting(value, from: .builtIn), context)
    }

    init(unset key: ProfileKey, in context: Context) {
        registry = context.world.backends()
        values = [(key.rawValue, nil)]
    }

    /// - Parameter value: the new value; for a secret, the path of its file. An empty value unsets the setting.
    init(_ setting: BackendSetting, _ value: String, in context: Context) throws(AuthError) {
        registry = context.world.backends()
        guard !value.isEmpty else {
            values = [(setting.key, nil)]
            return
        }
        let given =
            switch setting.form {
            case .secret: try SecretReader(what: setting.key, context: context).token(in: value).reveal()
            case .folder, .file: try mappingFileErrors { () throws(FileError) in try context.world.absolutePath(value) }
            default: value
            }
        try setting.require(Setting(given, from: .builtIn))
        values = [(setting.key, .string(given))]
    }

    private mutating func add(_ key: ProfileKey, _ value: Setting<String>, _ context: Context) throws(AuthError) {
        values.append((key.rawValue, try key.stored(value, in: context)))
    }

    /// Applies the changes. Changing the server removes the settings that belong to the old server.
    ///
    /// - Returns: the names of the settings that were removed.
    /// - Throws: `AuthError` `usage` if the kind of server has no such setting, or if the client key is a secret key.
    @discardableResult func apply(to profile: inout Profile) throws(AuthError) -> [String] {
        let earlier = profile.settings.members.map(\.name)
        let before = (server: profile.text(.server), kind: kind(of: profile))
        if let server, server != before.server {
            for key in [ProfileKey.clientKey, .allowsHTTP] { profile.set(key, nil) }
            forgetBackendSettings(of: &profile)
            // Remove the stored URL, because the new backend alias implies a different server.
            if value(.server) == nil { profile.set(.server, nil) }
        }
        for (key, value) in values { profile.settings[key] = value }
        // A setting with the same name may have a different meaning for the new backend.
        if kind(of: profile) != before.kind { forgetBackendSettings(of: &profile) }
        if let kind = kind(of: profile), let backend = backends.meant(by: kind) {
            for key in ProfileKey.allCases where !ProfileKey.words(for: backend).contains(key.word) {
                guard !values.contains(where: { $0.key == key.rawValue && $0.value != nil }) else {
                    throw AuthError(
                        .usage, "backend '\(kind)' has no setting '\(key.word)' (option \(key.option))",
                        next: "leave it out, or name another kind of server")
                }
                if kind != before.kind { profile.set(key, nil) }
            }
            if let key = profile.text(.clientKey) { try registry[kind]?.checkClientKey(Secret(key)) }
        }
        // A backend alias implies its server.
        let known = values.map(\.key) + [ProfileKey.server.rawValue]
        return earlier.filter { profile.settings[$0] == nil && !known.contains($0) }
    }

    private func forgetBackendSettings(of profile: inout Profile) {
        let settings = backends.settings
        profile.settings = JSONObject(
            profile.settings.members.filter { settings.keyed($0.name)?.isIndependentOfServer ?? true })
    }

    private var backends: BackendKinds { registry.descriptors }

    private func kind(of profile: Profile) -> String? {
        guard let word = profile.text(.backend) else { return backends[0].kind }
        return backends.meant(by: word)?.kind
    }

    /// The new server: given explicitly, or implied by the backend alias.
    private var server: String? {
        if let server = value(.server) { return server }
        return value(.backend).flatMap { word in backends.meant(by: word)?.server(meantBy: word) }
    }

    private func value(_ key: ProfileKey) -> String? {
        values.first { $0.key == key.rawValue }?.value?.string
    }
}
