import JSON
import Platform

/// The field `authData`: the identities that a client claims to have at providers.
///
/// Shape: `{"facebook":{"id":"1003","access_token":"..."},"anonymous":null}`; `null` unlinks a provider. `anonymous`
/// accepts any id, which the device generated: a client that knows the id owns it.
struct AuthData {
    /// The claimed identities. Facebook's is not verified yet.
    let identities: [Identity]
    /// The access token that proves the Facebook identity; `nil` if none is claimed.
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

    /// - Throws: 252 for an unsupported provider or missing data; 101 and 141 where Facebook's adapter throws them.
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

    /// The access token. A `token` instead of it comes from Facebook's Limited Login, which is unsupported: it is
    /// signed with RSA, which libsodium lacks.
    private static func facebookToken(_ data: JSONObject) throws(RouteError) -> String {
        guard let token = data["access_token"]?.string, !token.isEmpty else {
            throw .refused(data["token"] == nil ? .facebookTokenMissing : .facebookInvalid)
        }
        // A text that fits into no header is not a Facebook token, so it need not be sent to Facebook.
        guard token.isToken else { throw .refused(.facebookInvalid) }
        return token
    }
}
