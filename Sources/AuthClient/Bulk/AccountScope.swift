import AuthModel
import JSON

/// All that identifies the accounts of a bulk file: their server, application and collection.
///
/// The files name it with the members `backend`, `server`, `appId` and `collection`, which are null if there is none.
struct AccountScope: Sendable, Equatable {
    static let members = ["backend", "server", "appId", "collection"]

    private let backend: String
    private let server: String?
    /// The application id, or the project of Firebase; `nil` if no setting names it.
    var appID: String?
    private let collection: String?

    init(_ settings: Settings) {
        (backend, server) = (settings.connection.backend, settings.connection.server)
        appID = settings.connection.appID
        let setting = settings.backend.value.settings.first { $0.key == BackendSetting.collection.key }
        collection = setting.flatMap { settings.serverSettings[$0.key] ?? $0.standard }
    }

    /// Reads the members of a line; `nil` if one is missing.
    init?(_ line: JSONObject) {
        guard let backend = line["backend"]?.string, Self.members.allSatisfy({ line[$0] != nil }) else { return nil }
        (self.backend, server) = (backend, line["server"]?.string)
        (appID, collection) = (line["appId"]?.string, line["collection"]?.string)
    }

    func add(to line: inout JSONObject) {
        let values: [JSONValue] = [
            .string(backend), JSONValue(server), JSONValue(appID), JSONValue(collection),
        ]
        for (name, value) in zip(Self.members, values) { line[name] = value }
    }

    /// Why accounts of another scope are not in this one: a predicate such as "is for collection 'a', not 'b'"; `nil` if
    /// they are. An application that no setting names is not compared.
    func difference(of other: AccountScope) -> String? {
        let pairs = [
            ("backend", other.backend, backend), ("server", other.server, server),
            ("application", other.appID, appID ?? other.appID), ("collection", other.collection, collection),
        ]
        guard let (what, theirs, ours) = pairs.first(where: { $0.1 != $0.2 }) else { return nil }
        guard let theirs, let ours else { return "does not name its \(what)" }
        return "is for \(what) '\(theirs)', not '\(ours)'"
    }
}
