import JSON
import Platform

/// The providers whose identities a server accepts.
enum AcceptedProviders {
    case anonymous
    /// `anonymous` and `facebook`. Facebook verifies the access token.
    case facebook
    /// All providers. Each identity except `anonymous` needs an `UnsignedProof`.
    case unsigned

    /// Whether clients may name this provider, even if only to unlink it.
    fileprivate func contains(_ name: String) -> Bool {
        guard self == .unsigned else { return name == "anonymous" || name == "facebook" }
        return name.isProviderName
    }
}

/// The field `authData`: the identities that a client claims to have at providers.
///
/// Shape: `{"facebook":{"id":"1003","access_token":"..."},"anonymous":null}`; `null` unlinks a provider. `anonymous`
/// accepts any id. The device generates this id, and every client that knows the id can log in with it.
struct AuthData {
    struct Claim {
        let identity: Identity
        /// The access token that Facebook must verify; `nil` if there is nothing to verify.
        var facebookToken: String?
    }

    private(set) var claims: [Claim] = []
    /// The providers to unlink.
    private(set) var unlinked: [String] = []

    var identities: [Identity] { claims.map(\.identity) }
    var isEmpty: Bool { claims.isEmpty && unlinked.isEmpty }

    static let nothing = AuthData()

    private init() {}

    /// - Throws: error code 252 for an unsupported provider, a value that is not an object, or an anonymous identity
    ///   without an id; 141 for a missing Facebook token; 101 for any other invalid proof.
    init(_ value: JSONValue, from accepted: AcceptedProviders) throws(RequestError) {
        guard let providers = value.object else { throw .refused(.providerUnsupported) }
        for (name, data) in providers.members.map({ ($0.name, $0.value) }) {
            guard accepted.contains(name) else { throw .refused(.providerUnsupported) }
            if data == .null { unlinked.append(name) } else { claims.append(try Self.claim(name, data, accepted)) }
        }
    }

    /// The identities of a seed account, which is created when the server starts. These identities need no proof.
    static func identities(ofSeed value: JSONValue?) throws(RequestError) -> [Identity] {
        var identities: [Identity] = []
        for member in value?.object?.members ?? [] {
            guard AcceptedProviders.unsigned.contains(member.name), let id = member.value["id"]?.identityID, !id.isEmpty
            else { throw .refused(.seededIdentitiesInvalid) }
            identities.append(Identity(provider: member.name, id: id))
        }
        return identities
    }

    private static func claim(
        _ provider: String, _ data: JSONValue, _ accepted: AcceptedProviders
    ) throws(RequestError) -> Claim {
        guard let data = data.object else { throw .refused(.providerUnsupported) }
        let id = data["id"]?.identityID ?? ""
        switch (provider, accepted) {
        case ("anonymous", _):
            if id.isEmpty { throw .refused(.providerUnsupported) }
            return Claim(identity: Identity(provider: provider, id: id))
        case ("facebook", .facebook):
            if id.isEmpty { throw .refused(.facebookInvalid) }
            return Claim(identity: Identity(provider: provider, id: id), facebookToken: try facebookToken(data))
        case (_, .unsigned):
            return Claim(identity: Identity(provider: provider, id: try UnsignedProof.id(in: data)))
        default: throw .refused(.providerUnsupported)
        }
    }

    /// The access token. The `token` that Facebook's Limited Login sends instead is unsupported: it is signed with RSA,
    /// which libsodium lacks.
    private static func facebookToken(_ data: JSONObject) throws(RequestError) -> String {
        guard let token = data["access_token"]?.string, !token.isEmpty else {
            throw .refused(data["token"] == nil ? .facebookTokenMissing : .facebookInvalid)
        }
        // A string that is invalid in a header cannot be a Facebook token. Reject it without a request to Facebook.
        guard token.isToken else { throw .refused(.facebookInvalid) }
        return token
    }
}

/// A proof of an identity, accepted without verifying its signature; for tests.
///
/// Shape: `{"id_token":"..."}` or `{"code":"1003"}`; `token` and `access_token` are aliases of `id_token`. A token is
/// `{"sub":"1003"}` or a JWT with this payload; other claims are ignored. An optional `id` must equal `sub` or `code`.
enum UnsignedProof {
    /// - Throws: error code 101 if the proof is missing or invalid, or if an `id` does not match it.
    static func id(in data: JSONObject) throws(RequestError) -> String {
        let data = JSONObject(data.members.filter { $0.value != .null })
        let token = data["id_token"] ?? data["token"] ?? data["access_token"]
        let id = if let token { subject(of: token.string ?? "") } else { data["code"]?.identityID }
        // Source: OpenID Connect Core 1.0, section 2: a `sub` has at most 255 ASCII characters.
        guard let id, 1...255 ~= id.utf8.count, id.isVisibleASCII else { throw .refused(.identityTokenInvalid) }
        if let claimed = data["id"], claimed.identityID != id { throw .refused(.identityMismatch) }
        return id
    }

    private static func subject(of token: String) -> String? {
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
            .map { [UInt8](base64: $0, isForURLs: true) }
        let payload = parts.count == 3 && !parts.contains(nil) ? parts[1] : Array(token.utf8)
        // `try?`: text that is not JSON is not a proof.
        return payload.flatMap { try? JSONValue(parsing: $0) }?["sub"]?.identityID
    }
}

extension JSONValue {
    /// A user's id at a provider. Some providers, such as GitHub, use numbers.
    fileprivate var identityID: String? { string ?? integer.map { String($0) } }
}
