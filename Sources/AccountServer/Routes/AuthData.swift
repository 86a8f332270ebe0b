import JSON
import Platform

/// The field `authData`: who a client claims to be to providers.
///
/// Shape: `{"facebook":{"id":"1003","access_token":"..."},"anonymous":null}`; `null` unlinks. `anonymous` takes any id,
/// made up by the device: who knows it is its owner.
struct AuthData {
    /// Said to be the client's; Facebook's is not proved yet.
    let identities: [Identity]
    /// What proves `facebook`; `nil` if it is not claimed.
    let facebookToken: String?
    /// The providers to unlink.
    let unlinked: [String]

    var isEmpty: Bool { identities.isEmpty && unlinked.isEmpty }

    static let nothing = AuthData(identities: [], facebookToken: nil, unlinked: [])

    private init(identities: [Identity], facebookToken: String?, unlinked: [String]) {
        self.identities = identities
        self.facebookToken = facebookToken
        self.unlinked = unlinked
    }

    /// - Throws: 252 for what is no provider of ours or says too little; 101 and 141 in Facebook's stead.
    init(_ value: JSONValue, takesFacebook: Bool) throws(RouteError) {
        guard let providers = value.object else { throw .refused(.providerUnsupported) }
        var (identities, facebookToken, unlinked): ([Identity], String?, [String]) = ([], nil, [])
        for (name, data) in providers.members.map({ ($0.name, $0.value) }) {
            guard name == "anonymous" || name == "facebook" else { throw .refused(.providerUnsupported) }
            if data == .null {
                unlinked.append(name)
                continue
            }
            guard let data = data.object, name == "anonymous" || takesFacebook else {
                throw .refused(.providerUnsupported)
            }
            identities.append(try Self.identity(name, data))
            if name == "facebook" { facebookToken = try Self.facebookToken(data) }
        }
        self.init(identities: identities, facebookToken: facebookToken, unlinked: unlinked)
    }

    private static func identity(_ provider: String, _ data: JSONObject) throws(RouteError) -> Identity {
        let id = data["id"].flatMap { $0.string ?? $0.integer.map { String($0) } } ?? ""
        guard !id.isEmpty else {
            throw .refused(provider == "facebook" ? .facebookInvalid : .providerUnsupported)
        }
        return Identity(provider: provider, id: id)
    }

    /// A `token` in its place is one of Facebook's Limited Login, which is not taken: it is signed with RSA, which
    /// libsodium does not do.
    private static func facebookToken(_ data: JSONObject) throws(RouteError) -> String {
        guard let token = data["access_token"]?.string, !token.isEmpty else {
            throw .refused(data["token"] == nil ? .facebookTokenMissing : .facebookInvalid)
        }
        // What fits into no header is none that Facebook gave out, and need not be shown to it.
        guard token.utf8.count <= longestToken, token.isVisibleASCII else {
            throw .refused(.facebookInvalid)
        }
        return token
    }

    /// Bytes; Facebook names no limit, and gives out some hundred.
    private static let longestToken = 8 << 10
}
