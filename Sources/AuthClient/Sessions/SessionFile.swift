package import AuthModel
package import JSON

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of a session file, version 1: one line of JSON whose last member is a checksum of all that stands before.
///
///     {"v":1,"profile":"default","backend":"local","server":null,"appId":null,"token":"r:…","refreshToken":null,
///      "sessionId":"…","createdAt":"…","expiresAt":"…","user":{…},"checksum":"0123456789abcdef"}
///
/// The checksum (64-bit FNV-1a, in hexadecimal) is there for broken disks and slips of an editor, not against an
/// attacker: every single wrong bit changes it, so a damaged token or name is never used.
enum SessionFile {
    static let version = 1
    /// Bytes; the largest token and user that is kept.
    static let limit = 1 << 20

    static func bytes(of stored: StoredSession) -> [UInt8] {
        let session = stored.session
        let document: JSONValue = [
            "v": JSONValue(version),
            "profile": .string(stored.profile),
            "backend": .string(stored.connection.backend),
            "server": JSONValue(stored.connection.server),
            "appId": JSONValue(stored.connection.appID),
            "token": .string(session.token.reveal()),
            "refreshToken": JSONValue(session.refreshToken?.reveal()),
            "sessionId": JSONValue(session.id),
            "createdAt": JSONValue(session.createdAt.map(Timestamp.text)),
            "expiresAt": JSONValue(session.expiresAt.map(Timestamp.text)),
            "user": stored.user.json,
        ]
        let content = document.bytes.dropLast()
        return content + Array(#","checksum":"\#(checksum(of: content))"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    /// - Throws: `Fault`, with the bytes at which it shows.
    static func session(from bytes: [UInt8], profile: String) throws(Fault) -> StoredSession {
        let version = try version(of: bytes)
        guard version == self.version else { throw .newerVersion(version) }
        guard bytes.count > trailerLength, bytes.last == UInt8(ascii: "\n") else { throw .cutOff(at: bytes.count) }
        let content = bytes.dropLast(trailerLength)
        let trailer = Array(#","checksum":"\#(checksum(of: content))"}"#.utf8)
        guard bytes.dropFirst(content.count).dropLast().elementsEqual(trailer) else {
            throw .damaged(upTo: content.count)
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else {
            // `try?`: whatever the reader says, the checksum holds, so authctl itself wrote this.
            throw .damaged(upTo: content.count)
        }
        guard document.profile == profile else { throw .otherProfile(document.profile) }
        return document.session
    }

    enum Fault: Error, Equatable {
        /// The file ends before its checksum.
        case cutOff(at: Int)
        /// The checksum is not that of the bytes before it.
        case damaged(upTo: Int)
        case newerVersion(Int)
        /// The file was copied or renamed from another profile's.
        case otherProfile(String)
    }

    /// `,"checksum":"0123456789abcdef"}` and a newline.
    private static let trailerLength = 32

    private static func version(of bytes: [UInt8]) throws(Fault) -> Int {
        let start = Array(#"{"v":"#.utf8)
        guard bytes.starts(with: start) else { throw .damaged(upTo: min(start.count, bytes.count)) }
        let digits = bytes.dropFirst(start.count).prefix { (0x30...0x39).contains($0) }
        guard let version = Int(String(decoding: digits, as: UTF8.self)), version > 0 else {
            throw .damaged(upTo: start.count + digits.count)
        }
        return version
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

// MARK: - The document

private struct Document: Decodable {
    let profile: String
    let backend: String
    let server: String?
    let appId: String?
    let token: String
    let refreshToken: String?
    let sessionId: String?
    let createdAt: String?
    let expiresAt: String?
    let user: UserDocument

    var session: StoredSession {
        StoredSession(
            profile: profile,
            connection: Connection(backend: backend, server: server, appID: appId),
            session: Session(
                token: Secret(token), refreshToken: refreshToken.map(Secret.init), id: sessionId,
                createdAt: createdAt.flatMap(Timestamp.date), expiresAt: expiresAt.flatMap(Timestamp.date)),
            user: user.user)
    }
}

private struct UserDocument: Decodable {
    let id: String?
    let username: String?
    let email: String?
    let emailVerified: Bool?
    let createdAt: String?
    let providers: [String]?
    let fields: JSONValue

    var user: User {
        User(
            id: id, username: username, email: email, emailVerified: emailVerified,
            createdAt: createdAt.flatMap(Timestamp.date), providers: providers, fields: fields.object ?? [:])
    }
}

extension User {
    /// The user as JSON, in files and in output alike.
    package var json: JSONValue {
        [
            "id": JSONValue(id),
            "username": JSONValue(username),
            "email": JSONValue(email),
            "emailVerified": emailVerified.map(JSONValue.bool) ?? .null,
            "createdAt": JSONValue(createdAt.map(Timestamp.text)),
            "providers": providers.map { JSONValue($0) } ?? .null,
            "fields": .object(fields),
        ]
    }
}
