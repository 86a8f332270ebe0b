import AuthClient
import AuthModel
import JSON
import Platform

/// The document of `profile export`: a connection without sessions and secrets, which another person can add.
struct ConnectionDocument: CommandOutput {
    private static let kind = "connection"

    let json: JSONValue

    func text(_ style: TextStyle) -> String { json.text + "\n" }

    /// - Parameter omitted: receives the settings that are left out, as words for `profile set`.
    init(_ profile: Profile, of backend: BackendDescriptor, omitting omitted: (String) -> Void) {
        var document: JSONObject = ["v": 1, "kind": .string(Self.kind)]
        document[ProfileKey.backend.rawValue] = .string(profile.text(.backend) ?? backend.kind)
        for key in [ProfileKey.server, .appID] { document[key.rawValue] = JSONValue(profile.text(key)) }
        if let key = profile.text(.clientKey) {
            // An app of a server with several applications need not contain its key.
            if backend.has(.takesApplication) {
                omitted(ProfileKey.clientKey.word)
            } else {
                document[ProfileKey.clientKey.rawValue] = .string(key)
            }
        }
        if profile.isOn(.allowsHTTP) { document[ProfileKey.allowsHTTP.rawValue] = true }
        var settings = profile.settings(of: backend)
        // A folder of this machine is of no use elsewhere.
        for setting in backend.settings
        where [.secret, .folder].contains(setting.form) && profile.settings[setting.key] != nil {
            omitted(setting.word)
            settings[setting.key] = nil
        }
        document["settings"] = .object(settings)
        json = .object(document)
    }

    /// Reads a document as the settings of a profile.
    ///
    /// - Throws: `AuthError` `usage` if the file is no such document, or weakens the connection without an option.
    static func settings(in path: String, _ context: Context) throws(AuthError) -> JSONObject {
        let wrong = AuthError(
            .usage, "file '\(path)' is not the output of 'authctl profile export'",
            next: "for an app's own file, use --env-file")
        let bytes = try context.connectionFile(path)
        // `try?`: the position of a fault helps nobody, because a program wrote the document.
        guard let document = (try? JSONValue(parsing: bytes))?.object, document["v"] == 1,
            document["kind"]?.string == kind, let word = document[ProfileKey.backend.rawValue]?.string
        else { throw wrong }
        let backend = try context.resolver.descriptor(word, from: .builtIn)
        var settings = document["settings"]?.object ?? [:]
        for member in settings.members {
            guard member.value.string != nil,
                let setting = backend.settings.keyed(member.name), setting.form != .secret
            else { throw AuthError(.usage, "file '\(path)' has the unknown setting '\(member.name)'") }
        }
        if settings[BackendSetting.authorities.key] != nil {
            guard let file = context.globals.authorities else {
                throw AuthError(
                    .usage, "the connection in '\(path)' trusts certificates of its own",
                    next: "if they are right, add --ca-cert FILE")
            }
            settings[BackendSetting.authorities.key] = .string(
                try mappingFileErrors { () throws(FileError) in try context.world.absolutePath(file) })
        }
        if document[ProfileKey.allowsHTTP.rawValue]?.bool == true, !context.globals.allowsHTTP {
            throw AuthError(
                .usage, "the connection in '\(path)' is not encrypted",
                next: "to send passwords unencrypted, add --allow-http")
        }
        for key in [ProfileKey.backend, .server, .appID, .clientKey] {
            if let text = document[key.rawValue]?.string { settings[key.rawValue] = .string(text) }
        }
        return settings
    }
}
