package import AuthModel
package import JSON
import Platform

/// The format of a session file, version 1: one line of JSON.
///
///     {"v":1,"profile":"default","backend":"local","server":null,"appId":null,"token":"r:…",
///      "expiresAt":1826737445,"refreshToken":null,"sessionId":"…","createdAt":1795201445,"with":"password",
///      "user":{…}}
///
/// `"as":"…"`, `"refreshRejected":true`, `"accessToken":"…"`, `"login":{"email":"…"}`, `"apiURL":"…"`, `"scheme":"JWT"`
/// `"refreshCookie":{…}`, `"accessCookie":{…}` and `"page":"/…"` follow if they apply. Times are seconds since 1970, because
/// parsing a calendar date takes as long as parsing the rest of the file. Writes replace the file, so a torn file is
/// never the result of a crash, and the strict reader rejects it.
enum SessionFile {
    static let version = 1
    /// The maximum size of a file in bytes.
    static let limit = 1 << 20
    /// The maximum nesting of arrays and objects in a user field. It is below the JSON reader's limit of 512 levels,
    /// because the file adds levels around the field.
    static let deepestField = 500

    static func bytes(of stored: StoredSession) -> [UInt8] {
        let session = stored.session
        var document: JSONObject = [
            "v": JSONValue(version),
            "profile": .string(stored.profile),
            "backend": .string(stored.connection.backend),
            "server": JSONValue(stored.connection.server),
            "appId": JSONValue(stored.connection.appID),
            "token": .string(session.token.reveal()),
            "expiresAt": seconds(session.expiresAt),
            "refreshToken": JSONValue(session.refreshToken?.reveal()),
            "sessionId": JSONValue(session.id),
            "createdAt": seconds(session.createdAt),
            "with": JSONValue(stored.method?.name),
            "user": json(of: stored.user),
        ]
        if let name = stored.name { document["as"] = .string(name) }
        if stored.isRefreshRejected { document["refreshRejected"] = true }
        if let token = session.accessToken { document["accessToken"] = .string(token.reveal()) }
        if let name = session.loginName { document["login"] = .object(name.fields) }
        if let apiURL = stored.apiURL { document["apiURL"] = .string(apiURL) }
        if let scheme = session.scheme { document["scheme"] = .string(scheme) }
        if let cookie = session.refreshCookie { document["refreshCookie"] = cookie.json }
        if let cookie = session.accessCookie { document["accessCookie"] = cookie.json }
        if let page = session.page { document["page"] = .string(page) }
        return JSONValue.object(document).bytes + [UInt8(ascii: "\n")]
    }

    private static func json(of user: User) -> JSONValue {
        guard case .object(var members) = user.json else { return user.json }
        members["createdAt"] = seconds(user.createdAt)
        for name in ["phone", "disabled", "claims", "roles"] where members[name] == .null { members[name] = nil }
        return .object(members)
    }

    private static func seconds(_ date: Instant?) -> JSONValue {
        date.map { .integer($0.seconds) } ?? .null
    }

    /// - Parameter name: the session name; `nil` for the profile's own session.
    static func session(from bytes: [UInt8], profile: String, name: String? = nil) throws(Fault) -> StoredSession {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw .damaged(at: error.offset)
        }
        guard let document = value.object, let version = document["v"]?.integer, version > 0 else { throw .invalid }
        guard version == Self.version else { throw .newerVersion(Int(version)) }
        guard let session = StoredSession(document) else { throw .invalid }
        guard session.profile == profile else { throw .otherProfile(session.profile) }
        guard session.name == name else { throw .otherName(session.name) }
        return session
    }

    enum Fault: Error, Equatable {
        /// The file is not JSON from this byte on, for example because it ends there.
        case damaged(at: Int)
        /// The file is JSON, but not a session.
        case invalid
        case newerVersion(Int)
        /// The file contains a session of another profile, because it was copied or renamed.
        case otherProfile(String)
        /// The file contains a session with a different session name, because it was copied or renamed.
        case otherName(String?)
    }
}

/// The 64-bit FNV-1a hash as 16 hexadecimal digits. Not secure against an attacker.
func fnv1a(_ bytes: some Sequence<UInt8>) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

// MARK: - File names

extension SessionKey {
    /// `PROFILE~AS~HASH.json`; `AS` is the session name, empty for the profile's own session. Names never contain `~`.
    ///
    /// The hash only makes file names distinct. The connection in the file decides where the session may be sent.
    var fileName: String { "\(profile)~\(name ?? "")~\(connection.hash).json" }
}

/// The parts of a session file's name: `PROFILE~AS~HASH.json`.
struct SessionFileName {
    static let suffix = ".json"

    let profile: String
    /// The session name; `nil` for the profile's own session.
    let name: String?
    let hash: String

    /// Parses a file name; `nil` for a file that authctl did not write.
    init?(_ fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        let parts = fileName.utf8.dropLast(Self.suffix.utf8.count)
            .split(separator: UInt8(ascii: "~"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard parts.count == 3, Profile.isName(parts[0]) else { return nil }
        profile = parts[0]
        name = parts[1].isEmpty ? nil : parts[1]
        hash = parts[2]
        if let name, !SessionKey.isName(name) { return nil }
    }
}

extension Connection {
    /// A hash of the connection, as 16 hexadecimal digits.
    var hash: String {
        // Use interpolation, because the first call of `joined` in a process is slow.
        let text = "\(backend)\n\(server ?? "")\n\(appID ?? "")"
        return fnv1a(text.utf8)
    }
}

// MARK: - Limits

extension StoredSession {
    /// Drops user fields that are nested too deeply, then the largest fields until the session fits into a file.
    package func fitted() -> (session: StoredSession, droppedFields: [String]) {
        var fields = user.fields.members.filter { $0.value.isNested(atMost: SessionFile.deepestField) }
        var fitted = self
        fitted.user.fields = JSONObject(fields)
        var excess = SessionFile.bytes(of: fitted).count - SessionFile.limit
        if excess > 0 {
            // The sizes of `"name":value`. Commas are not counted, because dropping the only field removes no comma.
            let sizes = fields.map { JSONValue.object(JSONObject([$0])).bytes.count - 2 }
            var dropped: Set<Int> = []
            for index in fields.indices.sorted(by: { sizes[$0] > sizes[$1] }) where excess > 0 {
                excess -= sizes[index]
                dropped.insert(index)
            }
            fields = fields.indices.filter { !dropped.contains($0) }.map { fields[$0] }
            fitted.user.fields = JSONObject(fields)
        }
        let kept = Set(fields.map(\.name))
        return (fitted, user.fields.names.filter { !kept.contains($0) })
    }
}

extension JSONValue {
    /// Whether the value has at most this many levels of arrays and objects.
    fileprivate func isNested(atMost levels: Int) -> Bool {
        switch self {
        case .array(let elements): levels > 0 && elements.allSatisfy { $0.isNested(atMost: levels - 1) }
        case .object(let object): levels > 0 && object.members.allSatisfy { $0.value.isNested(atMost: levels - 1) }
        default: true
        }
    }
}

// MARK: - The document

extension StoredSession {
    fileprivate init?(_ document: JSONObject) {
        guard let profile = document["profile"]?.string, let backend = document["backend"]?.string,
            let token = document["token"]?.string, let user = document["user"]?.object,
            token.isToken || Cookies(Secret(token)) != nil
                || token.isEmpty
                    && [.verificationLink, .emailChange].contains(document["with"]?.string.flatMap(AuthMethod.init)),
            document["refreshToken"]?.string?.isToken ?? true
        else { return nil }
        var session = Session(
            token: Secret(token), refreshToken: document["refreshToken"]?.string.map(Secret.init),
            id: document["sessionId"]?.string, createdAt: document.date("createdAt"),
            expiresAt: document.date("expiresAt"), scheme: document["scheme"]?.string)
        session.accessToken = document["accessToken"]?.string.flatMap { $0.isToken ? Secret($0) : nil }
        session.refreshCookie = Cookie(document["refreshCookie"])
        session.accessCookie = Cookie(document["accessCookie"])
        session.page = document["page"]?.string
        session.loginName = document["login"]?.object.flatMap(LoginName.init)
        self.init(
            profile: profile, name: document["as"]?.string,
            connection: Connection(
                backend: backend, server: document["server"]?.string, appID: document["appId"]?.string),
            session: session, user: User(stored: user),
            method: document["with"]?.string.flatMap(AuthMethod.init(name:)),
            isRefreshRejected: document["refreshRejected"]?.bool ?? false, apiURL: document["apiURL"]?.string)
    }
}

extension User {
    fileprivate init(stored members: JSONObject) {
        self.init(
            id: members["id"]?.string, username: members["username"]?.string, email: members["email"]?.string,
            emailVerified: members["emailVerified"]?.bool, phone: members["phone"]?.string,
            createdAt: members.date("createdAt"),
            identities: members["identities"]?.array?.compactMap(Identity.init(stored:)),
            fields: members["fields"]?.object ?? [:])
        disabled = members["disabled"]?.bool
        claims = members["claims"]?.object
        roles = members["roles"]?.array?.compactMap(\.string)
    }
}

extension Identity {
    fileprivate init?(stored value: JSONValue) {
        guard let provider = value["provider"]?.string else { return nil }
        self.init(provider: provider, id: value["id"]?.string)
    }
}

extension JSONObject {
    /// Reads a time in seconds since 1970.
    fileprivate func date(_ name: String) -> Instant? {
        self[name]?.integer.map { Instant(seconds: $0) }
    }
}

extension User {
    package var json: JSONValue {
        [
            "id": JSONValue(id),
            "username": JSONValue(username),
            "email": JSONValue(email),
            "emailVerified": emailVerified.map(JSONValue.bool) ?? .null,
            "phone": JSONValue(phone),
            "disabled": disabled.map(JSONValue.bool) ?? .null,
            "claims": claims.map(JSONValue.object) ?? .null,
            "roles": roles.map { JSONValue($0) } ?? .null,
            "createdAt": JSONValue(createdAt.map(\.text)),
            "providers": providers.map { JSONValue($0) } ?? .null,
            "identities": identities.map { list in
                .array(list.map { ["provider": .string($0.provider), "id": JSONValue($0.id)] })
            } ?? .null,
            "fields": .object(fields),
        ]
    }
}
